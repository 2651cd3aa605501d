import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from '#infra/database/db'
import { type ManualClock, manualClock } from '#infra/testing/clock'
import { type TestDatabase, testDatabase } from '#infra/testing/database'
import { newId } from '#kernel/id'
import { type Currency, cents } from '#kernel/money'
import { createDispatch } from '#outbox'
import { readTrades, type Status } from '#trades'
import type { Step } from '../../modules/trading/buying/item.ts'
import { applyStep } from '../../modules/trading/buying/step.ts'
import {
  givenBuyer,
  givenListing,
  givenMerchant,
  testBuy,
} from '../../modules/trading/buying/testing/buyers.ts'
import { foldFigures } from './fold.ts'
import { readPartnerFigures, readServiceFigures } from './read.ts'

const START = new Date('2026-11-20T10:00:00.000Z')
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

let database: TestDatabase
let clock: ManualClock
let partnerId: string
let merchantId: string

const INTENT = sql(
  'test.intent',
  `insert into buying.supplier_order (item_id, market, custom_id, state, sent_at)
   values ($1::uuid, 'market_b', $1::uuid::text, 'placed', now())`,
)
const MAKE_PARTNER = sql(
  'test.make_partner',
  "update identity.account set kind = 'partner' where id = $1",
)

async function buyOf(tenantId: string, { items = 1, currency = 'USD' as Currency } = {}) {
  const { db } = database
  const buyer = await givenBuyer(db, { tenantId, balance: 100_000n, currency })
  const lines = []
  for (let i = 0; i < items; i++) {
    const id = await givenListing(db, { priceMills: 10_000n })
    lines.push({ listing: { id }, maxPrice: cents(9999n), externalId: `line-${i}` })
  }
  const { tradeId } = await testBuy({ db, clock })(buyer, {
    ...{ requestId: newId(), externalId: null, tradeUrl: null, items: lines },
  })
  const [trade] = await readTrades(db, [tradeId])
  assert.ok(trade)
  for (const { id } of trade.items) await db.query(INTENT, [id])
  return trade.items
}

type Item = Awaited<ReturnType<typeof buyOf>>[number]

/** Through these states, each so many minutes after the one before. */
async function walk(
  item: Item | undefined,
  path: readonly (readonly [Status, number, Partial<Step>?])[],
) {
  assert.ok(item)
  let from: Status = 'initiated'
  for (const [to, minutes, details] of path) {
    clock.advance(minutes * MINUTE)
    const { id, price }: Item = item
    const current: Pick<Item, 'id' | 'status' | 'price'> = { id, price, status: from }
    const at = clock.now()
    const moved: boolean = await database.db.transaction((tx) =>
      applyStep(tx, current, { ...details, from, to }, { at, dueAt: at, holdMs: 1000 }),
    )
    assert.equal(moved, true, `${from} to ${to}`)
    from = to
  }
}

const DELIVERED = [
  ['pending', 0],
  ['active', 1],
  ['hold', 9],
] as const

async function dispatchAll() {
  const dispatch = createDispatch({ db: database.db, clock, consumers: [] })
  while (await dispatch());
}
async function fold() {
  await dispatchAll()
  await foldFigures(database.db, { at: clock.now(), signal: new AbortController().signal })
}

before(async () => {
  database = await testDatabase()
  clock = manualClock(START)
  partnerId = await givenMerchant(database.db)
  await database.db.query(MAKE_PARTNER, [partnerId])
  merchantId = await givenMerchant(database.db)
})
after(() => database.close())

/** From the trades and the books themselves, all hours together. */
const RECOMPUTED = sql(
  'test.recomputed',
  `select
     (select coalesce(sum(trades.gmv(p.amount, t.currency, t.usd_per_eur_micros, 'USD')), 0)::bigint
      from ledger.posting p join ledger.account a on a.id = p.credit_account_id
        join ledger.journal j on j.id = p.journal_id join trades.item i on i.id = j.ref_id
        join trades.trade t on t.id = i.trade_id
      where a.kind in ('house_revenue', 'penalty_income')) income,
     (select coalesce(sum(trades.gmv(i.price, t.currency, t.usd_per_eur_micros, 'USD')), 0)::bigint
      from trades.item i join trades.trade t on t.id = i.trade_id where i.status = 'completed') volume,
     (select coalesce(sum(trades.gmv(p.amount, t.currency, t.usd_per_eur_micros, 'USD')), 0)::bigint
      from ledger.posting p join ledger.account a on a.id = p.credit_account_id and a.kind = 'spot'
        join ledger.journal j on j.id = p.journal_id and j.kind = 'refund' join trades.item i on i.id = j.ref_id
        join trades.trade t on t.id = i.trade_id) refunded,
     (select count(*)::int from trades.trade) begun,
     (select jsonb_object_agg(status, n) from (
       select status, count(*) n from trades.trade where status >= 'completed' group by 1) s) ended`,
)

async function recomputed() {
  const [row] = await database.db.query<{
    income: bigint
    volume: bigint
    refunded: bigint
    begun: number
    ended: Record<string, number>
  }>(RECOMPUTED)
  assert.ok(row)
  return row
}

const kept = sql(
  'test.kept_figures',
  `select unit, at, figure, label, count, usd_cents from operations.service_figure
   order by unit, at, figure, label`,
)
const everyRow = () => database.db.query<{ unit: string; figure: string; count: bigint }>(kept)

const service = () => readServiceFigures(database.db, { span: 'week', at: clock.now() })

const ATTEMPT = sql(
  'test.attempt',
  `with endpoint as (
     insert into webhooks.endpoint (tenant_id, url, secret_sealed, created_at, updated_at)
     values ($1, 'https://shop.example/hooks/' || uuidv7(), 'sealed', $2, $2) returning id),
   delivery as (
     insert into webhooks.delivery (endpoint_id, event_id, event_type, tenant_id, account_id, subject_id, payload,
       status, attempts, due_at, created_at, finished_at)
     select id, 1, 'trade.initiated', $1, $1, $1, '{}', 'delivered', 1, $2::timestamptz, $2, $2 from endpoint returning id)
   insert into webhooks.attempt (delivery_id, number, manual, started_at, duration_ms, response_status)
   select id, 1, false, $2, 12, 204 from delivery`,
)

describe('figures of hours and days', () => {
  it('are those that the trades and the books give, of buys that end in every way', async () => {
    const { isReady } = await service()
    assert.equal(isReady, false, 'nothing is folded')
    await database.db.query(ATTEMPT, [merchantId, clock.now()])
    const [completed] = await buyOf(merchantId)
    await walk(completed, [...DELIVERED, ['completed', 7 * 24 * 60]])
    const [euros] = await buyOf(merchantId, { currency: 'EUR' })
    await walk(euros, [...DELIVERED, ['completed', 60]])
    const [first, second] = await buyOf(partnerId, { items: 2 })
    await walk(first, [['failed', 3, { failure: 'BUYER_TRADE_RESTRICTED' }]])
    await walk(second, [...DELIVERED, ['completed', 60]])
    const [declined] = await buyOf(partnerId)
    await walk(declined, [
      ['pending', 0],
      ['active', 2],
      ['declined', 5, { failure: 'OFFER_NOT_ACCEPTED' }],
    ])
    const [reverted] = await buyOf(merchantId)
    await walk(reverted, [...DELIVERED, ['reverted', 60, { revertedBy: 'supplier' }]])
    await buyOf(merchantId)
    await database.db.query(ATTEMPT, [partnerId, new Date(clock.now().getTime() - 2 * HOUR)])
    await fold()
    assert.equal((await service()).isReady, true)
    clock.advance(2 * DAY)
    await fold()
    const { current, previous } = await readServiceFigures(database.db, {
      ...{ span: 'month', at: clock.now() },
    })
    const truth = await recomputed()
    assert.equal(current.income, truth.income)
    assert.equal(current.volume, truth.volume)
    assert.equal(
      current.refunds.reduce((sum, { usd }) => sum + usd, 0n),
      truth.refunded,
    )
    assert.equal(current.begun, truth.begun)
    assert.deepEqual(Object.fromEntries(current.ended), truth.ended)
    assert.deepEqual(
      current.refunds.map(({ cause, count }) => [cause, count]),
      [
        ['BUYER_TRADE_RESTRICTED', 1],
        ['OFFER_NOT_ACCEPTED', 1],
        ['reverted_by_supplier', 1],
      ],
    )
    assert.deepEqual([...current.markets], [['market_b', { ended: 6, completed: 3 }]])
    // All but the last were offered, four were delivered after ten minutes or more.
    assert.deepEqual([current.offer.count, current.delivery.count], [5, 4])
    assert.ok(Math.abs((current.delivery.p50 ?? 0) - 600) < 75, `${current.delivery.p50} s`)
    assert.equal(previous.begun, 0)
    // Not the one that was more than a day old at the first fold.
    assert.deepEqual(current.attempts, { succeeded: 1, failed: 0 })
  })

  it('stay as they are when they are folded again, at once by several, or after a while', async () => {
    const before = await everyRow()
    assert.ok(before.length > 20)
    await Promise.all([fold(), fold(), fold()])
    assert.deepEqual(await everyRow(), before)
  })

  it('catch up after a pause: each event is added to the hour in which it was written', async () => {
    clock.set(new Date('2026-12-20T08:30:00.000Z'))
    const [item] = await buyOf(merchantId)
    await walk(item, [...DELIVERED, ['completed', 26 * 60]])
    clock.advance(3 * DAY)
    await fold()
    const { buckets, from, to } = await service()
    assert.deepEqual(
      [from.toISOString(), to.toISOString()],
      ['2026-12-17T00:00:00.000Z', '2026-12-24T00:00:00.000Z'],
    )
    assert.deepEqual(
      buckets.map(({ begun, completed }) => [begun, completed]),
      [
        [0, 0],
        [0, 0],
        [0, 0],
        [1, 0],
        [0, 1],
        [0, 0],
        [0, 0],
      ],
    )
  })

  it('of an hour are shown when it is over and folded, and not before', async () => {
    await buyOf(merchantId)
    await fold()
    const hours = () => readServiceFigures(database.db, { span: 'day', at: clock.now() })
    const { begun } = (await hours()).current
    clock.advance(HOUR)
    assert.equal((await hours()).current.begun, begun, 'nothing has folded since')
    await fold()
    clock.advance(11 * MINUTE)
    await fold()
    assert.equal((await hours()).current.begun, begun + 1)
  })

  it('of a partner are its own and those of its children, of no one else', async () => {
    const at = new Date('2026-11-30T00:00:00.000Z')
    const { current } = await readPartnerFigures(database.db, { partnerId, span: 'month', at })
    assert.equal(current.begun, 2)
    assert.deepEqual(Object.fromEntries(current.ended), { completed: 1, declined: 1 })
    assert.deepEqual([...current.markets], [['market_b', { ended: 3, completed: 1 }]])
    const none = await readPartnerFigures(database.db, {
      ...{ partnerId: merchantId, span: 'month', at },
    })
    assert.equal(none.current.begun, 0)
  })

  it('go on with events while an hour cannot be counted', async () => {
    const begun = async () => {
      const days = (await everyRow()).filter(
        ({ unit, figure }) => unit === 'day' && figure === 'begun',
      )
      return days.reduce((sum, { count }) => sum + count, 0n)
    }
    const before = await begun()
    await buyOf(merchantId)
    clock.advance(2 * HOUR)
    await database.db.script('alter table webhooks.attempt rename to attempt_away')
    await assert.rejects(fold(), /webhooks\.attempt/)
    await database.db.script('alter table webhooks.attempt_away rename to attempt')
    assert.equal(await begun(), before + 1n)
    await fold()
    assert.equal(await begun(), before + 1n)
  })

  it('of hours go after nine days, those of days stay', async () => {
    clock.advance(10 * DAY)
    await fold()
    const days = await everyRow()
    assert.ok(days.every(({ unit }) => unit === 'day'))
    const begun = days.filter(({ figure }) => figure === 'begun')
    assert.equal(
      begun.reduce((sum, { count }) => sum + Number(count), 0),
      (await recomputed()).begun,
    )
  })
})
