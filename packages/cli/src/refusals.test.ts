// What the program says when something is refused, and of text that others wrote.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { ERROR_MESSAGES } from '../../sdk/src/generated/error-keys.ts'
import { TRADE_FAILURES } from '../../sdk/src/generated/trade-failures.ts'
import {
  type ReceivedRequest,
  refusal,
  type ScriptedServer,
  startScripted,
  success,
} from '../../sdk/src/testing/scripted-server.ts'
import { nearest } from './nearest.ts'
import { testEnvironment } from './testing/test-environment.ts'

const environmentOf = (server: ScriptedServer, more: NodeJS.ProcessEnv = {}) =>
  testEnvironment({
    env: { TRADEPOST_API_KEY: 'tp_test_1', TRADEPOST_URL: server.baseUrl, ...more },
  })

interface Failure {
  readonly success: boolean
  readonly exitCode: number
  readonly requestId?: string
  readonly error: { readonly key?: string; readonly message: string; readonly hints?: string[] }
}

it('with --json a failure is JSON in the place of the result, with its exit code', async () => {
  await using server = await startScripted()
  const failureOf = async (...args: string[]): Promise<Failure> => {
    using one = environmentOf(server)
    const code = await one.run(...args, '--json')
    const [line = '', ...others] = one.out
    assert.deepEqual(others, [], args.join(' '))
    assert.deepEqual(one.notes, [])
    const failure = JSON.parse(line) as Failure
    assert.deepEqual([failure.success, failure.exitCode], [false, code])
    return failure
  }
  server.script(refusal(404, 'EVENT_NOT_FOUND', { meta: { a: 1 } }))
  const refused = await failureOf('events', 'show', 'x')
  assert.deepEqual(refused, {
    ...{ success: false, exitCode: 3, requestId: '0193f3f0-0000-7000-8000-000000000001' },
    error: { code: 1, key: 'EVENT_NOT_FOUND', message: 'For people.', meta: { a: 1 } },
  })
  assert.equal((await failureOf('nonsense')).exitCode, 2)
  assert.match((await failureOf('search', '--limit', '0')).error.message, /whole number/)
  assert.match((await failureOf('trigger', 'trade.no')).error.hints?.[0] ?? '', /^One of: /)
  server.script(refusal(401, 'INVALID_API_KEY'))
  assert.equal((await failureOf('whoami')).exitCode, 5)
  await server[Symbol.asyncDispose]()
  assert.equal((await failureOf('whoami')).exitCode, 4)
})

it('what a result says already is not said again with --json; for people, the words and the page of each reason are', async () => {
  await using server = await startScripted()
  using one = environmentOf(server)
  const trade = { id: 't', userId: 'm', items: [] }
  const items = [{ itemId: 'i', status: 'failed', reason: 'TRADE_CANCEL_TOO_SOON' }]
  server.script(success(trade), success({ id: 'm' }), success({ cancelled: 0, items }))
  assert.equal(await one.run('trades', 'cancel', 't', '--json'), 3)
  assert.deepEqual(JSON.parse(one.out.join('\n')), items)
  server.script(success(trade), success({ id: 'm' }), success({ cancelled: 0, items }))
  assert.equal(await one.run('trades', 'cancel', 't'), 3)
  const said = one.notes.join('\n')
  assert.ok(said.includes(ERROR_MESSAGES.TRADE_CANCEL_TOO_SOON), said)
  assert.ok(said.includes('/docs/errors#TRADE_CANCEL_TOO_SOON'), said)
})

it('a buy that a preflight refuses says so in the words of the service, with the page of each key', async () => {
  await using server = await startScripted()
  const buy = ['buy', '123', '--max-price', '9.00', '--yes']
  const preview = {
    ...{ passes: false, refusals: ['PRICE_MISMATCH', 'INSUFFICIENT_BALANCE'], tradeId: null },
    items: [{ marketHashName: 'x', price: 9.5, houseFee: 1, merchantFee: 0 }],
    recipient: { state: 'ready', tradeUrl: 'x', personaName: 'Anna' },
    balance: { currency: 'USD', before: 1, required: 8, after: 1, sufficient: false },
  }
  using one = environmentOf(server)
  server.script(success(preview), success(preview))
  assert.equal(await one.run(...buy), 3)
  const said = one.notes.join('\n')
  for (const key of ['PRICE_MISMATCH', 'INSUFFICIENT_BALANCE'] as const) {
    assert.ok(said.includes(`${key}: ${ERROR_MESSAGES[key]}`), said)
    assert.ok(said.includes(`${server.baseUrl}/docs/errors#${key}`), said)
  }
  assert.match(said, /It takes 8\.00, the wallet has 1\.00\./)
  assert.match(said, /It costs 9\.50, which is above 9\.00\./)
  assert.match(said, /^wallet +1\.00 USD$/m)
  one.clear()
  assert.equal(await one.run(...buy, '--json'), 3)
  const { error } = JSON.parse(one.out.join('')) as Failure
  assert.equal(error.key, 'PRICE_MISMATCH')
  assert.ok(error.hints?.some((hint) => hint.startsWith('INSUFFICIENT_BALANCE: ')))

  using partner = environmentOf(server, { TRADEPOST_INTERFACE: 'partner' })
  server.script(success({ items: [{ id: '123', error: 'LISTING_NOT_FOUND' }] }))
  const to = ['--item', 'a'.repeat(16), '--market', 'market_a', '--trade-url', 'https://t']
  assert.equal(await partner.run(...buy, ...to), 3)
  const words = `LISTING_NOT_FOUND: ${ERROR_MESSAGES.LISTING_NOT_FOUND}`
  assert.ok(partner.notes.join('\n').includes(words), partner.notes.join('\n'))
})

it('a failed trade says why in a sentence, and names a code that is newer than the program', async () => {
  for (const [error, said] of [
    ['OFFER_NOT_ACCEPTED', TRADE_FAILURES.OFFER_NOT_ACCEPTED],
    ['NEWER_CODE', 'NEWER_CODE'],
  ] as const) {
    await using server = await startScripted()
    using one = environmentOf(server)
    const trade = aTrade('01900000-0000-7000-8000-000000000001', 'i')
    const entry = {
      ...{ at: '2026-11-21T09:30:00.000Z', kind: 'item', what: 'moved', status: 'declined', error },
      ...{ itemId: 'i', amount: null, offerId: null, attempt: null },
    }
    answer(server, [
      ['/timeline', success({ entries: [entry], currency: 'USD' })],
      [
        `/merchant/trades/${trade.id}`,
        success({ ...trade, error, items: trade.items.map((item) => ({ ...item, error })) }),
      ],
      ['/merchant?', success({ id: 'm' })],
    ])
    assert.equal(await one.run('trades', 'show', trade.id), 0, one.notes.join('\n'))
    const places = one.out.join('\n').split(said).length - 1
    assert.equal(places, 3, one.out.join('\n'))
    assert.equal(one.out.join('\n').includes('OFFER_NOT_ACCEPTED'), false)
  }
})

it('an unknown command suggests the nearest by its letters, or none', async () => {
  const names = ['orders', 'trades', 'help', 'listen', 'listings', 'search', 'buy', 'show']
  const meant = { order: 'orders', serach: 'search', lisen: 'listen', shw: 'show', by: 'buy' }
  for (const [typed, name] of Object.entries(meant)) assert.equal(nearest(typed, names), name)
  for (const typed of ['users', 'sell', 'balance', 'x', 'get']) {
    assert.equal(nearest(typed, names), null, typed)
  }
  for (const [args, hint] of [
    [['serach'], 'Did you mean search?'],
    [['trades', 'shw'], 'Did you mean show?'],
    [['whoami', '--jsno'], 'Did you mean --json?'],
    [['users'], null],
  ] as const) {
    using one = testEnvironment()
    assert.equal(await one.run(...args), 2)
    assert.equal(/Did you mean .*/.exec(one.notes.join('\n'))?.[0] ?? null, hint, args.join(' '))
  }
})

it('a trade is shown by its item, offer, event or external id, and another id by what it is', async () => {
  const MADE = '019b2c3d-4e5f-7a6b-8c7d-9e0f1a2b3c4d'
  const trade = aTrade('01900000-0000-7000-8000-000000000001', MADE)
  const event = { id: 'e', type: 'trade.hold', createdAt: '', data: { trade } }
  const deposit = { id: 'd-1', status: 'completed', currency: 'USD', creditedAmount: 1 }
  const ofDeposit = { id: 'e', type: 'deposit.completed', createdAt: '', data: { deposit } }
  const none = refusal(404, 'NOT_FOUND')
  const listed = success({ trades: [trade], nextCursor: null })
  const routes: Record<string, readonly (readonly [string, Reply])[]> = {
    'my-1': [['externalId=', listed]],
    '6789012345': [['offerId=', listed]],
    '01900000-0000-7000-8000-0000000000ee': [
      ['/merchant/events/', success(event)],
      [`/merchant/trades/${trade.id}`, success(trade)],
    ],
    [MADE]: [['from=', listed]],
  }
  await using server = await startScripted()
  const look = async (id: string, answers: readonly (readonly [string, Reply])[]) => {
    using one = environmentOf(server)
    answer(server, [...answers, ['/timeline', none], ['/merchant?', success({ id: 'm' })]])
    const code = await one.run('trades', 'show', id)
    return { code, said: [...one.out, ...one.notes].join('\n') }
  }
  for (const [id, answers] of Object.entries(routes)) {
    const { code, said } = await look(id, answers)
    assert.equal(code, 0, `${id}: ${said}`)
    assert.match(said, new RegExp(`^trade +${trade.id}`), id)
  }
  const uuid = '01900000-0000-7000-8000-0000000000ff'
  for (const [id, path, data, what] of [
    [uuid, '/merchant/events/', ofDeposit, /event of a deposit: tradepost deposits show d-1/],
    [uuid, '/payout/crypto/', { id: uuid }, /withdrawal: tradepost payouts status/],
    [uuid, '/user/wallet/', { id: uuid }, /deposit: tradepost deposits show/],
    [uuid, '/merchant/users/', { id: uuid }, /sub-user: tradepost trades list --user/],
    ['9f86d081884c7d65', '/market/items/', { id: '1' }, /catalogue: tradepost listings 9f86/],
    ['4700012345', '/market/listings/', { id: '1' }, /a listing that is for sale/],
    [uuid, 'nowhere', {}, /found by the operator: ops trade <id>/],
  ] as const) {
    const { code, said } = await look(id, [[path, success(data)]])
    assert.equal(code, 3, said)
    assert.match(said, what)
  }
})

it('a payout is triggered only where a callback could approve it: nothing is moved before', async () => {
  await using sandbox = await startScripted()
  await using server = await startScripted()
  using one = environmentOf(server, { TRADEPOST_SANDBOX_URL: sandbox.baseUrl })
  sandbox.script((response) => void response.end('{"markets":[]}'))
  server.script(
    success({ items: [], nextCursor: null }),
    refusal(409, 'CRYPTO_PAYOUT_NO_CALLBACK_URL'),
  )
  assert.equal(await one.run('trigger', 'payout.crypto.withdraw.confirmed'), 1)
  assert.match(one.notes.join('\n'), /no callback that could approve it\. Nothing was moved\./)
  assert.deepEqual(
    sandbox.requests.map(({ url }) => url),
    ['/control/state'],
  )
})

it('text of others cannot steer the terminal: what is invisible is shown as an escape', async () => {
  const evil = '\u202Eabc\u001b[2J\u2066'
  await using server = await startScripted()
  using one = environmentOf(server)
  const listing = { id: '1', price: 1, marketHashName: evil, stickers: [{ name: evil }] }
  const page = { total: 1, page: 1, limit: 20, totalPages: 1 }
  const trade = { ...aTrade('t', 'i', evil), externalId: evil }
  const event = { id: 'e', type: 'trade.hold', createdAt: '2026-11-21T09:30:00.000Z' }
  const events = { items: [{ ...event, data: { trade } }], nextCursor: null }
  for (const [reply, ...args] of [
    [success({ items: [listing], ...page }), 'search', 'x'],
    [success({ items: [listing], ...page }), 'listings', 'x'],
    [success({ trades: [trade] }), 'trades', 'list'],
    [success(events), 'events', 'list'],
    [refusal(404, evil), 'events', 'show', 'x'],
    [success({ items: [listing], ...page }), 'search', 'x', '--json'],
  ] as const) {
    one.clear()
    server.script(reply)
    await one.run(...args)
    const said = [...one.out, ...one.notes].join('')
    assert.ok(said.includes('\\u202eabc\\u001b[2J'), said)
    assert.doesNotMatch(said, /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u)
  }
})

const aTrade = (id: string, itemId: string, name = 'x') => ({
  ...{ id, type: 'buy', status: 'hold', userId: 'm', currency: 'USD', totalPrice: 1 },
  ...{ createdAt: '2026-11-21T09:30:00.000Z', updatedAt: '2026-11-21T09:30:00.000Z' },
  summary: { total: 1, delivered: 0, failed: 0 },
  items: [{ id: itemId, status: 'hold', price: 1, marketHashName: name }],
})

type Reply = Parameters<ScriptedServer['script']>[0]

/** Answers each request by the first part of its address that fits; lists are empty, other things unknown. */
function answer(server: ScriptedServer, known: readonly (readonly [string, Reply])[]): void {
  const reply =
    (nth: number): Reply =>
    (response) => {
      const { url } = server.requests[nth] as ReceivedRequest
      const found = known.find(([part]) => `${url}?`.includes(part))?.[1]
      const isList = url.startsWith('/merchant/trades?')
      const otherwise = isList
        ? success({ trades: [], nextCursor: null })
        : refusal(404, 'NOT_FOUND')
      ;(found ?? otherwise)(response)
    }
  const first = server.requests.length
  server.clear()
  server.script(...Array.from({ length: 20 }, (_, i) => reply(first + i)))
}
