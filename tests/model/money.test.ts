// Money in and out at random: deposits of users and into payout custody, withdrawals, sweeps and refills,
// while blocks are replaced, processes end between any two steps and workers run twice. On a real node, with
// the real modules. Afterwards the invariants I1 to I7 hold.
// MONEY_MODEL_RUNS and MONEY_MODEL_STEPS make it longer, MONEY_MODEL_SEED another history.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { keccak256 } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { sql, violatedConstraint } from '../../apps/server/src/infra/db.ts'
import { testDatabase } from '../../apps/server/src/infra/testing/database.ts'
import { baseUnits } from '../../apps/server/src/kernel/chain.ts'
import { newId } from '../../apps/server/src/kernel/id.ts'
import { cents } from '../../apps/server/src/kernel/money.ts'
import { createAddressFor } from '../../apps/server/src/modules/chains/address.ts'
import {
  confirmTransfers,
  gasListener,
  registerWallet,
  sweepDeposits,
  sweepListener,
} from '../../apps/server/src/modules/chains/index.ts'
import { reconcileChain } from '../../apps/server/src/modules/chains/reconcile.ts'
import { scanChain } from '../../apps/server/src/modules/chains/scan.ts'
import {
  Crash,
  createSteps as scanSteps,
} from '../../apps/server/src/modules/chains/testing/crash.ts'
import {
  ACCOUNT_PATH,
  deriver,
  openWatch,
  WORDS,
} from '../../apps/server/src/modules/chains/testing/watch.ts'
import { post } from '../../apps/server/src/modules/custody/index.ts'
import { aMerchant, aSubUser } from '../../apps/server/src/modules/identity/testing/accounts.ts'
import {
  createSending,
  createTracking,
  type KeyRef,
  type Signer,
} from '../../apps/server/src/modules/outbound/index.ts'
import { payoutListener } from '../../apps/server/src/modules/payouts/index.ts'
import {
  Crash as SendCrash,
  createSteps as sendSteps,
} from '../../apps/server/src/modules/payouts/testing/crash.ts'
import {
  newDestination,
  payoutEnvironment,
} from '../../apps/server/src/modules/payouts/testing/environment.ts'
import { SINKS } from '../../apps/server/src/workers/chain-sinks.ts'
import { diceOf } from '../faults/killer.ts'
import { readCanonical } from '../support/chains/canonical.ts'
import {
  type AskedFor,
  creditedOnce,
  cursorsCanonical,
  eventsOnce,
  noncesContiguous,
  withdrawalsEnded,
} from '../support/chains/invariants.ts'

const SEED = Number(process.env.MONEY_MODEL_SEED ?? Math.floor(Math.random() * 1_000_000))
const RUNS = Number(process.env.MONEY_MODEL_RUNS ?? 2)
const STEPS = Number(process.env.MONEY_MODEL_STEPS ?? 70)
const CONFIRMATIONS = 3
const HOUR_MS = 3_600_000
const TOKENS = ['USDT', 'USDC', 'NATIVE'] as const

const database = await testDatabase()
const { db } = database
const environment = await payoutEnvironment({ database, isDirect: true })
const { chain, clock } = environment
const watch = await openWatch({ db, sinks: SINKS, node: chain, clock })
const never = new AbortController().signal

// The wallets of the environment, and deposit addresses of an account that the node does not use itself.
const keyOf = (key: KeyRef) => {
  const path = key.startsWith('deposit/')
    ? (`${ACCOUNT_PATH}/0/${key.slice('deposit/'.length)}` as const)
    : key === 'hot'
      ? "m/44'/60'/1'/0/0"
      : "m/44'/60'/2'/0/0"
  return mnemonicToAccount(WORDS, { path: path as `m/44'/60'/${string}` })
}
const signer: Signer = {
  address: async (key) => keyOf(key).address,
  sign: async ({ key, transaction }) => {
    const raw = await keyOf(key).signTransaction({ type: 'eip1559', ...transaction })
    return { kind: 'signed', from: keyOf(key).address, raw, hash: keccak256(raw) }
  },
}

const contractOf = (token: string) =>
  chain.network.tokens.find(({ symbol }) => symbol === token)?.address ?? null

/** What the wallets have before anything is scanned is in the books as capital. */
async function openBooks(): Promise<void> {
  await chain.setBalance(keyOf('gas').address, 10n ** 20n)
  for (const [purpose, key] of [
    ['hot_wallet', 'hot'],
    ['gas_station', 'gas'],
  ] as const) {
    const { address } = keyOf(key)
    await registerWallet(db, { purpose, address }, clock.now())
    for (const token of TOKENS) {
      const held = await environment.node.balanceOf(address, contractOf(token))
      if (held === 0n) continue
      const posting = {
        ...{ key: `opening:${key}:${token}`, reason: 'opening', refId: null },
        ...{ chain: 'ethereum', token, debit: purpose, units: baseUnits(held) },
        credit: 'capital',
      } as const
      await db.transaction((tx) => post(tx, [posting], clock.now()))
    }
  }
}

await openBooks()
await chain.mine(1)
await watch.scan()
const firstBlock = Number(await chain.head()) + 1
const addressFor = createAddressFor({ deriver, clock })
const addressOf = (ownerId: string, purpose: 'deposit' | 'payout_custody') =>
  db.transaction((tx) => addressFor(tx, { ownerId, purpose }))
const users = await Promise.all([1, 2, 3].map(() => aSubUser(db, environment.merchantId)))
const addresses = await Promise.all(users.map(({ id }) => addressOf(id, 'deposit')))
const custody = await addressOf(environment.merchantId, 'payout_custody')
const asked: AskedFor[] = []

after(() => environment.close())

/** Work that may end between any two of its steps; what was committed and sent stays. */
async function mayCrash(work: Promise<unknown>): Promise<void> {
  try {
    await work
  } catch (error) {
    if (!(error instanceof Crash || error instanceof SendCrash)) throw error
  }
}

/** Of two runs that write the same signature at once, one fails and does it again later. */
async function mayLose(work: Promise<unknown>): Promise<void> {
  try {
    await work
  } catch (error) {
    if (!/^attempt_/.test(violatedConstraint(error) ?? '')) throw error
  }
}

const outbound = (crashAt: number) => ({
  ...sendSteps({ db, node: environment.node, signer }, crashAt),
  ...{ clock, chain: 'ethereum', holdMs: 1_000, mostFeePerGas: 10n ** 12n },
  listeners: { payout: payoutListener, sweep: sweepListener, gas: gasListener },
  onAlarm: (alarm: string, facts: object) =>
    assert.fail(
      `${alarm} ${JSON.stringify(facts, (_, v) => (typeof v === 'bigint' ? `${v}` : v))}`,
    ),
})
const send = (crashAt = 0) => createSending(outbound(crashAt))(never)
const track = (crashAt = 0) =>
  createTracking({ ...outbound(crashAt), stuckAfterMs: 180_000, resendAfterMs: 15_000 })(never)
const sweep = () =>
  sweepDeposits(
    {
      ...{ db, clock, chain: 'ethereum', node: environment.node, readPrice: watch.readPrice },
      target: { address: environment.hot, role: 'hot_wallet' },
    },
    never,
  )
async function scan(crashAt: number): Promise<void> {
  const { clock: time, rules, scanDeps } = watch
  const steps = scanSteps({ db, node: watch.node }, crashAt)
  await scanChain({ ...scanDeps, ...steps, clock: time, rules }, never)
}
async function confirm(crashAt: number): Promise<void> {
  const { rules, readPrice } = watch
  const steps = scanSteps({ db, node: watch.node }, crashAt)
  const deps = { ...steps, clock, rules, sinks: SINKS, treasury: null, readPrice }
  await confirmTransfers(deps, never)
}

async function withdraw(token: string): Promise<void> {
  const externalId = newId()
  const destination = newDestination()
  const amountCents = cents(BigInt(500 + (asked.length % 7) * 300))
  const { id } = await environment.submit({ externalId, destination, token, amountCents })
  asked.push({ externalId, destination, id, isRejected: false })
}

/** Fewer blocks than count as final; of their transactions the first few come back, perhaps none. */
async function reorganise(below: (most: number) => number): Promise<void> {
  const depth = 1 + below(CONFIRMATIONS - 1)
  const head = await chain.head()
  const lost: `0x${string}`[] = []
  for (let number = head - BigInt(depth) + 1n; number <= head; number++) {
    const block = await chain.rpc<{ transactions: `0x${string}`[] }>('eth_getBlockByNumber', [
      `0x${number.toString(16)}`,
      false,
    ])
    lost.push(...block.transactions)
  }
  const kept = await Promise.all(
    lost.slice(0, below(lost.length + 1)).map((hash) => chain.raw(hash)),
  )
  const offset = below(depth)
  await chain.rpc('anvil_dropAllTransactions')
  await chain.reorg(
    depth,
    kept.map((raw) => [raw, offset] as const),
  )
}

async function step(below: (most: number) => number): Promise<void> {
  const token = TOKENS[below(TOKENS.length)] ?? 'USDT'
  const units = token === 'NATIVE' ? 10n ** 16n : 20_000_000n
  const amount = units + BigInt(below(1_000_000)) * (units / 1_000_000n)
  const to = addresses[below(addresses.length)] ?? custody
  const actions: readonly (() => Promise<unknown>)[] = [
    () => chain.pay(to, token, amount),
    () => chain.pay(custody, token, amount),
    () => chain.pay(environment.hot, token, amount),
    () => withdraw(token),
    () => withdraw(token),
    () => environment.approve(),
    () => mayCrash(send(1 + below(60))),
    () => Promise.all([mayLose(send()), mayLose(send())]),
    () => mayCrash(track(1 + below(60))),
    () => track(),
    () => chain.mine(1 + below(2)),
    () => chain.mine(1),
    () => reorganise(below),
    () => mayCrash(scan(1 + below(40))),
    () => Promise.all([watch.scan(), watch.scan()]),
    () => mayCrash(confirm(1 + below(40))),
    () => Promise.all([confirm(0), confirm(0)]),
    () => sweep(),
    async () => clock.advance(below(30_000)),
  ]
  await actions[below(actions.length)]?.()
}

const COUNT_OPEN = sql(
  'test_money_open',
  `select (select count(*) from chains.transfer where state = 'pending' and orphaned_at is null)
     + (select count(*) from payouts.withdrawal where status not in ('confirmed', 'refunded'))
     + (select count(*) from outbound.transaction where finished_at is null)
     + (select count(*) from chains.sweep where ended_at is null) as open`,
)

async function settle(): Promise<void> {
  for (let round = 0; round < 60; round++) {
    clock.advance(20_000)
    await environment.approve()
    await send()
    await chain.mine(CONFIRMATIONS)
    await watch.scan()
    await track()
    await confirm(0)
    const [row] = await db.query<{ open: bigint }>(COUNT_OPEN)
    if (row?.open === 0n) return
  }
  assert.fail('something is still under way')
}

const AUDITS = sql(
  'test_money_audits',
  `select invariant, detail from ledger.audit() union all select invariant, detail from deposits.audit()
   union all select invariant, detail from custody.audit() union all select invariant, detail from chains.audit()
   union all select invariant, detail from outbound.audit() union all select invariant, detail from payouts.audit()
   union all select invariant, detail from chains.audit_transfers()
   union all select invariant, detail from payouts.audit_withdrawals()
   union all select invariant, detail from payouts.audit_deposits()`,
)

async function checkAll(): Promise<void> {
  const views = new Map([
    ['ethereum', await readCanonical(chain.url, 'ethereum', firstBlock)] as const,
  ])
  await creditedOnce(db, views)
  await withdrawalsEnded(db, asked, views)
  await noncesContiguous(db, views)
  const compared = await reconcileChain({
    db,
    node: watch.node,
    broadcast: watch.broadcast,
    treasury: null,
  })
  assert.ok(compared.kind === 'compared', compared.kind)
  assert.deepEqual([compared.differences, compared.shortfalls], [[], []], 'I5')
  await cursorsCanonical(db, views)
  await eventsOnce(db)
  assert.deepEqual(await db.query(AUDITS), [])
}

await chain.pay(custody, 'USDT', 10n ** 12n)
await chain.pay(custody, 'USDC', 10n ** 12n)
await chain.pay(custody, 'NATIVE', 10n ** 21n)
await settle()

for (let run = 0; run < RUNS; run++) {
  test(`chains, books, wallets and withdrawals agree after money in and out at random (seed ${SEED + run})`, async () => {
    const throwDice = diceOf(SEED + run)
    for (let i = 0; i < STEPS; i++) await step((most) => Math.floor(throwDice() * most))
    await settle()
    clock.advance(2 * HOUR_MS)
    await watch.abandon()
    await settle()
    await checkAll()
  })
}

// A re-organisation that is deeper than what counts as final. After these the chain and the books differ by
// what was taken back, so they come last.

const WALLET = sql(
  'test_money_wallet',
  `select b.posted cents from ledger.account a join ledger.balance b on b.account_id = a.id
   where a.owner_id = $1 and a.kind = 'spot'`,
)
const DEPOSIT = sql(
  'test_money_deposit',
  `select status, reason, credited, reversed from deposits.deposit where account_id = $1 order by id desc limit 1`,
)
const CUSTODY = sql(
  'test_money_custody',
  `select custody.balance_of('merchant', $1, 'ethereum', 'USDC') units`,
)
const custodyOf = async (ownerId: string): Promise<bigint> =>
  BigInt((await db.query<{ units: string }>(CUSTODY, [ownerId]))[0]?.units ?? -1)

/** Takes every block since a height away, for good. */
async function loseSince(height: bigint): Promise<void> {
  const depth = Number((await chain.head()) - height)
  await chain.reorg(depth)
  await chain.mine(1)
  await watch.scan()
}

test('a deposit that was credited and left the chain for good is taken back from the wallet', async () => {
  const user = await aSubUser(db, environment.merchantId)
  const address = await addressOf(user.id, 'deposit')
  const height = await chain.head()
  await chain.pay(address, 'USDT', 30_000_000n)
  await settle()
  assert.deepEqual(await db.query(WALLET, [user.id]), [{ cents: 3000n }])
  await loseSince(height)
  assert.deepEqual(watch.incidents.splice(0), ['credited_orphaned'])
  // Most transactions come back: nothing is taken before two hours are over.
  clock.advance(2 * HOUR_MS - 60_000)
  assert.deepEqual(await watch.abandon(), [])
  clock.advance(60_000)
  assert.equal((await watch.abandon()).length, 1)
  assert.deepEqual(await db.query(WALLET, [user.id]), [{ cents: 0n }])
  assert.deepEqual(await db.query(DEPOSIT, [user.id]), [
    { status: 'failed', reason: 'chain_reorg', credited: 3000n, reversed: 3000n },
  ])
  assert.deepEqual(await db.query(AUDITS), [])
})

test('custody that left the chain and was paid out already is an alarm until its owner covers it', async () => {
  const merchant = await aMerchant(db)
  const address = await addressOf(merchant.id, 'payout_custody')
  const height = await chain.head()
  await chain.pay(address, 'USDC', 50_000_000n)
  await settle()
  assert.equal(await custodyOf(merchant.id), 50_000_000n)
  // A withdrawal takes most of it.
  const owner = (role: 'merchant' | 'in_flight') => ({ role, ownerId: merchant.id })
  const move = (key: string, debit: 'merchant' | 'in_flight', credit: 'merchant' | 'in_flight') =>
    db.transaction((tx) =>
      post(
        tx,
        [
          {
            ...{ key: `test:${key}`, reason: 'withdrawal', refId: null },
            ...{ chain: 'ethereum', token: 'USDC', units: baseUnits(40_000_000n) },
            ...{ debit: owner(debit), credit: owner(credit) },
          },
        ],
        clock.now(),
      ),
    )
  await move('out', 'merchant', 'in_flight')
  await loseSince(height)
  watch.incidents.splice(0)
  clock.advance(2 * HOUR_MS)
  assert.deepEqual(await watch.abandon(), [])
  assert.deepEqual(watch.incidents.splice(0), ['overdrawn'])
  assert.equal(await custodyOf(merchant.id), 10_000_000n)
  await move('back', 'in_flight', 'merchant')
  assert.equal((await watch.abandon()).length, 1)
  assert.equal(await custodyOf(merchant.id), 0n)
  assert.deepEqual(await db.query(AUDITS), [])
})
