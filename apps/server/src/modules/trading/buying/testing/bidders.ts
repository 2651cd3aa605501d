// A database with market orders: who bids, what is listed, and matching as a worker does it.
import assert from 'node:assert/strict'
import { after, before, beforeEach } from 'node:test'
import { createPlaceMarketOrder, findOrder, type MarketOrder } from '#bidding'
import { createCatalog } from '#catalog'
import { type Db, sql } from '#infra/database/db'
import { type ManualClock, manualClock } from '#infra/testing/clock'
import { type TestDatabase, testDatabase } from '#infra/testing/database'
import { newId } from '#kernel/id'
import { cents } from '#kernel/money'
import { Refusal } from '#kernel/refusal'
import type { Buyer } from '../buy.ts'
import type { Step } from '../item.ts'
import { createMatching, type Matching } from '../match.ts'
import { applyStep } from '../step.ts'
import { givenBuyer, givenListing, givenMerchant } from './buyers.ts'

export const AT = new Date('2026-11-21T12:00:00Z')
export const SECOND = 1000
/** What a listing of 10.00 costs a buyer: 7% of fees. */
export const PRICE = 1070n
export const USD_PER_EUR = 1_100_000n

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

export const OPEN = {
  status: 'open',
  pausedReason: null,
  pending: 0,
  filled: 0,
  trades: 0,
} as const

const EVENTS = sql(
  'test.events_of_order',
  `select type, payload ->> 'reason' reason from outbox.event where subject_type = 'market_order' and subject_id = $1 order by id`,
)
const SET_FEE = sql(
  'test.set_buy_fee',
  'update identity.account set buy_fee_bps = $2 where id = $1',
)
const ITEM = sql('test.item_of_trade', 'select id, status from trades.item where trade_id = $1')
type Status = Step['from']
export const TO_ACTIVE: readonly Status[] = ['pending', 'active']
export const TO_HOLD: readonly Status[] = [...TO_ACTIVE, 'hold']

export const refusesWith = (key: string) => (error: unknown) =>
  error instanceof Refusal && error.key === key

/** Copies an order so many times, a cent below its price. */
export const CLONE_ORDERS = sql(
  'test.clone_orders',
  `insert into bidding.market_order (tenant_id, account_id, external_id, request_hash, item_id, market_hash_name, filters,
     instant_only, currency, max_price, quantity, status, match_at, expires_at, created_at, updated_at)
   select tenant_id, account_id, uuidv7()::text, request_hash, item_id, market_hash_name, filters, instant_only, currency,
     max_price - 1, quantity, 'open', match_at, expires_at, created_at, updated_at
   from bidding.market_order cross join generate_series(1, $2) where id = $1`,
)

/** Registers the hooks of its test file; orders of one test are closed before the next. */
export function useBidding() {
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
  const world = {
    get db(): Db {
      return database.db
    },
    get clock(): ManualClock {
      return clock
    },
  }

  function aMatching(db: Db = world.db): Matching {
    const catalog = createCatalog({ db, clock: world.clock })
    return createMatching({
      ...{ db, clock: world.clock, currentRate: async () => USD_PER_EUR },
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
    while (await matching.matchOrders()) world.clock.advance(1)
  }

  /** Buys for its account from now on. */
  const enrol = (buyer: Buyer): unknown => buyers.set(buyer.accountId, buyer)

  /** Orders are placed with a trade URL, which `hasTradeUrl` takes away since. */
  async function givenBidder({
    hasTradeUrl = true,
    ...options
  }: Partial<Parameters<typeof givenBuyer>[1]> & {
    readonly hasTradeUrl?: boolean
  } = {}): Promise<Buyer> {
    const { db } = world
    const tenantId = options.tenantId ?? (await givenMerchant(db))
    const buyer = await givenBuyer(db, { balance: 1_000_000n, ...options, tenantId })
    enrol(hasTradeUrl ? buyer : { ...buyer, primaryTradeUrl: null })
    return buyer
  }

  function order(
    { tenantId, accountId, currency }: Buyer,
    { maxPrice = PRICE, quantity = 1, filters = {}, keyId = null, ...wanted }: Wanted,
  ): Promise<MarketOrder> {
    const { db } = world
    const { itemId, tradeUrl = null, externalId = newId(), isPaused = false } = wanted
    const place = createPlaceMarketOrder({
      ...{
        db,
        clock: world.clock,
        areWorkersSilent: async () => false,
        isPaused: async () => isPaused,
      },
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
    const found = await findOrder(world.db, { tenantId, accountId, id })
    assert.ok(found)
    return found
  }

  const stateOf = async (one: MarketOrder) => {
    const { status, pausedReason, pending, filled, tradeIds } = await read(one)
    return { status, pausedReason, pending, filled, trades: tradeIds.length }
  }
  const listing = (itemId: string, priceMills = 10_000n) =>
    givenListing(world.db, { itemId, priceMills })

  const eventsOf = async ({ id }: MarketOrder): Promise<string[]> => {
    const rows = await world.db.query<{ type: string; reason: string | null }>(EVENTS, [id])
    return rows.map(({ type, reason }) => (reason === null ? type : `${type} ${reason}`))
  }

  /** Moves the only item of a trade along these states. */
  async function walk(tradeId: string, path: readonly Status[], last: Partial<Step> = {}) {
    const { db } = world
    for (const [i, to] of path.entries()) {
      const [item] = await db.query<{ id: string; status: Status }>(ITEM, [tradeId])
      assert.ok(item)
      const details = i === path.length - 1 ? last : {}
      const step = { ...details, from: item.status, to }
      const moved = await db.transaction((tx) =>
        applyStep(tx, { ...item, price: cents(PRICE) }, step, {
          ...{ at: world.clock.now(), dueAt: world.clock.now(), holdMs: SECOND },
        }),
      )
      assert.equal(moved, true, `to ${to}`)
    }
  }
  /** The fees that the merchant of an account adds from now on. */
  async function raiseFee({ tenantId, accountId }: Buyer, merchantFeeBps: number): Promise<void> {
    await world.db.query(SET_FEE, [tenantId, merchantFeeBps])
    const buyer = buyers.get(accountId)
    if (buyer !== undefined) buyers.set(accountId, { ...buyer, merchantFeeBps })
  }
  const lastTrade = async (one: MarketOrder): Promise<string> =>
    (await read(one)).tradeIds.at(-1) ?? ''

  async function sweep(matching = aMatching()): Promise<void> {
    while (await matching.sweep());
  }

  return {
    world,
    ...{ aMatching, matchAll, sweep, givenBidder, enrol, order, read, stateOf },
    ...{ listing, eventsOf, walk, lastTrade, raiseFee },
  }
}
