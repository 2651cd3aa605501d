import assert from 'node:assert/strict'
import { it } from 'node:test'
import { TradepostError, TransportError } from './errors.ts'
import type { Attempt } from './options.ts'
import { aClient } from './testing/a-client.ts'
import {
  cut,
  cutInside,
  page,
  REQUEST_ID,
  type Reply,
  refusal,
  silence,
  startScripted,
  success,
} from './testing/scripted-server.ts'

const WALLET = { currency: 'USD', balance: 12.5 }
const FUNDED = { transactionId: REQUEST_ID, idempotent: false }
const LISTING = { listingId: '1', maxPrice: '5.00' }
const TROUBLE: readonly Reply[] = [
  cut,
  cutInside,
  page(502, '<h1>Bad gateway</h1>'),
  refusal(500, 'INTERNAL_ERROR'),
]

const caught = async <Kind>(
  call: Promise<unknown>,
  kind: { readonly prototype: Kind },
): Promise<Kind> => {
  const error: unknown = await call.then(
    () => assert.fail('the call succeeded'),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof (kind as unknown as new () => object), String(error))
  return error as Kind
}

it('a call carries the key, and its answer is the data', async () => {
  await using server = await startScripted()
  server.script(success(WALLET))
  const { tradepost } = aClient(server.baseUrl)
  assert.deepEqual(await tradepost.wallet.get(), WALLET)
  const [request] = server.requests
  assert.equal(request?.headers['api-key'], 'tp_test_key')
  assert.match(String(request?.headers['user-agent']), /^tradepost-sdk\/\d/)
  assert.equal(request?.headers['on-behalf-of'], undefined)
})

it('a read is retried after every transient failure', async () => {
  await using server = await startScripted()
  for (const trouble of TROUBLE) {
    server.script(trouble, success(WALLET))
    const { tradepost, pausesMs } = aClient(server.baseUrl)
    assert.deepEqual(await tradepost.wallet.get(), WALLET)
    assert.equal(pausesMs.length, 1)
  }
})

it('a read fails after maxRetries with the last failure', async () => {
  await using server = await startScripted()
  server.script(cut, cut, refusal(503, 'SERVICE_DISABLED'))
  const { tradepost, pausesMs } = aClient(server.baseUrl)
  const error = await caught(tradepost.market.search().then(), TradepostError)
  assert.equal(error.key, 'SERVICE_DISABLED')
  assert.equal(error.attempts, 3)
  assert.deepEqual(pausesMs, [188, 375])
})

it('a permanent refusal rejects at once, with its details', async () => {
  await using server = await startScripted()
  server.script(
    refusal(402, 'INSUFFICIENT_BALANCE', { meta: { requiredCents: 1299, availableCents: 750 } }),
  )
  const { tradepost } = aClient(server.baseUrl)
  const call = tradepost.users.fund('anna', { amount: '12.99' }, { idempotencyKey: 'order-1' })
  const error = await caught(call, TradepostError)
  assert.equal(error.key, 'INSUFFICIENT_BALANCE')
  // The key narrows the type of meta.
  if (error.key === 'INSUFFICIENT_BALANCE') assert.equal(error.meta.requiredCents, 1299)
  const { status, requestId, operation, idempotencyKey } = error
  assert.deepEqual(
    { status, requestId, operation, idempotencyKey },
    { status: 402, requestId: REQUEST_ID, operation: 'fundSubUser', idempotencyKey: 'order-1' },
  )
  assert.equal(server.requests.length, 1)
})

it('retry-after is waited for', async () => {
  await using server = await startScripted()
  server.script(
    refusal(429, 'RATE_LIMITED', { headers: { 'retry-after': '7' } }),
    page(503, 'busy', { 'retry-after': '3' }),
    success(WALLET),
  )
  const { tradepost, pausesMs } = aClient(server.baseUrl)
  await tradepost.wallet.get()
  assert.deepEqual(pausesMs, [7350, 3150])
})

it('a retry-after beyond the maximum is left to the caller', async () => {
  await using server = await startScripted()
  server.script(refusal(429, 'RATE_LIMITED', { headers: { 'retry-after': '61' } }))
  const { tradepost, pausesMs } = aClient(server.baseUrl)
  const error = await caught(tradepost.wallet.get(), TradepostError)
  assert.equal(error.retryAfterSeconds, 61)
  assert.deepEqual(pausesMs, [])
})

it('a retry that moves money has the key of the first attempt', async () => {
  await using server = await startScripted()
  const { tradepost } = aClient(server.baseUrl)
  const body = { amount: '5.00' }
  server.script(cut, refusal(500, 'INTERNAL_ERROR'), success(FUNDED))
  await tradepost.users.fund('anna', body)
  server.script(cut, success(FUNDED))
  await tradepost.users.defund('anna', body)
  server.script(cut, success(FUNDED))
  await tradepost.merchant.transferEarnings(body, { idempotencyKey: 'mine' })
  const keys = server.requests.map(({ headers }) => headers['idempotency-key'])
  assert.deepEqual(keys, ['made-1', 'made-1', 'made-1', 'made-2', 'made-2', 'mine', 'mine'])
  assert.equal(new Set(server.requests.map(({ body: sent }) => sent)).size, 1)
})

it('when money may have moved, the failure carries the generated key', async () => {
  await using server = await startScripted()
  server.script(cut, cut, cut)
  const { tradepost } = aClient(server.baseUrl)
  const error = await caught(tradepost.users.fund('anna', { amount: '5.00' }), TransportError)
  assert.equal(error.reason, 'network')
  assert.equal(error.idempotencyKey, 'made-1')
  assert.ok(error.cause)
})

it('a buy with an externalId is retried, one without is sent once', async () => {
  await using server = await startScripted()
  const { tradepost, pausesMs } = aClient(server.baseUrl)
  const bought = { id: REQUEST_ID, status: 'initiated', itemCount: 1, totalPrice: 5, createdAt: '' }
  server.script(cut, success(bought))
  await tradepost.market.buy({ externalId: 'order-1', items: [LISTING] })
  assert.equal(server.requests.length, 2)
  for (const trouble of [
    ...TROUBLE,
    refusal(429, 'RATE_LIMITED', { headers: { 'retry-after': '1' } }),
  ]) {
    server.script(trouble)
    const before: number = server.requests.length
    await assert.rejects(tradepost.market.buy({ items: [LISTING] }))
    assert.equal(server.requests.length, before + 1)
  }
  assert.equal(pausesMs.length, 1)
})

it('a withdrawal and a batch of them are retried under their externalIds', async () => {
  await using server = await startScripted()
  const { tradepost } = aClient(server.baseUrl)
  const wanted = { externalId: 'payout-1', chain: 'base', token: 'USDC' } as const
  const withdrawal = { ...wanted, destination: '0x1', amountCents: 100 }
  server.script(cut, success({ id: REQUEST_ID, status: 'pending_callback' }))
  await tradepost.payouts.withdraw(withdrawal)
  assert.equal(server.requests.length, 2)
  server.script(cut, success({ id: REQUEST_ID, total: 1 }))
  await tradepost.payouts.withdrawBatch({ externalId: 'batch-1', withdrawals: [withdrawal] })
  assert.equal(server.requests.length, 4)
})

it('a write without a reference is sent once', async () => {
  await using server = await startScripted()
  const { tradepost } = aClient(server.baseUrl)
  const calls = [
    () => tradepost.users.create({ email: 'a@example.com' }),
    () => tradepost.users.update('anna', { externalId: 'anna-2' }),
    () => tradepost.users.delete('anna'),
    () => tradepost.users.suspend('anna'),
    () => tradepost.tradeUrls.create({ url: 'https://example.com' }),
  ]
  for (const [i, call] of calls.entries()) {
    server.script(cut)
    await caught(call(), TransportError)
    assert.equal(server.requests.length, i + 1)
  }
})

it('an attempt that takes too long is a timeout, including the time to read the response', async () => {
  await using server = await startScripted()
  const begun: Reply = (response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).write('{')
  }
  for (const reply of [silence, begun]) {
    server.script(reply)
    const { tradepost } = aClient(server.baseUrl, { timeoutMs: 50, maxRetries: 0 })
    const error = await caught(tradepost.wallet.get(), TransportError)
    assert.equal(error.reason, 'timeout')
  }
})

it('the caller can abort a call during an attempt and between attempts', async () => {
  await using server = await startScripted()
  const reason = new Error('the user left')
  const sending = new AbortController()
  server.script(() => sending.abort(reason))
  await assert.rejects(
    aClient(server.baseUrl).tradepost.wallet.get({ signal: sending.signal }),
    reason,
  )

  const waiting = new AbortController()
  const { tradepost } = aClient(server.baseUrl, {
    runtime: {
      sleep: async (_, signal) => {
        waiting.abort(reason)
        signal?.throwIfAborted()
      },
    },
  })
  server.script(cut)
  await assert.rejects(tradepost.wallet.get({ signal: waiting.signal }), reason)

  const before = server.requests.length
  await assert.rejects(tradepost.wallet.get({ signal: AbortSignal.abort(reason) }), reason)
  assert.equal(server.requests.length, before)
})

it('the pause of the real clock ends with the signal', async () => {
  await using server = await startScripted()
  const reason = new Error('the user left')
  const controller = new AbortController()
  server.script(refusal(429, 'RATE_LIMITED', { headers: { 'retry-after': '50' } }))
  const { Tradepost } = await import('./client.ts')
  const tradepost = new Tradepost({
    apiKey: 'key',
    baseUrl: server.baseUrl,
    onAttempt: () => setImmediate(() => controller.abort(reason)),
  })
  await assert.rejects(tradepost.wallet.get({ signal: controller.signal }), reason)
})

it('a redirect is not followed, because it would send the key elsewhere', async () => {
  await using server = await startScripted()
  await using elsewhere = await startScripted()
  elsewhere.script(success(WALLET))
  server.script(page(307, '', { location: `${elsewhere.baseUrl}/user/wallet` }))
  const error = await caught(aClient(server.baseUrl).tradepost.wallet.get(), TransportError)
  assert.equal(error.reason, 'unreadable')
  assert.equal(error.status, 307)
  assert.equal(elsewhere.requests.length, 0)
})

it('a response that is not of the service is never accepted', async () => {
  await using server = await startScripted()
  const foreign = [
    page(200, '<h1>Welcome</h1>'),
    page(200, 'null'),
    page(200, '{"success":true}'),
    page(200, '{"requestId":"1","success":true}'),
    page(404, '{"requestId":"1","success":true,"data":{}}'),
    page(404, '{"requestId":"1","success":false,"error":null}'),
    page(404, '{"requestId":"1","success":false,"error":{"key":1}}'),
    page(404, '[]'),
  ]
  const { tradepost } = aClient(server.baseUrl)
  for (const response of foreign) {
    server.script(response)
    const error = await caught(tradepost.wallet.get(), TransportError)
    assert.equal(error.reason, 'unreadable')
    assert.equal(error.attempts, 1)
  }
})

it('every attempt is reported, and an observer that throws changes nothing', async () => {
  await using server = await startScripted()
  server.script(cut, refusal(500, 'INTERNAL_ERROR'), success(WALLET))
  const seen: Attempt[] = []
  const { tradepost } = aClient(server.baseUrl, {
    onAttempt: (attempt) => {
      seen.push(attempt)
      throw new Error('of the observer')
    },
  })
  assert.deepEqual(await tradepost.wallet.get(), WALLET)
  assert.deepEqual(
    seen.map(({ operation, attempt, status, requestId }) => [
      operation,
      attempt,
      status,
      requestId,
    ]),
    [
      ['getWallet', 1, null, null],
      ['getWallet', 2, 500, REQUEST_ID],
      ['getWallet', 3, 200, REQUEST_ID],
    ],
  )
})
