// Withdrawals as a merchant makes them: the SDK asks, its helper decides, the signer program signs, a real
// chain of the sandbox pays, and the events come.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, it } from 'node:test'
import { NETWORKS } from '../../apps/sandbox/src/chains/networks.ts'
import { sql } from '../../apps/server/src/infra/database/db.ts'
import { testDatabase } from '../../apps/server/src/infra/testing/database.ts'
import { baseUnits } from '../../apps/server/src/kernel/chain.ts'
import { newId } from '../../apps/server/src/kernel/id.ts'
import { post } from '../../apps/server/src/modules/money/custody/index.ts'
import {
  type CreatePayoutBatchBody,
  isExpectedWithdrawal,
  Tradepost,
  TradepostError,
  type WithdrawalRecord,
} from '../../packages/sdk/src/index.ts'
import { TradepostPartner } from '../../packages/sdk/src/partner/index.ts'
import { nodeWebhook } from '../../packages/sdk/src/webhooks/node.ts'
import { signerProgram } from '../support/signer.ts'
import { type Stack, startStack } from '../support/stack.ts'
import { until } from '../support/until.ts'

const DESTINATION = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const REQUEST = {
  chain: 'ethereum',
  token: 'USDC',
  destination: DESTINATION,
  amountCents: 2500,
} as const

/** What the signer program allows, beside the limits of the service. */
const NO_MORE = { maxPerTransaction: `${10n ** 18n}`, maxPerDay: `${10n ** 20n}` }
const { chainId, tokens } = NETWORKS.ethereum
const usdc = tokens.find(({ symbol }) => symbol === 'USDC')
const POLICY = {
  chains: {
    ethereum: {
      ...{ chainId, treasury: DESTINATION, fees: NO_MORE, gasFunding: NO_MORE, native: NO_MORE },
      tokens: { USDC: { address: usdc?.address, ...NO_MORE } },
    },
  },
}
const SEED = 'legal winner thank year wave sausage worth useful legal winner thank yellow'
const signer = signerProgram()

let stack: Stack
let tradepost: Tradepost
/** What the merchant has stored about its own requests. */
const stored = new Map<string, { destination: string; amountCents: number }>()
const asked: WithdrawalRecord[] = []
const troubles: unknown[] = []

const callback = createServer((request, response) => {
  const handle = nodeWebhook({
    secret: stack.demo.merchant.webhookSecret,
    onEvent: () => {},
    onApproval: (withdrawal) => {
      asked.push(withdrawal)
      const expected = stored.get(withdrawal.externalId)
      return isExpectedWithdrawal(withdrawal, expected && { ...expected, forUserExternalId: null })
    },
    onError: (error) => void troubles.push(error),
  })
  void handle(request, response)
})

before(async () => {
  callback.listen(0, '127.0.0.1')
  await once(callback, 'listening')
  const { port } = callback.address() as AddressInfo
  signer.write({ seed: SEED, policy: POLICY })
  await signer.start()
  stack = await startStack(await testDatabase({ poolSize: 2 }), {
    SIGNER_SOCKET: signer.socketPath,
    DEPOSIT_XPUB: await signer.depositXpub(),
    SANDBOX_CHAINS: 'ethereum',
    PAYOUT_CALLBACK_URL: `http://127.0.0.1:${port}/approve`,
    PAYOUT_LIMIT_TRANSACTION_DOLLARS: '100',
  })
  tradepost = new Tradepost({ baseUrl: stack.demo.baseUrl, apiKey: stack.demo.merchant.apiKey })
  await fund(1_000_000_000n)
})
after(async () => {
  callback.close()
  callback.closeAllConnections()
  await stack.close()
  await signer.close()
  assert.deepEqual(troubles, [])
})

const MERCHANT = sql('test_merchant', "select id from identity.account where kind = 'merchant'")

/** As a deposit into custody is booked. */
async function fund(units: bigint): Promise<void> {
  const { db } = stack.database
  const [merchant] = await db.query<{ id: string }>(MERCHANT)
  assert.ok(merchant)
  const posting = {
    ...{ key: `transfer:${newId()}`, reason: 'deposit', refId: null },
    ...{ chain: 'ethereum', token: 'USDC', units: baseUnits(units) },
    debit: 'deposit_address',
    credit: { role: 'merchant', ownerId: merchant.id },
  } as const
  await db.transaction((tx) => post(tx, [posting], new Date()))
}

const ended = (id: string) =>
  until('it ends', async () => {
    const now = await tradepost.payouts.get(id)
    return now.status === 'confirmed' || now.status === 'refunded' ? now : null
  })

async function collected<Row>(rows: AsyncIterable<Row>): Promise<Row[]> {
  const found: Row[] = []
  for await (const row of rows) found.push(row)
  return found
}

const NONCE = sql(
  'test.nonce',
  `select t.nonce from outbound.attempt a join outbound.transaction t on t.id = a.transaction_id where a.hash = $1`,
)

it('a withdrawal that the merchant knows is approved, paid and confirmed', async () => {
  const externalId = newId()
  stored.set(externalId, REQUEST)
  const created = await tradepost.payouts.withdraw({ externalId, ...REQUEST })
  assert.deepEqual(
    [created.status, created.amountWei, created.destination, created.txHash],
    ['pending_callback', '25000000', DESTINATION, null],
  )
  assert.deepEqual(await tradepost.payouts.withdraw({ externalId, ...REQUEST }), created)
  const end = await ended(created.id)
  assert.equal(end.status, 'confirmed', end.failureReason ?? '')
  assert.match(end.txHash ?? '', /^0x[0-9a-f]{64}$/)
  assert.ok(end.broadcastAt !== null && end.confirmedAt !== null)
  const seen = await until('its last webhook', () => {
    const types = stack.webhooks.of(created.id).map(({ type }) => type)
    return types.includes('payout.crypto.withdraw.confirmed') ? types : null
  })
  assert.deepEqual(seen, ['payout.crypto.withdraw.broadcast', 'payout.crypto.withdraw.confirmed'])
  const [broadcast] = stack.webhooks.of(created.id)
  const [{ nonce }] = (await stack.database.db.query(NONCE, [end.txHash])) as [{ nonce: bigint }]
  assert.equal(broadcast?.data.nonce, Number(nonce), 'the broadcast says the nonce of its payment')
  const inFeed = await tradepost.events.get(broadcast?.id ?? '')
  assert.ok(inFeed.type === 'payout.crypto.withdraw.broadcast')
  assert.equal(inFeed.data.nonce, Number(nonce))
  assert.deepEqual(
    asked.map(({ status }) => status),
    ['pending_callback'],
  )
})

it('one that it does not know is refunded at once', async () => {
  const before = await tradepost.payouts.balances()
  const { id } = await tradepost.payouts.withdraw({ externalId: newId(), ...REQUEST })
  const end = await ended(id)
  assert.deepEqual([end.status, end.failureReason], ['refunded', 'approval_rejected'])
  assert.deepEqual(await tradepost.payouts.balances(), before)
})

it('a batch is refused whole with its index, or accepted whole, and each of it goes its own way', async () => {
  const withdrawals = [1, 2, 3].map((number) => ({
    externalId: newId(),
    ...REQUEST,
    amountCents: 100 * number,
  }))
  const batch = (lines: readonly object[], externalId = newId()) =>
    tradepost.payouts.withdrawBatch({ externalId, withdrawals: lines } as CreatePayoutBatchBody)
  const [first, second, third] = withdrawals
  const bad: [lines: readonly object[], key: string, index: number | undefined][] = [
    [[], 'VALIDATION_FAILED', undefined],
    [Array.from({ length: 501 }, () => first ?? {}), 'VALIDATION_FAILED', undefined],
    [[first ?? {}, { ...second, amountCents: '1' }], 'VALIDATION_FAILED', 1],
    [[first ?? {}, { ...second, note: 'x' }, {}], 'VALIDATION_FAILED', 1],
    [
      [first ?? {}, second ?? {}, { ...third, externalId: first?.externalId }],
      'VALIDATION_FAILED',
      2,
    ],
    [[first ?? {}, { ...second, amountCents: 5_000_000 }], 'CRYPTO_PAYOUT_INSUFFICIENT_BALANCE', 1],
    [[{ ...first, destination: '0x1' }], 'CRYPTO_PAYOUT_DESTINATION_INVALID', 0],
  ]
  const before = await tradepost.payouts.balances()
  for (const [lines, key, index] of bad) {
    await assert.rejects(batch(lines), (error) => {
      assert.ok(error instanceof TradepostError)
      assert.deepEqual([error.key, (error.meta as { index?: number }).index], [key, index])
      return true
    })
  }
  assert.deepEqual(await tradepost.payouts.balances(), before)
  // The second of them is not known to the merchant.
  for (const { externalId, ...wanted } of withdrawals.toSpliced(1, 1))
    stored.set(externalId, wanted)
  const externalId = newId()
  const created = await batch(withdrawals, externalId)
  assert.deepEqual([created.total, created.byStatus], [3, { pending_callback: 3 }])
  const ended = await until('all of it have ended', async () => {
    const { byStatus } = await tradepost.payouts.batch(created.id)
    const { confirmed = 0, refunded = 0 } = byStatus
    return confirmed + refunded === 3 ? byStatus : null
  })
  assert.deepEqual(ended, { confirmed: 2, refunded: 1 })
  assert.deepEqual(await batch(withdrawals, externalId), created, 'a replay')
  await assert.rejects(
    tradepost.payouts.batch(newId()),
    (error) => error instanceof TradepostError && error.key === 'CRYPTO_PAYOUT_NOT_FOUND',
  )
})

it('a quote is what the withdrawal gets', async () => {
  const asked = { chain: REQUEST.chain, token: REQUEST.token, amountCents: 1_999 }
  const quote = await tradepost.payouts.quote(asked)
  assert.ok(quote.validForSeconds > 0)
  const created = await tradepost.payouts.withdraw({ externalId: newId(), ...REQUEST, ...asked })
  assert.deepEqual([created.amountWei, created.feeCents], [quote.amountWei, quote.feeCents])
  assert.equal((await ended(created.id)).failureReason, 'approval_rejected')
})

it('one above the limit waits for the operator', async () => {
  const externalId = newId()
  const request = { ...REQUEST, amountCents: 10_001 }
  stored.set(externalId, request)
  const { id } = await tradepost.payouts.withdraw({ externalId, ...request })
  const listed = await until('it is held', async () => {
    const list = await stack.ops('payouts', 'list')
    return list.includes(id) ? list : null
  })
  assert.match(listed, /over_transaction_limit/)
  const shown = await stack.ops('payouts', 'show', id)
  assert.match(shown, /^100\.01 USD, \d+ base units of USDC on ethereum, to 0x/)
  assert.match(shown, /State: queued; it waits for you: over transaction limit/)
  assert.match(await stack.ops('payouts', 'release', id, '--reason', 'known'), /leaves now/)
  assert.equal((await ended(id)).status, 'confirmed')
  assert.match(await stack.ops('payouts', 'show', id), /Payment: confirmed, nonce \d+, 0x/)
  assert.match(await stack.ops('wallets', 'list'), /ethereum +hot +0x[0-9a-fA-F]{40} +\d+ +open/)
})

it('balances, lists and the address of custody are read', async () => {
  const { balances, totalCents } = await tradepost.payouts.balances()
  const [usdc] = balances
  assert.equal(balances.length, 1)
  assert.equal(usdc?.amountCents, totalCents)
  const mine = await collected(tradepost.payouts.list({ limit: 2 }))
  assert.ok(mine.length >= 3)
  assert.ok(mine.every(({ token }) => token === 'USDC'))
  const one = await tradepost.payouts.address()
  assert.match(one.address, /^0x[0-9a-fA-F]{40}$/)
  assert.deepEqual(one.chains, ['ethereum'])
  assert.deepEqual(await tradepost.payouts.address(), one)
})

it('tokens that arrive at the address of custody are credited in kind, with their event', async () => {
  const before = (await tradepost.payouts.balances()).totalCents
  await tradepost.users.create({ externalId: 'dora' })
  const { address } = await tradepost.payouts.address({ forUser: 'dora' })
  const faucet = await fetch(`${stack.demo.sandboxUrl}/control/chains/ethereum/faucet`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ address, token: 'USDC', amount: '50' }),
  })
  assert.equal(faucet.status, 200)
  const deposit = await until('the deposit is completed', async () => {
    const [newest] = await collected(tradepost.payouts.deposits({ forUser: 'dora' }))
    return newest?.status === 'completed' ? newest : null
  })
  assert.deepEqual(
    [deposit.receivedAmountToken, deposit.userExternalId, deposit.address],
    ['50', 'dora', address],
  )
  assert.equal((await tradepost.payouts.balances()).totalCents, before + 5000)
  assert.equal((await tradepost.payouts.balances({ forUser: 'dora' })).totalCents, 5000)
  const event = await until('its webhook', () => stack.webhooks.of(deposit.id)[0])
  assert.equal(event.type, 'payout.crypto.deposit.completed')
})

it('what cannot be withdrawn is refused with its key', async () => {
  const keyOf = async (change: object): Promise<string> => {
    const refused = tradepost.payouts.withdraw({ externalId: newId(), ...REQUEST, ...change })
    return refused.then(
      () => 'accepted',
      (error: unknown) => (error instanceof TradepostError ? error.key : String(error)),
    )
  }
  const own = await Promise.all([
    tradepost.payouts.address(),
    tradepost.payouts.address({ forUser: 'dora' }),
  ])
  assert.deepEqual(
    await Promise.all(
      [...own.map(({ address }) => address), usdc?.address].map((destination) =>
        keyOf({ destination }),
      ),
    ),
    Array(3).fill('CRYPTO_PAYOUT_DESTINATION_INVALID'),
  )
  assert.deepEqual(
    await Promise.all([
      keyOf({ chain: 'base' }),
      keyOf({ token: 'DAI' }),
      keyOf({ amountCents: 99 }),
      keyOf({ amountCents: 5_000_000 }),
      keyOf({ destination: `0x${'0'.repeat(40)}` }),
      keyOf({ forUser: 'unknown-user' }),
    ]),
    [
      'CRYPTO_PAYOUT_CHAIN_UNSUPPORTED',
      'VALIDATION_FAILED',
      'CRYPTO_PAYOUT_AMOUNT_OUT_OF_RANGE',
      'CRYPTO_PAYOUT_INSUFFICIENT_BALANCE',
      'CRYPTO_PAYOUT_DESTINATION_INVALID',
      'USER_NOT_FOUND',
    ],
  )
  await assert.rejects(
    tradepost.payouts.withdraw({ externalId: newId(), ...REQUEST, amountCents: 5_000_000 }),
    (error) =>
      error instanceof TradepostError &&
      error.key === 'CRYPTO_PAYOUT_INSUFFICIENT_BALANCE' &&
      error.meta.chain === REQUEST.chain &&
      error.meta.requiredCents > 5_000_000,
  )
  await assert.rejects(
    tradepost.payouts.get(newId()),
    (error) => error instanceof TradepostError && error.key === 'CRYPTO_PAYOUT_NOT_FOUND',
  )
})

it('a child of a partner withdraws from its wallet, without a callback', async () => {
  const child = new TradepostPartner({
    baseUrl: stack.demo.baseUrl,
    apiKey: stack.demo.partner.childApiKey,
  })
  const start = (await child.account.profile()).balance
  const [fee] = await child.wallet.withdrawFees('USDC')
  assert.deepEqual([fee?.name, (fee?.fee ?? 0) > 0], ['ethereum', true])
  const body = { token: 'USDC', network: 'ethereum', address: DESTINATION, amount: 20 } as const
  const idempotencyKey = newId()
  const placed = await child.wallet.withdraw(body, { idempotencyKey })
  assert.ok(placed.status === 'pending')
  const { network, site, total } = placed.fee
  assert.deepEqual([site, total], [0.1, Number((network + 0.1).toFixed(2))])
  assert.equal(placed.receiveAmount, Number((20 - total).toFixed(2)))
  assert.equal((await child.account.profile()).balance, start - 20)
  assert.deepEqual(await child.wallet.withdraw(body, { idempotencyKey }), placed)
  await assert.rejects(
    child.wallet.withdraw({ ...body, amount: 21 }, { idempotencyKey }),
    (error) => error instanceof TradepostError && error.key === 'IDEMPOTENCY_CONFLICT',
  )
  const listed = async (status?: 'completed' | 'processing') =>
    (await child.wallet.read({ status })).withdrawals
  assert.deepEqual(await listed('processing'), [])
  const [done] = await until('it is paid', async () => {
    const rows = await listed('completed')
    return rows.length > 0 ? rows : null
  })
  assert.deepEqual([done?.id, done?.amount, done?.method], [placed.id, 20, 'crypto'])
  const [row] = (await child.account.ledger({ type: 'withdrawal' })).items
  assert.deepEqual([row?.type, row?.direction, row?.amount], ['withdrawal', 'debit', 20])
  assert.deepEqual(await child.wallet.withdraw(body, { idempotencyKey }), placed, 'a late replay')
})
