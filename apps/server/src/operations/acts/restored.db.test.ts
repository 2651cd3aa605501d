import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { type Actor, listAudit } from '#audit'
import { insertLostOrders, type NewLostOrder, noteRestore } from '#buying'
import { sql } from '#infra/database/db'
import { type ManualClock, manualClock } from '#infra/testing/clock'
import { type TestDatabase, testDatabase } from '#infra/testing/database'
import { newId } from '#kernel/id'
import { Refusal } from '#kernel/refusal'
import { listUnmatchedPurchases } from '#reconciliation'
import { houseBalance } from '../../modules/trading/buying/testing/buyers.ts'
import { createReporter } from '../../modules/trading/reconciliation/report.ts'
import { approveLoss, planLosses, proposeLoss, resolveUnmatchedPurchases } from '../index.ts'

const WEEK_MS = 7 * 24 * 3_600_000

let database: TestDatabase
let clock: ManualClock
let restoreId: string
const ada: Actor = { kind: 'administrator', id: 'ada', request: {} }
const bert: Actor = { kind: 'administrator', id: 'bert', request: {} }

before(async () => {
  database = await testDatabase()
})
after(() => database.close())
beforeEach(async () => {
  clock = manualClock(new Date('2026-11-21T12:00:00.000Z'))
  await database.db.script(`delete from buying.lost_order; delete from buying.restore;
    delete from reconciliation.case_entry; delete from reconciliation.case_file`)
  const at = clock.now()
  restoreId = await noteRestore(database.db, { history: newId(), copyOf: at, at })
})

const deps = () => ({ db: database.db, clock })

async function givenLost(): Promise<NewLostOrder> {
  const itemId = newId()
  const order = {
    ...{ itemId, attempt: 1, customId: itemId, market: 'market_a', marketAccount: 'main' },
    ...{ tenantId: newId(), accountId: newId(), userExternalId: null, externalId: 'buy-1' },
    ...{ begunAt: clock.now(), tradeUrl: 'https://…', listingId: 7n, rawListingId: '7' },
    ...{ game: 'cs2', catalogItemId: 'aa', currency: 'USD', description: '{}' },
    ...{ sourcingMills: 10_000n, price: 1070n, houseFee: 50n, merchantFee: 20n },
  }
  await insertLostOrders(database.db, restoreId, [order])
  return order
}

const listed = (customId: string, paidMills: bigint, market = 'market_a'): Promise<void> =>
  createReporter({ ...deps(), source: 'statement', onOpened: () => {} })('orphan_purchase', {
    ...{ market, orderId: `at-market-${customId}`, customId, paidMills },
  })

const openUnmatched = async () =>
  (await listUnmatchedPurchases(database.db)).map(({ details }) => details.customId)
const propose = () => proposeLoss(deps(), ada, { restoreId, reason: 'no merchant asked' })

it('what no merchant asked for within a week is booked at what the markets charged, by two administrators', async () => {
  const { db } = database
  const order = await givenLost()
  await givenLost()
  await listed(order.customId, 9_995n)
  await listed('of another restore', 5_000n)
  clock.advance(WEEK_MS - 1)
  assert.equal((await propose()).kind, 'too_soon')
  clock.advance(1)
  assert.deepEqual(await propose(), { kind: 'proposed', orders: 1, amount: 1000n })
  await assert.rejects(
    approveLoss(deps(), ada, restoreId),
    (error) => error instanceof Refusal && error.key === 'FORBIDDEN',
  )
  const before = await houseBalance(db, 'supplier_prefund')
  const approved = await approveLoss(deps(), bert, restoreId)
  assert.deepEqual([approved.kind, 'amount' in approved && approved.amount], ['approved', 1000n])
  assert.equal((await houseBalance(db, 'supplier_prefund')) - before, 1000n)
  assert.equal(await houseBalance(db, 'lost_orders'), -1000n)
  assert.deepEqual(await openUnmatched(), ['of another restore'])
  assert.deepEqual((await planLosses(db)).orders, [])
  assert.equal((await approveLoss(deps(), bert, restoreId)).kind, 'closed')
  assert.equal((await propose()).kind, 'closed')
  const acts = (await listAudit(db, { limit: 2 })).map(({ act, actor }) => `${actor.id} ${act}`)
  assert.deepEqual(acts, ['bert restore.approve_loss', 'ada restore.propose_loss'])
})

const ADOPT = sql(
  'test.adopt',
  'update buying.lost_order set trade_id = $2, adopted_at = now() where custom_id = $1',
)

it('an order that is adopted after the proposal is not booked', async () => {
  const order = await givenLost()
  await listed(order.customId, 10_000n)
  clock.advance(WEEK_MS)
  await propose()
  await database.db.query(ADOPT, [order.customId, newId()])
  const before = await houseBalance(database.db, 'supplier_prefund')
  assert.equal((await approveLoss(deps(), bert, restoreId)).kind, 'changed')
  assert.equal(await houseBalance(database.db, 'supplier_prefund'), before)
})

it('the plan lists each order with what its market charged, and counts cases that nothing explains', async () => {
  const order = await givenLost()
  const absent = await givenLost()
  await listed(order.customId, 9_994n)
  await listed('unknown', 1_000n)
  const { orders, unnamed } = await planLosses(database.db)
  assert.deepEqual(
    orders.map(({ customId, cost, caseId }) => [customId, cost, caseId !== null]).sort(),
    [
      [order.customId, 999n, true],
      [absent.customId, 0n, false],
    ].sort(),
  )
  assert.deepEqual(
    unnamed.map(({ details }) => details.customId),
    ['unknown'],
  )
})

it('cases of a market are resolved together from a time on, with one entry in the log', async () => {
  await listed('older', 1n)
  clock.advance(1000)
  const since = clock.now()
  await listed('newer', 1n)
  await listed('newest', 1n)
  await listed('elsewhere', 1n, 'market_b')
  const market = 'market_a' as const
  assert.equal(
    await resolveUnmatchedPurchases(deps(), ada, { market, since }, { reason: 'settled' }),
    2,
  )
  assert.deepEqual(await openUnmatched(), ['older', 'elsewhere'])
  const [entry] = await listAudit(database.db, { limit: 1 })
  assert.deepEqual([entry?.act, entry?.details.reason], ['case.resolve_orphans', 'settled'])
})
