// Market orders: to whom a listing goes, how many units are bought, and what pauses an order.
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import fc from 'fast-check'
import {
  cancelMarketOrder,
  cancelOrdersOf,
  changeMarketOrder,
  createPlaceMarketOrder,
  expireOrders,
  findOrder,
  followAccounts,
  type MarketOrder,
  pauseOpen,
  resumeDisabled,
} from '#bidding'
import { createCatalog } from '#catalog'
import { changeKey, issueKey } from '#identity'
import { sql } from '#infra/database/db'
import { type ManualClock, manualClock } from '#infra/testing/clock'
import { type TestDatabase, testDatabase } from '#infra/testing/database'
import { until } from '#infra/testing/until'
import { WAITING } from '#infra/testing/waiting'
import { newId } from '#kernel/id'
import { cents } from '#kernel/money'
import { Refusal } from '#kernel/refusal'
import { pauseTrading, readTrades, resumeTrading } from '#trades'
import type { Buyer } from './buy.ts'
import type { Step } from './item.ts'
import { createMatching, type Matching } from './match.ts'
import { resumeMarketOrders } from './resume.ts'
import { applyStep } from './step.ts'
import {
  balanceOf,
  closeAccount,
  givenBuyer,
  givenItem,
  givenListing,
  givenMerchant,
} from './testing/buyers.ts'

const AT = new Date('2026-11-21T12:00:00Z')
const SECOND = 1000
/** What a listing of 10.00 costs a buyer: 7% of fees. */
const PRICE = 1070n
const USD_PER_EUR = 1_100_000n

let database: TestDatabase
let clock: ManualClock
/** Who buys for the orders of an account. */
const buyers = new Map<string, Buyer>()
before(async () => {
  database = await testDatabase({ poolSize: 20 })
})
after(() => database.close())
beforeEach(async () => {
  clock = manualClock(AT)
  await database.db.script(
    `update bidding.market_order set status = 'cancelled', paused_reason = null where status in ('open', 'paused')`,
  )
})

function aMatching(): Matching {
  const { db } = database
  const catalog = createCatalog({ db, clock })
  return createMatching({
    ...{ db, clock, currentRate: async () => USD_PER_EUR },
    buyerOf: async ({ accountId, keyId }) => {
      const buyer = buyers.get(accountId)
      return buyer ? { ...buyer, keyId } : null
    },
    getListings: catalog.getListings,
    findFitting: catalog.findFitting,
  })
}

/** Orders that look through what is for sale, until none is left that does. */
async function matchAll(matching: Matching = aMatching()): Promise<void> {
  while (await matching.matchOrders()) clock.advance(1)
}

async function givenBidder(
  options: Partial<Parameters<typeof givenBuyer>[1]> = {},
): Promise<Buyer> {
  const { db } = database
  const tenantId = options.tenantId ?? (await givenMerchant(db))
  const buyer = await givenBuyer(db, { balance: 1_000_000n, ...options, tenantId })
  buyers.set(buyer.accountId, buyer)
  return buyer
}

interface Wanted {
  readonly itemId: string
  readonly maxPrice?: bigint
  readonly quantity?: number
  readonly filters?: MarketOrder['filters']
  readonly keyId?: string | null
  readonly tradeUrl?: string | null
  readonly externalId?: string
  readonly isPaused?: boolean
}

function order(
  { tenantId, accountId, currency }: Buyer,
  { maxPrice = PRICE, quantity = 1, filters = {}, keyId = null, ...wanted }: Wanted,
): Promise<MarketOrder> {
  const { db } = database
  const { itemId, tradeUrl = null, externalId = newId(), isPaused = false } = wanted
  const place = createPlaceMarketOrder({
    ...{ db, clock, areWorkersSilent: async () => false, isPaused: async () => isPaused },
    getItem: () => ({ id: itemId, marketHashName: 'AK-47 | Redline (Field-Tested)' }),
    resolveTradeUrl: async (url) => ({ url, platformId: '76561197960265729' }),
  })
  return place(
    { tenantId, accountId, currency, keyId, hasPrimaryTradeUrl: true },
    {
      ...{ requestId: newId(), externalId, itemId, quantity, filters, tradeUrl, expiresAt: null },
      maxPrice: cents(maxPrice),
    },
  )
}

async function read({ tenantId, accountId, id }: MarketOrder): Promise<MarketOrder> {
  const found = await findOrder(database.db, { tenantId, accountId, id })
  assert.ok(found)
  return found
}

const stateOf = async (one: MarketOrder) => {
  const { status, pausedReason, pending, filled, tradeIds } = await read(one)
  return { status, pausedReason, pending, filled, trades: tradeIds.length }
}
const OPEN = { status: 'open', pausedReason: null, pending: 0, filled: 0, trades: 0 } as const

const listing = (itemId: string, priceMills = 10_000n) =>
  givenListing(database.db, { itemId, priceMills })

const SET_LOOKS = sql(
  'test.set_looks',
  'update catalog.listing set wear = $2::float8, wear_text = $2::float8::text, paint_seed = $3, delivery = $4 where id = $1',
)

const EVENTS = sql(
  'test.events_of_order',
  `select type, payload ->> 'reason' reason from outbox.event where subject_type = 'market_order' and subject_id = $1 order by id`,
)
const eventsOf = async ({ id }: MarketOrder): Promise<string[]> => {
  const rows = await database.db.query<{ type: string; reason: string | null }>(EVENTS, [id])
  return rows.map(({ type, reason }) => (reason === null ? type : `${type} ${reason}`))
}

const ITEM = sql('test.item_of_trade', 'select id, status from trades.item where trade_id = $1')
type Status = Step['from']
/** Moves the only item of a trade along these states. */
async function walk(tradeId: string, path: readonly Status[], last: Partial<Step> = {}) {
  const { db } = database
  for (const [i, to] of path.entries()) {
    const [item] = await db.query<{ id: string; status: Status }>(ITEM, [tradeId])
    assert.ok(item)
    const facts = i === path.length - 1 ? last : {}
    const step = { ...facts, from: item.status, to }
    const moved = await db.transaction((tx) =>
      applyStep(tx, { ...item, price: cents(PRICE) }, step, {
        ...{ at: clock.now(), dueAt: clock.now(), holdMs: SECOND },
      }),
    )
    assert.equal(moved, true, `to ${to}`)
  }
}
const TO_ACTIVE: readonly Status[] = ['pending', 'active']
const TO_HOLD: readonly Status[] = [...TO_ACTIVE, 'hold']

const lastTrade = async (one: MarketOrder): Promise<string> =>
  (await read(one)).tradeIds.at(-1) ?? ''

const refusesWith = (key: string) => (error: unknown) =>
  error instanceof Refusal && error.key === key

describe('a market order', () => {
  it('buys what is for sale at once, the cheapest first, each a trade of one item that names it', async () => {
    const buyer = await givenBidder()
    const itemId = await givenItem(database.db)
    const dear = await listing(itemId, 20_000n)
    const [second, first] = [await listing(itemId, 9_000n), await listing(itemId, 8_000n)]
    const one = await order(buyer, { itemId, quantity: 5, externalId: 'wish' })
    await matchAll()
    assert.deepEqual(await stateOf(one), { ...OPEN, pending: 2, trades: 2 })
    const trades = await readTrades(database.db, (await read(one)).tradeIds)
    assert.deepEqual(
      trades.map((trade) => trade.marketOrderId),
      [one.id, one.id],
    )
    assert.deepEqual(
      trades.map((trade) => trade.externalId),
      [null, null],
    )
    assert.deepEqual(trades.map(({ total }) => total).sort(), [856n, 963n])
    const listings = await createCatalog({ db: database.db, clock }).getListings([
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
    const itemId = await givenItem(database.db)
    const usd = await givenBidder()
    const euro = await givenBidder({ currency: 'EUR' })
    const low = await order(usd, { itemId, maxPrice: 1100n })
    clock.advance(SECOND)
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
    const { db } = database
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
    const catalog = createCatalog({ db, clock })
    const buys = async (filters: MarketOrder['filters'], by: 'news' | 'order') => {
      const matching = aMatching()
      const one = await order(await givenBidder(), { itemId, filters, quantity: 3 })
      if (by === 'news') await matching.matchListings(ids.map((id) => ({ id, itemId })))
      else await matchAll(matching)
      const left = await catalog.getListings(ids)
      for (const tradeId of (await read(one)).tradeIds) await walk(tradeId, ['canceled'])
      await db.transaction((tx) => cancelMarketOrder(tx, one, clock.now()))
      return left.flatMap((found, i) => (found?.available ? [] : i))
    }
    for (const by of ['news', 'order'] as const) {
      assert.deepEqual(await buys({}, by), [0, 1, 2], by)
      assert.deepEqual(await buys({ delivery: 'instant' }, by), [1, 2], by)
      assert.deepEqual(await buys({ minWear: 0.1 }, by), [0, 1], by)
      assert.deepEqual(await buys({ maxWear: 0.2 }, by), [0], by)
      assert.deepEqual(await buys({ paintSeeds: [8, 9] }, by), [1], by)
      assert.deepEqual(await buys({ minWear: 0.2, paintSeeds: [7] }, by), [], by)
    }
  })

  it('is filled once, with the whole quantity in its hold, and stays filled after a reversal', async () => {
    const itemId = await givenItem(database.db)
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

  it('looks for a unit again after a failed or a reversed fill, and never at the same listing', async () => {
    const itemId = await givenItem(database.db)
    const one = await order(await givenBidder(), { itemId, quantity: 2 })
    await listing(itemId)
    await matchAll()
    await walk(await lastTrade(one), ['failed'], { failure: 'PURCHASE_FAILED' })
    await matchAll()
    assert.deepEqual(await stateOf(one), { ...OPEN, trades: 1 })
    await listing(itemId)
    await matchAll(aMatching())
    // News of the second listing was not given; a sweep finds it.
    await sweep()
    assert.deepEqual(await stateOf(one), { ...OPEN, pending: 1, trades: 2 })
    await walk(await lastTrade(one), [...TO_HOLD, 'reverted'], { revertedBy: 'user' })
    assert.deepEqual(await stateOf(one), { ...OPEN, trades: 2 })
    await listing(itemId)
    await matchAll()
    assert.deepEqual(await stateOf(one), { ...OPEN, pending: 1, trades: 3 })
  })

  it('is tried at no market whose queue is full: that is no try and no pause', async () => {
    const { db } = database
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
    clock.advance(60 * SECOND)
    await matchAll()
    assert.deepEqual(await stateOf(one), { ...OPEN, pending: 1, trades: 1 })
  })

  it('gets what a change lets it have, and is closed for changes once it has ended', async () => {
    const { db } = database
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
          clock.now(),
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
      db.transaction((tx) => cancelMarketOrder(tx, one, clock.now())),
      refusesWith('MARKET_ORDER_CLOSED'),
    )
  })

  it('that is canceled or expired counts its fills under way, and buys no more', async () => {
    const { db } = database
    const itemId = await givenItem(db)
    const [canceled, expired] = [
      await order(await givenBidder(), { itemId, quantity: 2 }),
      await order(await givenBidder(), { itemId, quantity: 2 }),
    ]
    for (const _ of [1, 2, 3, 4]) await listing(itemId)
    await matchAll()
    for (let i = 0; i < 2; i++) {
      const again = await db.transaction((tx) => cancelMarketOrder(tx, canceled, clock.now()))
      assert.equal(again.status, 'cancelled')
    }
    clock.advance(31 * 24 * 3600 * SECOND)
    await expireOrders(db, clock.now(), 100)
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

async function sweep(matching = aMatching()): Promise<void> {
  while (await matching.sweep());
}

describe('the quantity', () => {
  it('is never exceeded and no listing is bought twice, however orders, news, sweeps and steps race', async () => {
    const { db } = database
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
          const news = ids.map((id) => ({ id, itemId }))
          const [first, second] = [aMatching(), aMatching()]
          await Promise.all([
            first.matchListings(news),
            second.matchListings(news.toReversed()),
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
    const { db } = database
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
    // The news does not lock the order before it buys: it waits with all of the buy done but the last lock.
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
    const { db } = database
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
    await database.db.query<{ id: bigint }>(
      sql('test.ids_of_item', 'select id from catalog.listing where item_id = $1 order by id'),
      [itemId],
    )
  ).map(({ id }) => id)

const CLONE_ORDERS = sql(
  'test.clone_orders',
  `insert into bidding.market_order (tenant_id, account_id, external_id, request_hash, item_id, market_hash_name, filters,
     instant_only, currency, max_price, quantity, status, match_at, expires_at, created_at, updated_at)
   select tenant_id, account_id, uuidv7()::text, request_hash, item_id, market_hash_name, filters, instant_only, currency,
     max_price - 1, quantity, 'open', match_at, expires_at, created_at, updated_at
   from bidding.market_order cross join generate_series(1, $2) where id = $1`,
)

const COUNT_BEGUN = sql(
  'test.count_begun',
  `select coalesce(sum(n_tup_ins), 0)::bigint count from pg_stat_xact_user_tables where relname = 'none'
   union all select last_value from outbox.event_id_seq`,
)
/** Events that were numbered; numbers are not rolled back. A trade that begins has one. */
async function countBegun(): Promise<bigint> {
  const rows = await database.db.query<{ count: bigint }>(COUNT_BEGUN)
  return rows.at(-1)?.count ?? 0n
}

describe('turns', () => {
  it('go round among tenants: one with hundreds of orders does not delay the only one of another', async () => {
    const { db } = database
    const itemId = await givenItem(db)
    const many = await order(await givenBidder(), { itemId })
    await db.query(CLONE_ORDERS, [many.id, 400])
    clock.advance(SECOND)
    const otherItem = await givenItem(db)
    await listing(otherItem)
    const only = await order(await givenBidder(), { itemId: otherItem })
    await aMatching().matchOrders()
    assert.deepEqual(await stateOf(only), { ...OPEN, pending: 1, trades: 1 })
  })
})

describe('a pause', () => {
  it('comes when the wallet does not cover a fill, and ends when it does', async () => {
    const { db } = database
    const itemId = await givenItem(db)
    const buyer = await givenBidder({ balance: PRICE - 1n })
    const one = await order(buyer, { itemId })
    await listing(itemId)
    await matchAll()
    const paused = { ...OPEN, status: 'paused', pausedReason: 'INSUFFICIENT_BALANCE' }
    assert.deepEqual(await stateOf(one), paused)
    assert.deepEqual(await eventsOf(one), ['market_order.paused INSUFFICIENT_BALANCE'])
    await resume()
    assert.deepEqual(await stateOf(one), paused)
    await db.query(CREDIT, [buyer.accountId, clock.now()])
    await resume()
    await matchAll()
    assert.deepEqual(await stateOf(one), { ...OPEN, pending: 1, trades: 1 })
  })

  it('comes when a limit is reached, of the key that made the order or of the sub-user, counted with the fill', async () => {
    const { db } = database
    const tenantId = await givenMerchant(db)
    const { id: keyId } = await db.transaction((tx) =>
      issueKey(tx, {
        accountId: tenantId,
        kind: 'merchant',
        name: 'k',
        environment: 'test',
        at: AT,
      }),
    )
    const limit = (amountCents: bigint) =>
      db.transaction((tx) =>
        changeKey(
          tx,
          keyId,
          { spendLimit: { amountCents: cents(amountCents), window: 'day' } },
          AT,
        ),
      )
    await limit(2n * PRICE - 1n)
    const itemId = await givenItem(db)
    const ofKey = await order(await givenBidder({ tenantId }), { itemId, keyId, quantity: 2 })
    for (const _ of [1, 2, 3]) await listing(itemId)
    await matchAll()
    const reached = { ...OPEN, status: 'paused', pausedReason: 'SPENDING_LIMIT_REACHED' }
    assert.deepEqual(await stateOf(ofKey), { ...reached, pending: 1, trades: 1 })
    await resume()
    assert.equal((await read(ofKey)).status, 'paused')
    await limit(2n * PRICE)
    await resume()
    await matchAll()
    assert.deepEqual(await stateOf(ofKey), { ...OPEN, pending: 2, trades: 2 })

    const bounded = await givenBidder()
    await db.query(
      sql('test.bound', 'update identity.account set limit_open_trades = 0 where id = $1'),
      [bounded.accountId],
    )
    const ofUser = await order(bounded, { itemId })
    await matchAll()
    assert.deepEqual(await stateOf(ofUser), reached)
    assert.equal(await balanceOf(db, bounded.accountId, 'escrow'), 0n)
  })

  it('comes after three fills in a row that failed by the buyer’s fault, and ends with another primary trade URL', async () => {
    const { db } = database
    const itemId = await givenItem(db)
    const buyer = await givenBidder()
    const one = await order(buyer, { itemId, quantity: 2 })
    for (const [failure, isFault] of [
      ['TRADE_URL_INVALID', true],
      ['PURCHASE_FAILED', false],
      ['BUYER_TRADE_RESTRICTED', true],
    ] as const) {
      await listing(itemId)
      await sweep()
      await walk(await lastTrade(one), isFault ? TO_ACTIVE : [])
      await walk(await lastTrade(one), ['failed'], { failure })
      assert.equal((await read(one)).status, 'open', failure)
    }
    await listing(itemId)
    await matchAll()
    await walk(await lastTrade(one), [...TO_ACTIVE, 'declined'], { failure: 'OFFER_NOT_ACCEPTED' })
    assert.deepEqual(await stateOf(one), {
      ...{
        status: 'paused',
        pausedReason: 'TRADEURL_INVALID_TOKEN',
        pending: 0,
        filled: 0,
        trades: 4,
      },
    })
    await resume()
    assert.equal((await read(one)).status, 'paused')
    await db.query(PRIMARY_URL, [newId(), buyer.accountId])
    await resume()
    await listing(itemId)
    await matchAll()
    assert.deepEqual(await stateOf(one), { ...OPEN, pending: 1, trades: 5 })
  })

  it('comes at once for a suspended account or merchant, and ends with the suspension', async () => {
    const { db } = database
    const itemId = await givenItem(db)
    const [alone, below] = [await givenBidder(), await givenBidder()]
    const orders = [await order(alone, { itemId }), await order(below, { itemId })]
    const other = await order(await givenBidder(), { itemId, maxPrice: 1n })
    const suspended = [alone.accountId, below.tenantId]
    for (const id of suspended) await closeAccount(db, id, 'suspended')
    await listing(itemId)
    // Before the pause is written nothing is bought for them either.
    await matchAll()
    await followAccounts(db, clock.now(), 100)
    for (const one of orders) {
      assert.deepEqual(await stateOf(one), {
        ...OPEN,
        ...{ status: 'paused', pausedReason: 'ACCOUNT_SUSPENDED' },
      })
    }
    assert.deepEqual(await stateOf(other), OPEN)
    await db.query(
      sql('test.reactivate', `update identity.account set status = 'active' where id = any ($1)`),
      [suspended],
    )
    await followAccounts(db, clock.now(), 100)
    await matchAll()
    assert.deepEqual(
      (await Promise.all(orders.map(read))).map(({ pending }) => pending).sort(),
      [0, 1],
    )
  })

  it('comes while trading is paused, also for an order that is placed then, and ends with it', async () => {
    const { db } = database
    const itemId = await givenItem(db)
    const before = await order(await givenBidder(), { itemId })
    const meanwhile = await order(await givenBidder(), { itemId, isPaused: true })
    const disabled = { ...OPEN, status: 'paused', pausedReason: 'SERVICE_DISABLED' }
    assert.deepEqual(await stateOf(meanwhile), disabled)
    assert.deepEqual(await eventsOf(meanwhile), ['market_order.paused SERVICE_DISABLED'])
    await pauseTrading(db, clock, 'test')
    for (const _ of [1, 2]) await listing(itemId)
    await matchAll()
    assert.equal(await pauseOpen(db, clock.now(), 100), 1)
    assert.deepEqual(await stateOf(before), disabled)
    await resumeTrading(db, clock, 'test')
    assert.equal(await resumeDisabled(db, clock.now(), 100), 2)
    await matchAll()
    for (const one of [before, meanwhile]) assert.equal((await read(one)).pending, 1)
  })
})

const resume = async (): Promise<void> => {
  const { db } = database
  clock.advance(10 * SECOND)
  await resumeMarketOrders({ db, clock, currentRate: async () => USD_PER_EUR })
}

const CREDIT = sql(
  'test.credit',
  `select ledger.post('deposit', null, $1::uuid, 'more', '\\x00', $2, array['USD'::ledger.currency],
     array[ledger.house('clearing_demo', 'USD')], array[ledger.account_of($1::uuid, 'spot')], array[100::bigint])`,
)
const PRIMARY_URL = sql(
  'test.primary_url',
  `insert into identity.trade_url (id, account_id, partner, token, platform_id, url, persona_name, avatar_url,
     profile_url, is_primary, created_at)
   values ($1, $2, 1, 'accept00', '76561197960265729', 'https://steamcommunity.com/tradeoffer/new/?partner=1&token=accept00',
     'p', '', '', true, now())`,
)

describe('placing', () => {
  it('answers the first order under an external id, also at the limit, and refuses another request', async () => {
    const buyer = await givenBidder()
    const itemId = await givenItem(database.db)
    const first = await order(buyer, { itemId, externalId: 'one' })
    await database.db.query(CLONE_ORDERS, [first.id, 199])
    assert.equal((await order(buyer, { itemId, externalId: 'one' })).id, first.id)
    await assert.rejects(
      order(buyer, { itemId, externalId: 'one', quantity: 2 }),
      refusesWith('IDEMPOTENCY_CONFLICT'),
    )
    await assert.rejects(order(buyer, { itemId }), refusesWith('MARKET_ORDER_LIMIT_REACHED'))
  })

  it('lets exactly 200 of an account and 5,000 of a merchant through, however many race', async () => {
    const { db } = database
    const tenantId = await givenMerchant(db)
    const [one, other] = [await givenBidder({ tenantId }), await givenBidder({ tenantId })]
    const itemId = await givenItem(db)
    const race = async (buyer: Buyer, count: number): Promise<number> => {
      const placed = await Promise.allSettled(
        Array.from({ length: count }, () => order(buyer, { itemId })),
      )
      return placed.filter(({ status }) => status === 'fulfilled').length
    }
    const first = await order(one, { itemId })
    await db.query(CLONE_ORDERS, [first.id, 194])
    assert.equal(await race(one, 10), 5)
    await db.query(FILL_TENANT, [first.id, 5000 - 203])
    assert.equal(await race(other, 10), 3)
  })

  it('of an account that is deleted ends: its orders are canceled, each with its event', async () => {
    const { db } = database
    const buyer = await givenBidder()
    const itemId = await givenItem(db)
    const one = await order(buyer, { itemId })
    const other = await order(await givenBidder(), { itemId })
    await db.transaction((tx) => cancelOrdersOf(tx, [buyer.accountId], clock.now()))
    assert.deepEqual(await stateOf(one), { ...OPEN, status: 'cancelled' })
    assert.deepEqual(await eventsOf(one), ['market_order.closed'])
    assert.deepEqual(await stateOf(other), OPEN)
  })
})

const FILL_TENANT = sql(
  'test.fill_tenant',
  `insert into bidding.market_order (tenant_id, account_id, external_id, request_hash, item_id, market_hash_name, filters,
     instant_only, currency, max_price, quantity, status, expires_at, created_at, updated_at)
   select tenant_id, uuidv7(), 'x', request_hash, item_id, market_hash_name, filters, instant_only, currency,
     max_price, quantity, 'open', expires_at, created_at, updated_at
   from bidding.market_order cross join generate_series(1, $2) where id = $1`,
)
