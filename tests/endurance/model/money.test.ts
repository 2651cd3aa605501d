// Money in and out at random: deposits of users and into payout custody, withdrawals that are approved,
// rejected, refused, stuck, replaced with higher fees or reverted, sweeps and refills, while blocks are
// replaced, fees rise, the key of the hot wallet is used elsewhere, processes end between any two steps and
// workers run twice. On a real node, with the real modules. Afterwards the invariants I1 to I7 hold.
// MONEY_MODEL_RUNS and MONEY_MODEL_STEPS make it longer, MONEY_MODEL_SEED another history.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { sql } from '../../../apps/server/src/infra/database/db.ts'
import { testDatabase } from '../../../apps/server/src/infra/testing/database.ts'
import { baseUnits } from '../../../apps/server/src/kernel/chain.ts'
import {
  aMerchant,
  aSubUser,
} from '../../../apps/server/src/modules/accounts/identity/testing/accounts.ts'
import { post, readBalance } from '../../../apps/server/src/modules/money/custody/index.ts'
import { callData } from '../../support/chains/index.ts'
import { diceOf } from '../dice.ts'
import { type Below, createActions } from './money-actions.ts'
import { openMoney } from './money-environment.ts'

const SEED = Number(process.env.MONEY_MODEL_SEED ?? Math.floor(Math.random() * 1_000_000))
const RUNS = Number(process.env.MONEY_MODEL_RUNS ?? 2)
const STEPS = Number(process.env.MONEY_MODEL_STEPS ?? 70)
const HOUR_MS = 3_600_000

const money = await openMoney(await testDatabase())
const { db, environment, chain, clock, watch, custody, addressOf } = money
after(() => environment.close())
const { step, rare, pay } = await createActions(money)
const settle = (): Promise<void> => money.settle(pay)

await chain.pay(custody, 'USDT', 10n ** 12n)
await chain.pay(custody, 'USDC', 10n ** 12n)
await chain.pay(custody, 'NATIVE', 10n ** 21n)
await settle()

const ENDS = sql(
  'test_money_ends',
  `select state || case when mined_hash is null then ', by another transaction' else '' end
     || case when attempts > 1 then ', replaced' else '' end what, count(*)::int count
   from (select t.*, (select count(*) from outbound.attempt a where a.transaction_id = t.id) attempts
     from outbound.transaction t where t.state <> 'canceled') t group by 1
   union all select 'refunded: ' || failure_reason, count(*)::int from payouts.withdrawal where status = 'refunded' group by 1
   order by 1`,
)

for (let run = 0; run < RUNS; run++) {
  test(`chains, books, wallets and withdrawals agree after money in and out at random (seed ${SEED + run})`, async (t) => {
    const throwDice = diceOf(SEED + run)
    const below: Below = (most) => Math.floor(throwDice() * most)
    const rareAt = Map.groupBy(rare, () => below(STEPS))
    for (let i = 0; i < STEPS; i++) {
      await step(below)
      for (const act of rareAt.get(i) ?? []) await act(below)
    }
    await settle()
    clock.advance(2 * HOUR_MS)
    await watch.abandon()
    await settle()
    await money.checkAll()
    const ends = await db.query<{ what: string; count: number }>(ENDS)
    t.diagnostic(ends.map(({ what, count }) => `${what}: ${count}`).join('; '))
  })
}

const WALLET = sql(
  'test_money_wallet',
  `select b.posted cents from ledger.account a join ledger.balance b on b.account_id = a.id
   where a.owner_id = $1 and a.kind = 'spot'`,
)
const CUSTODY = sql(
  'test_money_custody',
  `select custody.balance_of('merchant', $1, 'ethereum', 'USDC') units`,
)
const custodyOf = async (ownerId: string): Promise<bigint> =>
  BigInt((await db.query<{ units: string }>(CUSTODY, [ownerId]))[0]?.units ?? -1)

const USDC = { chain: 'ethereum', token: 'USDC' } as const
const DEPOSITS = sql(
  'test_money_deposits',
  `select d.status::text, d.reason, d.credited, array_agg(e.type order by e.id) events
   from deposits.deposit d join outbox.event e on e.subject_id = d.id where d.account_id = $1
   group by d.id order by d.id`,
)
const CUSTODY_DEPOSITS = sql(
  'test_money_custody_deposits',
  'select token, status, reason from payouts.deposit where merchant_id = $1 order by id',
)
const BOOKED = sql(
  'test_money_booked',
  `select count(*)::int postings, coalesce(sum(units), 0) units from custody.posting where reason = 'deposit'`,
)
const DAI = '0x6b175474e89094c44da98b954eedeac495271d0f'

test('a token that is known and not taken is one failed deposit however often it comes, an unknown one none, and the books know neither', async () => {
  const merchant = await aMerchant(db)
  const user = await aSubUser(db, merchant.id)
  const spam = await chain.deploy('Token')
  const code = await chain.rpc<string>('eth_getCode', [spam, 'latest'])
  await chain.rpc('anvil_setCode', [DAI, code])
  const before = await db.query(BOOKED)
  for (const address of [
    await addressOf(user.id, 'deposit'),
    await addressOf(merchant.id, 'payout_custody'),
  ]) {
    const data = callData('Token', 'mint(address,uint256)', [address, 10n ** 20n])
    const tokens = [DAI, DAI, ...Array.from({ length: 50 }, () => spam)] as const
    for (const to of tokens) await chain.send({ to, data })
    await chain.mine(1)
    await chain.send({ to: DAI, data })
    await settle()
  }
  const events = ['initiated', 'pending', 'failed'].map((type) => `deposit.${type}`)
  assert.deepEqual(await db.query(DEPOSITS, [user.id]), [
    { status: 'failed', reason: 'unsupported_token', credited: 0n, events },
  ])
  assert.deepEqual(await db.query(CUSTODY_DEPOSITS, [merchant.id]), [
    { token: 'DAI', status: 'failed', reason: 'unsupported_token' },
  ])
  assert.deepEqual(await db.query(WALLET, [user.id]), [{ cents: 0n }])
  assert.deepEqual(await db.query(BOOKED), before)
  assert.deepEqual(await money.audits(), [])
})

test('small transfers fail one by one and are one credit in wallet, books and events; custody takes them as they are', async () => {
  const merchant = await aMerchant(db)
  const user = await aSubUser(db, merchant.id)
  const [address, own] = [
    await addressOf(user.id, 'deposit'),
    await addressOf(merchant.id, 'payout_custody'),
  ]
  const clearing = async () => readBalance(db, 'ledger_clearing', USDC)
  const before = await clearing()
  for (const units of [400_000n, 599_999n, 1n, 999_999n]) {
    await chain.pay(address, 'USDC', units)
    await chain.pay(own, 'USDC', units)
    await settle()
  }
  const types = (end: string) => ['initiated', 'pending', end].map((type) => `deposit.${type}`)
  const small = { status: 'failed', reason: 'below_minimum', credited: 0n, events: types('failed') }
  const whole = { status: 'completed', reason: null, credited: 100n, events: types('completed') }
  const found = await db.query<{ status: string }>(DEPOSITS, [user.id])
  const inOrder = found.toSorted((a, b) => a.status.localeCompare(b.status))
  assert.deepEqual(inOrder, [whole, small, small, small, small])
  assert.deepEqual(await db.query(WALLET, [user.id]), [{ cents: 100n }])
  // What was not credited is held all the same.
  assert.equal((await clearing()) - before, 1_999_999n)
  assert.equal(await custodyOf(merchant.id), 1_999_999n)
  assert.deepEqual(await money.audits(), [])
})

// A re-organisation that is deeper than what counts as final. After these the chain and the books differ by
// what was taken back, so they come last.

const DEPOSIT = sql(
  'test_money_deposit',
  `select status, reason, credited, reversed from deposits.deposit where account_id = $1 order by id desc limit 1`,
)
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
  assert.deepEqual(await money.audits(), [])
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
  assert.deepEqual(await money.audits(), [])
})
