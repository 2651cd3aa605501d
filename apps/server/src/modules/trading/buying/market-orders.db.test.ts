// Market orders: to whom a listing goes, and how many units are bought.
import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import fc from 'fast-check'
import { cancelMarketOrder, changeMarketOrder, expireOrders, type MarketOrder } from '#bidding'
import { createCatalog } from '#catalog'
import { sql } from '#infra/database/db'
import { until } from '#infra/testing/until'
import { WAITING } from '#infra/testing/waiting'
import { auditFills, readTrades } from '#trades'
import {
  CLONE_ORDERS,
  OPEN,
  PRICE,
  refusesWith,
  SECOND,
  TO_HOLD,
  useBidding,
} from './testing/bidders.ts'
import { balanceOf, givenItem } from './testing/buyers.ts'

const {
  world,
  aMatching,
  matchAll,
  sweep,
  givenBidder,
  order,
  read,
  stateOf,
  listing,
  eventsOf,
  walk,
  lastTrade,
} = useBidding()

const SET_LOOKS = sql(
  'test.set_looks',
  'update catalog.listing set wear = $2::float8, wear_text = $2::float8::text, paint_seed = $3, delivery = $4 where id = $1',
)

const MISCOUNT = sql(
  'test.miscount',
  'update bidding.market_order set pending = pending + $2, filled = filled - $2 where id = $1',
)

afterEach(async () => assert.deepEqual(await auditFills(world.db), []))

describe('a market order', () => {
  it('buys what is for sale at once, the cheapest first, each a trade of one item that names it', async () => {
    const buyer = await givenBidder()
    const itemId = await givenItem(world.db)
    const dear = await listing(itemId, 20_000n)
    const [second, first] = [await listing(itemId, 9_000n), await listing(itemId, 8_000n)]
    const one = await order(buyer, { itemId, quantity: 5, externalId: 'order-1' })
    await matchAll()
    assert.deepEqual(await stateOf(one), { ...OPEN, pending: 2, trades: 2 })
    const trades = await readTrades(world.db, (await read(one)).tradeIds)
    assert.deepEqual(
      trades.map((trade) => trade.marketOrderId),
      [one.id, one.id],
    )
    assert.deepEqual(
      trades.map((trade) => trade.externalId),
      [null, null],
    )
    assert.deepEqual(trades.map(({ total }) => total).sort(), [856n, 963n])
    const listings = await createCatalog({ db: world.db, clock: world.clock }).getListings([
      first,
      second,
      dear,
    ])
    assert.deepEqual(
      listings.map((found) => found?.available),
      [false, false, true],
    )
  })

  it('gets a listing that appears when it pays most, fees included, the oldest among equals, euros at the rate', async () => {
    const itemId = await givenItem(world.db)
    const usd = await givenBidder()
    const euro = await givenBidder({ currency: 'EUR' })
    const low = await order(usd, { itemId, maxPrice: 1100n })
    world.clock.advance(SECOND)
    const tooLow = await order(usd, { itemId, maxPrice: PRICE - 1n })
    const younger = await order(usd, { itemId, maxPrice: 1100n })
    // 10.01 EUR are 11.011 USD, and 9.99 EUR are 10.989 USD.
    const high = await order(euro, { itemId, maxPrice: 1001n })
    const between = await order(euro, { itemId, maxPrice: 999n })
    const matching = aMatching()
    await matchAll(matching)
    const got: string[] = []
    for (let i = 0; i < 5; i++) {
      await matching.matchListings([{ id: await listing(itemId), itemId }])
      for (const [name, one] of Object.entries({ low, tooLow, younger, high, between })) {
        if ((await read(one)).pending === 1 && !got.includes(name)) got.push(name)
      }
    }
    assert.deepEqual(got, ['high', 'low', 'younger', 'between'])
  })

  it('takes only listings that its filters let pass', async () => {
    const { db } = world
    const itemId = await givenItem(db)
    const looks = [
      { wear: 0.1, seed: 7, delivery: 'standard' },
      { wear: 0.3, seed: 8, delivery: 'instant' },
      { wear: null, seed: null, delivery: 'instant' },
    ]
    const ids: bigint[] = []
    for (const { wear, seed, delivery } of looks) {
      const id = await listing(itemId)
      await db.query(SET_LOOKS, [id, wear, seed, delivery])
      ids.push(id)
    }
    const catalog = createCatalog({ db, clock: world.clock })
    const buys = async (filters: MarketOrder['filters'], by: 'change' | 'order') => {
      const matching = aMatching()
      const one = await order(await givenBidder(), { itemId, filters, quantity: 3 })
      if (by === 'change') await matching.matchListings(ids.map((id) => ({ id, itemId })))
      else await matchAll(matching)
      const left = await catalog.getListings(ids)
      for (const tradeId of (await read(one)).tradeIds) await walk(tradeId, ['canceled'])
      await db.transaction((tx) => cancelMarketOrder(tx, one, world.clock.now()))
      return left.flatMap((found, i) => (found?.available ? [] : i))
    }
    for (const by of ['change', 'order'] as const) {
      assert.deepEqual(await buys({}, by), [0, 1, 2], by)
      assert.deepEqual(await buys({ delivery: 'instant' }, by), [1, 2], by)
      assert.deepEqual(await buys({ minWear: 0.1 }, by), [0, 1], by)
      assert.deepEqual(await buys({ maxWear: 0.2 }, by), [0], by)
      assert.deepEqual(await buys({ paintSeeds: [8, 9] }, by), [1], by)
      assert.deepEqual(await buys({ minWear: 0.2, paintSeeds: [7] }, by), [], by)
    }
  })

  it('is filled once, with the whole quantity in its hold, and stays filled after a reversal', async () => {
    const itemId = await givenItem(world.db)
    const one = await order(await givenBidder(), { itemId, quantity: 2 })
    for (const _ of [1, 2]) await listing(itemId)
    await matchAll()
    const { tradeIds } = await read(one)
    await walk(tradeIds[0] ?? '', TO_HOLD)
    assert.deepEqual(await stateOf(one), { ...OPEN, pending: 1, filled: 1, trades: 2 })
    assert.deepEqual(await eventsOf(one), [])
    await walk(tradeIds[1] ?? '', TO_HOLD)
    await walk(tradeIds[0] ?? '', ['completed'])
    await walk(tradeIds[1] ?? '', ['reverted'], { revertedBy: 'supplier' })
    assert.deepEqual(await stateOf(one), { ...OPEN, status: 'filled', filled: 2, trades: 2 })
    assert.deepEqual(await eventsOf(one), ['market_order.filled'])
  })

  it('that counts other fills than its trades say is found by the audit', async () => {
    const itemId = await givenItem(world.db)
    const one = await order(await givenBidder(), { itemId, quantity: 2 })
    await listing(itemId)
    await matchAll()
    await walk(await lastTrade(one), TO_HOLD)
    await world.db.query(MISCOUNT, [one.id, 1])
    assert.deepEqual(await auditFills(world.db), [
      {
        invariant: 'a market order counts its fills',
        detail: `${one.id}: 1 pending and 0 filled, of its trades 0 and 1`,
      },
    ])
    await world.db.query(MISCOUNT, [one.id, -1])
  })

  it('looks for a unit again after a failed or a reversed fill, and never at the same listing', async () => {
    const itemId = await givenItem(world.db)
    const one = await order(await givenBidder(), { itemId, quantity: 2 })
    await listing(itemId)
    await matchAll()
    await walk(await lastTrade(one), ['failed'], { failure: 'PURCHASE_FAILED' })
    await matchAll()
    assert.deepEqual(await stateOf(one), { ...OPEN, trades: 1 })
    await listing(itemId)
    await matchAll(aMatching())
    // The change of the second listing was not given; a sweep finds it.
    await sweep()
    assert.deepEqual(await stateOf(one), { ...OPEN, pending: 1, trades: 2 })
    await walk(await lastTrade(one), [...TO_HOLD, 'reverted'], { revertedBy: 'user' })
    assert.deepEqual(await stateOf(one), { ...OPEN, trades: 2 })
    await listing(itemId)
    await matchAll()
    assert.deepEqual(await stateOf(one), { ...OPEN, pending: 1, trades: 3 })
  })

  it('is tried at no market whose queue is full: that is no try and no pause', async () => {
    const { db } = world
    const itemId = await givenItem(db)
    const one = await order(await givenBidder(), { itemId })
    await listing(itemId)
    await db.script(
      `alter table buying.setting drop constraint setting_waiting_limit_fits_a_quick_buy;
       update buying.setting set waiting_limit = 0`,
    )
    await matchAll()
    assert.deepEqual(await stateOf(one), OPEN)
    await db.script('update buying.setting set waiting_limit = null')
    world.clock.advance(60 * SECOND)
    await matchAll()
    assert.deepEqual(await stateOf(one), { ...OPEN, pending: 1, trades: 1 })
  })

  it('gets what a change lets it have, and is closed for changes once it has ended', async () => {
    const { db } = world
    const itemId = await givenItem(db)
    const one = await order(await givenBidder(), { itemId, maxPrice: PRICE - 1n, quantity: 3 })
    await listing(itemId)
    await matchAll()
    assert.deepEqual(await stateOf(one), OPEN)
    const change = (to: object) =>
      db.transaction((tx) =>
        changeMarketOrder(
          tx,
          one,
          { maxPrice: null, quantity: null, expiresAt: null, ...to },
          { keyId: null, at: world.clock.now() },
        ),
      )
    await change({ maxPrice: PRICE })
    await matchAll()
    assert.deepEqual(await stateOf(one), { ...OPEN, pending: 1, trades: 1 })
    await assert.rejects(change({ quantity: 0 }), refusesWith('VALIDATION_FAILED'))
    await walk(await lastTrade(one), TO_HOLD)
    assert.equal((await change({ quantity: 1 })).status, 'filled')
    assert.deepEqual(await eventsOf(one), ['market_order.filled'])
    await assert.rejects(change({ quantity: 2 }), refusesWith('MARKET_ORDER_CLOSED'))
    await assert.rejects(
      db.transaction((tx) => cancelMarketOrder(tx, one, world.clock.now())),
      refusesWith('MARKET_ORDER_CLOSED'),
    )
  })

  it('that is canceled or expired counts its fills under way, and buys no more', async () => {
    const { db } = world
    const itemId = await givenItem(db)
    const [canceled, expired] = [
      await order(await givenBidder(), { itemId, quantity: 2 }),
      await order(await givenBidder(), { itemId, quantity: 2 }),
    ]
    for (const _ of [1, 2, 3, 4]) await listing(itemId)
    await matchAll()
    for (let i = 0; i < 2; i++) {
      const again = await db.transaction((tx) => cancelMarketOrder(tx, canceled, world.clock.now()))
      assert.equal(again.status, 'cancelled')
    }
    world.clock.advance(31 * 24 * 3600 * SECOND)
    await expireOrders(db, world.clock.now(), 100)
    for (const [one, status] of [
      [canceled, 'cancelled'],
      [expired, 'expired'],
    ] as const) {
      const [first = '', second = ''] = (await read(one)).tradeIds
      await walk(first, TO_HOLD)
      await walk(second, ['failed'], { failure: 'PURCHASE_FAILED' })
      await matchAll()
      assert.deepEqual(await stateOf(one), { ...OPEN, status, filled: 1, trades: 2 })
      assert.deepEqual(await eventsOf(one), ['market_order.closed'])
    }
  })
})

describe('the quantity', () => {
  it('is never exceeded and no listing is bought twice, however orders, changes, sweeps and steps race', async () => {
    const { db } = world
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 8 }),
        fc.integer({ min: 0, max: 2 }),
        async (quantities, listings, failing) => {
          const itemId = await givenItem(db)
          const ids: bigint[] = []
          for (let i = 0; i < listings; i++) ids.push(await listing(itemId))
          const orders: MarketOrder[] = []
          for (const quantity of quantities) {
            orders.push(await order(await givenBidder(), { itemId, quantity }))
          }
          const changed = ids.map((id) => ({ id, itemId }))
          const [first, second] = [aMatching(), aMatching()]
          await Promise.all([
            first.matchListings(changed),
            second.matchListings(changed.toReversed()),
            matchAll(first),
            sweep(second),
          ])
          const trades = (await Promise.all(orders.map(read))).flatMap(({ tradeIds }) => tradeIds)
          const wanted = quantities.reduce((sum, quantity) => sum + quantity, 0)
          assert.equal(trades.length, Math.min(wanted, listings))
          // Some fail while others look for units again.
          await Promise.all([
            ...trades.slice(0, failing).map((id) => walk(id, ['canceled'])),
            sweep(first),
            matchAll(second),
          ])
          await matchAll()
          for (const [i, one] of orders.entries()) {
            const { pending, filled } = await read(one)
            assert.ok(pending + filled <= (quantities[i] ?? 0))
          }
        },
      ),
      { numRuns: 8 },
    )
  })

  it('is given back by a process that dies before the commit, and what it wanted is bought', async () => {
    const { db } = world
    const itemId = await givenItem(db)
    const buyer = await givenBidder()
    const one = await order(buyer, { itemId })
    await listing(itemId)
    const held = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const holding = db.transaction(async (tx) => {
      await tx.query(
        sql('test.hold_order', 'select from bidding.market_order where id = $1 for update'),
        [one.id],
      )
      held.resolve()
      await release.promise
    })
    await held.promise
    // The change does not lock the order before it buys: it waits with all of the buy done but the last lock.
    const dying = assert.rejects(
      aMatching().matchListings([{ id: (await idsOf(itemId))[0] ?? 0n, itemId }]),
    )
    await until('the fill waits', async () => (await db.query(WAITING)).length > 0)
    await db.query(
      sql(
        'test.kill_waiting',
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'`,
      ),
    )
    await dying
    release.resolve()
    await holding
    assert.deepEqual(await stateOf(one), OPEN)
    assert.equal(await balanceOf(db, buyer.accountId, 'escrow'), 0n)
    await sweep()
    assert.deepEqual(await stateOf(one), { ...OPEN, pending: 1, trades: 1 })
  })

  it('of a listing is one: of 1,000 orders that want it the best gets it, with one try', async () => {
    const { db } = world
    const itemId = await givenItem(db)
    const buyer = await givenBidder()
    const best = await order(buyer, { itemId, maxPrice: 2000n })
    await db.query(CLONE_ORDERS, [best.id, 999])
    const id = await listing(itemId)
    const before = await countBegun()
    await aMatching().matchListings([{ id, itemId }])
    assert.equal((await read(best)).pending, 1)
    assert.equal((await countBegun()) - before, 1n, 'trades that were begun, those rolled back too')
  })
})

const idsOf = async (itemId: string): Promise<bigint[]> =>
  (
    await world.db.query<{ id: bigint }>(
      sql('test.ids_of_item', 'select id from catalog.listing where item_id = $1 order by id'),
      [itemId],
    )
  ).map(({ id }) => id)

const COUNT_BEGUN = sql(
  'test.count_begun',
  `select coalesce(sum(n_tup_ins), 0)::bigint count from pg_stat_xact_user_tables where relname = 'none'
   union all select last_value from outbox.event_id_seq`,
)
/** Events that were numbered; numbers are not rolled back. A trade that begins has one. */
async function countBegun(): Promise<bigint> {
  const rows = await world.db.query<{ count: bigint }>(COUNT_BEGUN)
  return rows.at(-1)?.count ?? 0n
}

describe('turns', () => {
  it('go round among tenants: one with hundreds of orders does not delay the only one of another', async () => {
    const { db } = world
    const itemId = await givenItem(db)
    const many = await order(await givenBidder(), { itemId })
    await db.query(CLONE_ORDERS, [many.id, 400])
    world.clock.advance(SECOND)
    const otherItem = await givenItem(db)
    await listing(otherItem)
    const only = await order(await givenBidder(), { itemId: otherItem })
    await aMatching().matchOrders()
    assert.deepEqual(await stateOf(only), { ...OPEN, pending: 1, trades: 1 })
  })
})
