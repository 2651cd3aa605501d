// Comparisons of accounts with thousands of orders, whose market shows its history fifty rows at a time.
import assert from 'node:assert/strict'
import { afterEach, beforeEach, it } from 'node:test'
import { changeAccount, insertAccount } from '#buying'
import { sql } from '#infra/database/db'
import { silentLog } from '#infra/process/log'
import { type ManualClock, manualClock } from '#infra/testing/clock'
import { type TestDatabase, testDatabase } from '#infra/testing/database'
import { newId } from '#kernel/id'
import { mills } from '#kernel/money'
import { givenTrade } from '../buying/testing/buyers.ts'
import { followRound, placeRound } from '../buying/testing/rounds.ts'
import { orderUpdate, type ScriptedSupplier, scriptedSupplier } from '../buying/testing/supplier.ts'
import { createKeepPages } from './kept-statements.ts'
import type { OrderLine, StatementPages } from './ports.ts'
import { type AbsentOrders, reconcile } from './reconcile.ts'
import { createReporter } from './report.ts'
import { listCases } from './store/cases.ts'

const PAGE = 50
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const PAID = 10_000n

type Order = Omit<OrderLine, 'detail'> & { readonly placedAt: Date }

let database: TestDatabase
let clock: ManualClock
let supplier: ScriptedSupplier
/** As the market has them, oldest first. */
let orders: Order[]
let balance: bigint
let whilePaging: () => Promise<void>
let absent: AbsentOrders

beforeEach(async () => {
  database = await testDatabase()
  clock = manualClock(new Date('2026-11-28T12:00:00.000Z'))
  orders = []
  balance = 1_000_000_000n
  whilePaging = async () => {}
  absent = new Map()
  open('main')
})
afterEach(() => database.close())

function open(account: string): void {
  supplier = scriptedSupplier({ account, keyVersion: 1 })
  supplier.balance = async () => ({ mills: mills(balance) })
}

const pages = (): StatementPages => ({
  id: 'market_b',
  account: supplier.account,
  traits: { settleMs: 15 * MINUTE, keptOnUserReversalBps: null },
  page: async (skip) => {
    const end = orders.length - skip
    const rows = orders.slice(Math.max(0, end - PAGE), Math.max(0, end)).reverse()
    await whilePaging()
    return { kind: 'read', rows }
  },
  lookUp: async (orderIds) => {
    const wanted = new Set(orderIds)
    const lines = orders.filter(({ orderId }) => wanted.has(orderId))
    return { kind: 'read', lines: lines.map((order) => ({ ...order, detail: '' })) }
  },
})

/** Everything of one order that a real buy made, under new ids. */
const COPY_TRADE_ITEMS = sql(
  'test.copy_trade_items',
  `insert into trades.item (id, trade_id, position, catalog_item_id, description, price, house_fee, merchant_fee, status,
     hold_ends_at, status_at)
   select c.id, t.trade_id, t.position, t.catalog_item_id, t.description, t.price, t.house_fee, t.merchant_fee, 'hold',
     $3::timestamptz + interval '30 days', $3
   from trades.item t, unnest($2::uuid[]) c (id) where t.id = $1`,
)
const COPY_ITEMS = sql(
  'test.copy_items',
  `insert into buying.item (id, trade_id, tenant_id, account_id, listing_id, market, market_account, raw_listing_id,
     sourcing_mills, is_live, work, due_at, created_at)
   select c.id, i.trade_id, i.tenant_id, i.account_id, -(c.nth + $5), i.market, $4, i.raw_listing_id, i.sourcing_mills, true,
     'follow', $3::timestamptz + interval '20 days', $3
   from buying.item i, unnest($2::uuid[]) with ordinality c (id, nth) where i.id = $1`,
)
const COPY_ORDERS = sql(
  'test.copy_orders',
  `insert into buying.supplier_order (item_id, market, market_account, custom_id, state, sent_at, order_id, paid_mills)
   select c.id, o.market, $5, c.id::text, 'placed', c.at, c.order_id, o.paid_mills
   from buying.supplier_order o, unnest($2::uuid[], $3::timestamptz[], $4::text[]) c (id, at, order_id) where o.item_id = $1`,
)

/** One order that was bought as any other. */
async function givenOne(): Promise<string> {
  const { db } = database
  const { itemId } = await givenTrade({ db, clock }, { priceMills: PAID })
  supplier.answers.push({ kind: 'accepted', orderId: '1', paidMills: mills(PAID) })
  await placeRound({ db, clock, market: supplier, concurrency: 1, onCase: () => {} })
  note(itemId, '1', clock.now())
  return itemId
}

function note(customId: string, orderId: string, placedAt: Date): void {
  const line = { state: 'held' as const, paidMills: mills(PAID), returnedMills: null }
  orders.push({ orderId, customId, placedAt, ...line })
  balance -= PAID
}

/** So many more like it, evenly over this time until now, in their holds. */
async function givenMany(one: string, count: number, lengthMs: number): Promise<void> {
  const { db } = database
  const ids = Array.from({ length: count }, () => newId())
  const startMs = clock.now().getTime() - lengthMs
  const times = ids.map((_, i) => new Date(startMs + Math.floor((lengthMs * (i + 1)) / count)))
  const orderIds = ids.map((_, i) => String(orders.length + i + 1))
  await db.query(COPY_TRADE_ITEMS, [one, ids, new Date(startMs)])
  await db.query(COPY_ITEMS, [one, ids, new Date(startMs), supplier.account, orders.length])
  await db.query(COPY_ORDERS, [one, ids, times, orderIds, supplier.account])
  for (const [i, id] of ids.entries()) note(id, orderIds[i] as string, times[i] as Date)
}

async function compare(scope: 'recent' | 'whole', lengthMs: number) {
  const { db } = database
  const statements = createKeepPages({ db, clock, log: silentLog })(pages())
  const reporter = (source: 'statement' | 'balance') =>
    createReporter({ db, clock, source, onOpened: () => {} })
  const result = await reconcile(
    {
      ...{ db, clock, log: silentLog, market: supplier, statements, absent },
      reportStatement: reporter('statement'),
      reportBalance: reporter('balance'),
    },
    { scope, lengthMs },
  )
  assert.ok(result.kind === 'read')
  return result
}
const openCases = () => listCases(database.db, { state: 'open', kind: null, limit: 100 })

const DUE = sql('test.due', 'select id from buying.item where due_at <= $1 and listing_id < 0')
/** Of those that are in their holds for long. */
const dueNow = async (): Promise<string[]> =>
  (await database.db.query<{ id: string }>(DUE, [clock.now()])).map(({ id }) => id)

it('with 6,000 orders in one hour each statement is whole, the balance is judged, and no case is opened', async () => {
  const one = await givenOne()
  const judged: string[] = []
  for (let round = 0; round < 30; round++) {
    clock.advance(2 * MINUTE)
    await givenMany(one, 197, 2 * MINUTE)
    // The market is never still: it sells while its pages are read, before the balance and after it.
    let left = 3
    whilePaging = async () => {
      if (left-- > 0) await givenMany(one, 1, 0)
    }
    const { isWhole, findings, baseline } = await compare('recent', 2 * HOUR)
    assert.deepEqual([isWhole, findings], [true, 0], `round ${round}`)
    judged.push(baseline)
  }
  assert.equal(orders.length, 6001)
  assert.deepEqual([judged[0], new Set(judged.slice(1))], ['first', new Set(['same'])])
  assert.deepEqual(await openCases(), [])
  // That is no blindness: money that went without an order is seen.
  whilePaging = async () => {}
  balance -= 5_000_000n
  const verdicts: string[] = []
  for (let round = 0; round < 3; round++) {
    verdicts.push((await compare('recent', 2 * HOUR)).baseline)
    clock.advance(16 * MINUTE)
  }
  assert.ok(verdicts.includes('fell'), verdicts.join())
})

it('one reversal among 60,000 orders of nine days is found in the next comparison', async () => {
  const one = await givenOne()
  clock.advance(9 * DAY)
  await givenMany(one, 60_000, 9 * DAY - 2 * HOUR)
  for (let isWhole = false, reads = 0; !isWhole; reads++) {
    assert.ok(reads < 10, 'the statement comes to be whole')
    ;({ isWhole } = await compare('whole', 9 * DAY - HOUR))
  }
  assert.deepEqual([await openCases(), await dueNow()], [[], []])
  clock.advance(20 * MINUTE)
  const at = 31_415
  const reversed = orders[at] as Order
  orders[at] = { ...reversed, state: 'ended', returnedMills: mills(PAID) }
  balance += PAID
  await compare('whole', 9 * DAY - HOUR)
  assert.deepEqual(await dueNow(), [reversed.customId])
})

it('an account that is drained is compared to its last order: a reversal of it is found and followed', async () => {
  const { db } = database
  const of = { market: 'market_b', account: 'second' } as const
  const one = await givenOne()
  open('second')
  await db.transaction(async (tx) => {
    await insertAccount(tx, {
      ...{ ...of, sealedKey: 'sealed', reserveMills: mills(0n), use: 'buying' },
      balance: { currency: 'USD', balanceMills: mills(1n), askedAt: clock.now() },
    })
    await changeAccount(tx, of, { changes: { state: 'draining' }, at: clock.now() })
  })
  orders = []
  await givenMany(one, 10, HOUR)
  clock.advance(HOUR)
  await compare('recent', 3 * HOUR)
  const last = orders.at(-1) as Order
  orders[orders.length - 1] = { ...last, state: 'ended', returnedMills: mills(PAID) }
  await compare('recent', 3 * HOUR)
  assert.ok((await dueNow()).includes(String(last.customId)))
  const { customId, orderId } = last
  const ended = orderUpdate('reverted', { orderId, paidMills: mills(PAID), revertedBy: 'supplier' })
  supplier.orders.set(String(customId), ended)
  await followRound({ db, clock, market: supplier, onCase: () => {} })
  assert.deepEqual(
    supplier.queries.map((query) => query.customId),
    [customId],
  )
})
