import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Queryable, sql } from '#infra/database/db'
import { systemClock } from '#infra/process/clock'
import { type TestDatabase, testDatabase } from '#infra/testing/database'
import { newId } from '#kernel/id'
import { type Currency, cents } from '#kernel/money'
import { auditTrades, readTrades, STATUSES, type Status, TRANSITIONS, type Trade } from '#trades'
import { assertRegisteredEvents } from '../../../wire/merchant/events/testing/outbox-rows.ts'
import type { Step } from './item.ts'
import { applyStep } from './step.ts'
import { recordOrder } from './store/orders.ts'
import {
  balanceOf,
  givenBuyer,
  givenListing,
  givenMerchant,
  houseBalance,
  testBuy,
} from './testing/buyers.ts'

let database: TestDatabase
before(async () => {
  database = await testDatabase()
})
after(async () => {
  assert.deepEqual(await auditTrades(database.db), [])
  const types = await assertRegisteredEvents(database.db)
  assert.equal(types.size, STATUSES.length + 2, 'each status, settled and refunded')
  await database.close()
})

const PRICE = 1070n
const INTENT = sql(
  'test.intent',
  `insert into buying.supplier_order (item_id, market, custom_id, state, sent_at) values ($1::uuid, 'market_b', $1::uuid::text, 'placed', now())`,
)

async function givenTrade({
  items = 1,
  currency = 'USD',
  merchantCurrency = 'USD',
}: {
  items?: number
  currency?: Currency
  merchantCurrency?: Currency
} = {}) {
  const { db } = database
  const tenantId = await givenMerchant(db, merchantCurrency)
  const buyer = await givenBuyer(db, { tenantId, balance: 100_000n, currency, merchantCurrency })
  const lines = []
  for (let i = 0; i < items; i++) {
    const priceMills = currency === 'USD' ? 10_000n : 11_000n
    const id = await givenListing(db, { priceMills })
    lines.push({ listing: { id }, maxPrice: cents(9999n), externalId: `line-${i}` })
  }
  const buy = testBuy({ db, clock: systemClock })
  const { tradeId } = await buy(buyer, {
    requestId: newId(),
    externalId: null,
    tradeUrl: null,
    items: lines,
  })
  const ids = (await read(tradeId)).items.map((item) => item.id)
  for (const id of ids) await db.query(INTENT, [id])
  return { tradeId, buyer, tenantId, ids }
}

async function read(tradeId: string): Promise<Trade> {
  const [trade] = await readTrades(database.db, [tradeId])
  assert.ok(trade)
  return trade
}

const take = (id: string | undefined, step: Partial<Step> & { from: Status; to: Status }) =>
  database.db.transaction((tx) =>
    applyStep(tx, { id: id ?? '', status: step.from, price: cents(PRICE) }, step, {
      at: new Date(),
      dueAt: new Date(),
      holdMs: 1000,
    }),
  )

async function walk(id: string | undefined, path: readonly Status[], last: Partial<Step> = {}) {
  for (let i = 1; i < path.length; i++) {
    const details = i === path.length - 1 ? last : {}
    const moved = await take(id, { ...details, from: path[i - 1] as Status, to: path[i] as Status })
    assert.equal(moved, true, `${path[i - 1]} to ${path[i]}`)
  }
}

const EVENTS = sql(
  'test.events',
  'select type, payload from outbox.event where subject_id = $1 order by id',
)
const events = async (tradeId: string) =>
  database.db.query<{ type: string; payload: Record<string, unknown> }>(EVENTS, [tradeId])
const types = async (tradeId: string) => (await events(tradeId)).map((event) => event.type)

const TO_HOLD: readonly Status[] = ['initiated', 'pending', 'active', 'hold']
const PATH_TO = {
  initiated: ['initiated'],
  pending: ['initiated', 'pending'],
  active: ['initiated', 'pending', 'active'],
  hold: TO_HOLD,
  completed: [...TO_HOLD, 'completed'],
  reverted: [...TO_HOLD, 'reverted'],
  declined: ['initiated', 'pending', 'active', 'declined'],
  canceled: ['initiated', 'canceled'],
  failed: ['initiated', 'failed'],
} as const satisfies Record<Status, readonly Status[]>

describe('the states in the database', () => {
  it('are in the order of the code, so that the least of the items is the trade’s status', async () => {
    const [row] = await database.db.query<{ states: Status[] }>(
      sql('test.states', 'select enum_range(null::trades.status)::text[] states'),
    )
    assert.deepEqual(row?.states, STATUSES)
  })

  for (const [items, status] of [
    [['completed', 'active', 'hold'], 'active'],
    [['failed', 'initiated', 'hold'], 'initiated'],
    [['failed', 'completed', 'reverted'], 'completed'],
    [['failed', 'declined', 'reverted'], 'reverted'],
    [['failed', 'canceled', 'declined'], 'declined'],
    [['failed', 'canceled'], 'canceled'],
  ] as const satisfies readonly (readonly [readonly Status[], Status])[]) {
    it(`make a trade of items ${items.join(', ')} ${status}`, async () => {
      const { tradeId, ids } = await givenTrade({ items: items.length })
      for (const [i, end] of items.entries()) {
        await walk(ids[i], PATH_TO[end], { revertedBy: end === 'reverted' ? 'supplier' : null })
      }
      assert.equal((await read(tradeId)).status, status)
    })
  }
})

describe('a trade', () => {
  it('is read with its items by one statement, which sees one moment', async () => {
    const { tradeId } = await givenTrade({ items: 3 })
    let statements = 0
    const query: Queryable['query'] = (statement, values) => {
      statements++
      return database.db.query(statement, values)
    }
    const [trade] = await readTrades({ query }, [tradeId])
    assert.deepEqual([trade?.id, trade?.items.length, statements], [tradeId, 3, 1])
  })
})

describe('the steps in the database', () => {
  it('are those of the table in the code', async () => {
    const rows = await database.db.query<{ type: string; from_status: Status; to_status: Status }>(
      sql('test.transitions', 'select type, from_status, to_status from trades.transition'),
    )
    const inDatabase = rows.map((row) => `${row.type} ${row.from_status} ${row.to_status}`).sort()
    const inCode = (['buy', 'sell'] as const).flatMap((type) =>
      STATUSES.flatMap((from) =>
        Object.keys(TRANSITIONS[type][from]).map((to) => `${type} ${from} ${to}`),
      ),
    )
    assert.deepEqual(inDatabase, inCode.sort())
  })

  it('outside of the table are refused', async () => {
    const { ids } = await givenTrade()
    for (const from of STATUSES) {
      for (const to of STATUSES.filter((status) => !(status in TRANSITIONS.buy[from]))) {
        await assert.rejects(take(ids[0], { from, to }), /there is no step/)
      }
    }
  })

  it('happen once: the second of two learns that it came too late', async () => {
    const { ids, buyer } = await givenTrade()
    const both = await Promise.all([
      take(ids[0], { from: 'initiated', to: 'failed' }),
      take(ids[0], { from: 'initiated', to: 'canceled' }),
    ])
    assert.equal(both.filter(Boolean).length, 1)
    assert.equal(await balanceOf(database.db, buyer.accountId, 'spot'), 100_000n)
  })
})

describe('a completed item', () => {
  it('pays the supplier, the house and the merchant, and emits completed before settled', async () => {
    const before = {
      supplier: await houseBalance(database.db, 'supplier_prefund'),
      house: await houseBalance(database.db, 'house_revenue'),
    }
    const { tradeId, ids, buyer, tenantId } = await givenTrade()
    await walk(ids[0], [...TO_HOLD, 'completed'])
    assert.equal(await balanceOf(database.db, buyer.accountId, 'escrow'), 0n)
    assert.equal(await balanceOf(database.db, tenantId, 'earnings'), 20n)
    assert.equal(await houseBalance(database.db, 'supplier_prefund'), before.supplier + 1000n)
    assert.equal(await houseBalance(database.db, 'house_revenue'), before.house + 50n)
    const emitted = await events(tradeId)
    assert.deepEqual(
      emitted.map((event) => event.type),
      ['initiated', 'pending', 'active', 'hold', 'completed', 'settled'].map(
        (name) => `trade.${name}`,
      ),
    )
    assert.deepEqual(emitted.at(-1)?.payload, { houseFeeCents: 50, merchantFeeCents: 20 })
  })

  it('pays a merchant of another currency at the trade’s own rate, rounded down', async () => {
    const { ids, tenantId } = await givenTrade({ currency: 'EUR', merchantCurrency: 'USD' })
    await walk(ids[0], [...TO_HOLD, 'completed'])
    // 0.20 EUR at 1.10.
    assert.equal(await balanceOf(database.db, tenantId, 'earnings'), 22n)
    const other = await givenTrade({ currency: 'USD', merchantCurrency: 'EUR' })
    await walk(other.ids[0], [...TO_HOLD, 'completed'])
    // 0.20 USD at 1.10 is 0.1818 EUR.
    assert.equal(await balanceOf(database.db, other.tenantId, 'earnings'), 18n)
  })
})

describe('a refund', () => {
  for (const [path, last] of [
    [['initiated', 'failed'], { failure: 'LISTING_UNAVAILABLE' }],
    [['initiated', 'canceled'], {}],
    [['initiated', 'pending', 'failed'], { failure: 'PURCHASE_FAILED' }],
    [['initiated', 'pending', 'canceled'], {}],
    [['initiated', 'pending', 'active', 'failed'], { failure: 'PURCHASE_FAILED' }],
    [['initiated', 'pending', 'active', 'canceled'], {}],
    [[...TO_HOLD, 'reverted'], { revertedBy: 'supplier' }],
  ] as const satisfies readonly (readonly [readonly Status[], Partial<Step>])[]) {
    it(`of an item that went ${path.join(' ')} is whole, without a penalty`, async () => {
      const { tradeId, ids, buyer } = await givenTrade()
      await walk(ids[0], path, last)
      assert.equal(await balanceOf(database.db, buyer.accountId, 'spot'), 100_000n)
      assert.equal(await balanceOf(database.db, buyer.accountId, 'escrow'), 0n)
      const [item] = (await read(tradeId)).items
      assert.deepEqual(item?.refund, { refunded: PRICE, penalty: 0n, buyerFault: false })
      assert.deepEqual((await types(tradeId)).slice(-2), [`trade.${path.at(-1)}`, 'trade.refunded'])
    })
  }

  it('of a declined item is the price less two percent, half up, which the service keeps', async () => {
    const before = await houseBalance(database.db, 'penalty_income')
    const { tradeId, ids, buyer, tenantId } = await givenTrade()
    await walk(ids[0], ['initiated', 'pending', 'active', 'declined'], {
      failure: 'OFFER_NOT_ACCEPTED',
    })
    assert.equal(await balanceOf(database.db, buyer.accountId, 'spot'), 100_000n - 21n)
    assert.equal(await houseBalance(database.db, 'penalty_income'), before + 21n)
    assert.equal(await balanceOf(database.db, tenantId, 'earnings'), 0n)
    const refund = (await events(tradeId)).at(-1)
    assert.deepEqual(refund?.payload, {
      itemId: ids[0],
      externalId: 'line-0',
      buyerFault: true,
      refundedUsdCents: 1049,
      penaltyUsdCents: 21,
    })
  })

  it('of a delivery that the user reversed is nothing: the whole price is the penalty', async () => {
    const { tradeId, ids, buyer } = await givenTrade()
    await walk(ids[0], [...TO_HOLD, 'reverted'], { revertedBy: 'user' })
    assert.equal(await balanceOf(database.db, buyer.accountId, 'spot'), 100_000n - PRICE)
    const [item] = (await read(tradeId)).items
    assert.deepEqual(item?.refund, { refunded: 0n, penalty: PRICE, buyerFault: true })
  })

  it('in euros is reported in US dollars at the trade’s rate', async () => {
    const { tradeId, ids } = await givenTrade({ currency: 'EUR' })
    await walk(ids[0], ['initiated', 'failed'], { failure: 'PRICE_CHANGED' })
    assert.equal((await events(tradeId)).at(-1)?.payload.refundedUsdCents, 1177)
  })

  it('puts the listing up for sale again, unless it is gone at the supplier', async () => {
    const free = sql(
      'test.free',
      `select not l.taken free from buying.item i join catalog.listing l on l.id = i.listing_id where i.id = $1`,
    )
    const released = await givenTrade()
    await walk(released.ids[0], ['initiated', 'failed'], { failure: 'TRADE_URL_INVALID' })
    const gone = await givenTrade()
    await walk(gone.ids[0], ['initiated', 'failed'], { failure: 'LISTING_UNAVAILABLE' })
    assert.deepEqual(await database.db.query(free, [released.ids[0]]), [{ free: true }])
    assert.deepEqual(await database.db.query(free, [gone.ids[0]]), [{ free: false }])
  })
})

describe('a trade of several items', () => {
  it('emits a status only when the function of its items changes', async () => {
    const { tradeId, ids } = await givenTrade({ items: 3 })
    await walk(ids[0], TO_HOLD)
    assert.deepEqual(await types(tradeId), ['trade.initiated'])
    await walk(ids[1], ['initiated', 'failed'], { failure: 'LISTING_UNAVAILABLE' })
    assert.deepEqual(await types(tradeId), ['trade.initiated', 'trade.refunded'])
    await walk(ids[2], ['initiated', 'pending'])
    assert.equal((await read(tradeId)).status, 'pending')
    await walk(ids[2], ['pending', 'active', 'hold', 'completed'])
    assert.equal((await read(tradeId)).status, 'hold')
    await walk(ids[0], ['hold', 'completed'])
    assert.equal((await read(tradeId)).status, 'completed')
    assert.deepEqual(await types(tradeId), [
      'trade.initiated',
      'trade.refunded',
      'trade.pending',
      'trade.active',
      'trade.hold',
      'trade.completed',
      'trade.settled',
    ])
    assert.deepEqual((await events(tradeId)).at(-1)?.payload, {
      houseFeeCents: 100,
      merchantFeeCents: 40,
    })
  })

  it('keeps its books and its order of events when its items move at the same moment', async () => {
    const { tradeId, ids, buyer } = await givenTrade({ items: 8 })
    await Promise.all(
      ids.map((id, i) =>
        i % 2 === 0
          ? walk(id, [...TO_HOLD, 'completed'])
          : walk(id, ['initiated', 'pending', 'failed'], { failure: 'PURCHASE_FAILED' }),
      ),
    )
    assert.equal((await read(tradeId)).status, 'completed')
    assert.equal(await balanceOf(database.db, buyer.accountId, 'spot'), 100_000n - 4n * PRICE)
    assert.equal(await balanceOf(database.db, buyer.accountId, 'escrow'), 0n)
  })
})

it('what was learnt of an order is never unlearnt', async () => {
  const { ids } = await givenTrade()
  const { db } = database
  const order = { itemId: ids[0] ?? '', customId: ids[0] ?? '' }
  await recordOrder(db, order, { state: 'placed', orderId: '9', offerSeen: true })
  await recordOrder(db, order, { state: 'placed' })
  const rows = await db.query(
    sql('test.order', 'select order_id, offer_seen from buying.supplier_order where item_id = $1'),
    [ids[0]],
  )
  assert.deepEqual(rows, [{ order_id: '9', offer_seen: true }])
})
