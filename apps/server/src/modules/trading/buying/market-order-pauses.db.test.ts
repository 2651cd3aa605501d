// Market orders: what pauses them, how many there may be, and how they end with their account.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  cancelOrdersOf,
  followAccounts,
  pauseOpen,
  pauseOrder,
  resumeDisabled,
  resumeOrder,
} from '#bidding'
import { changeKey, issueKey } from '#identity'
import { sql } from '#infra/database/db'
import { recordingDb } from '#infra/testing/recording-db'
import { newId } from '#kernel/id'
import { cents } from '#kernel/money'
import { pauseTrading, resumeTrading } from '#trades'
import { ENDS, whileLimitIsHeld } from '../../accounts/identity/testing/held-limit.ts'
import type { Buyer } from './buy.ts'
import { resumeMarketOrders } from './resume.ts'
import {
  AT,
  CLONE_ORDERS,
  OPEN,
  PRICE,
  refusesWith,
  SECOND,
  TO_ACTIVE,
  USD_PER_EUR,
  useBidding,
} from './testing/bidders.ts'
import { balanceOf, closeAccount, givenItem, givenMerchant } from './testing/buyers.ts'

const {
  world,
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

/** Of a merchant of its own, with a limit for a day. */
async function givenKey(amountCents: bigint) {
  const { db } = world
  const tenantId = await givenMerchant(db)
  const issue = { accountId: tenantId, kind: 'merchant', name: 'k', environment: 'test' } as const
  const { id: keyId } = await db.transaction((tx) => issueKey(tx, { ...issue, at: AT }))
  const limit = (most: bigint) => {
    const spendLimit = { amountCents: cents(most), window: 'day' } as const
    return db.transaction((tx) => changeKey(tx, keyId, { spendLimit }, AT))
  }
  await limit(amountCents)
  return { tenantId, keyId, limit }
}

describe('a pause', () => {
  it('comes when the wallet does not cover a fill, and ends when it does', async () => {
    const { db } = world
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
    await db.query(CREDIT, [buyer.accountId, world.clock.now()])
    await resume()
    await matchAll()
    assert.deepEqual(await stateOf(one), { ...OPEN, pending: 1, trades: 1 })
  })

  it('comes when a limit is reached, of the key that made the order or of the sub-user, counted with the fill', async () => {
    const { db } = world
    const { tenantId, keyId, limit } = await givenKey(2n * PRICE - 1n)
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

  it('comes when another commit has taken what the key may spend, for which the fill has waited', async () => {
    for (const ends of ENDS) {
      const itemId = await givenItem(world.db)
      const { tenantId, keyId } = await givenKey(2n * PRICE - 1n)
      const one = await order(await givenBidder({ tenantId }), { itemId, keyId })
      await listing(itemId)
      const held = { keyId, cents: cents(PRICE), at: AT, ends }
      await whileLimitIsHeld(world.db, held, { begin: matchAll })
      const { status, pending } = await read(one)
      assert.deepEqual([status, pending], ends === 'commits' ? ['paused', 0] : ['open', 1])
    }
  })

  it('comes after three fills in a row that failed by the buyer’s fault, and ends with another primary trade URL', async () => {
    const { db } = world
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
    const { db } = world
    const itemId = await givenItem(db)
    const [alone, below] = [await givenBidder(), await givenBidder()]
    const orders = [await order(alone, { itemId }), await order(below, { itemId })]
    const other = await order(await givenBidder(), { itemId, maxPrice: 1n })
    const suspended = [alone.accountId, below.tenantId]
    for (const id of suspended) await closeAccount(db, id, 'suspended')
    await listing(itemId)
    // Before the pause is written nothing is bought for them either.
    await matchAll()
    await followAccounts(db, world.clock.now(), 100)
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
    await followAccounts(db, world.clock.now(), 100)
    await matchAll()
    assert.deepEqual(
      (await Promise.all(orders.map(read))).map(({ pending }) => pending).sort(),
      [0, 1],
    )
  })

  it('comes while trading is paused, also for an order that is placed then, and ends with it', async () => {
    const { db } = world
    const itemId = await givenItem(db)
    const before = await order(await givenBidder(), { itemId })
    const meanwhile = await order(await givenBidder(), { itemId, isPaused: true })
    const disabled = { ...OPEN, status: 'paused', pausedReason: 'SERVICE_DISABLED' }
    assert.deepEqual(await stateOf(meanwhile), disabled)
    assert.deepEqual(await eventsOf(meanwhile), ['market_order.paused SERVICE_DISABLED'])
    await pauseTrading(db, world.clock, 'test')
    for (const _ of [1, 2]) await listing(itemId)
    await matchAll()
    assert.equal(await pauseOpen(db, world.clock.now(), 100), 1)
    assert.deepEqual(await stateOf(before), disabled)
    await resumeTrading(db, world.clock, 'test')
    assert.equal(await resumeDisabled(db, world.clock.now(), 100), 2)
    await matchAll()
    for (const one of [before, meanwhile]) assert.equal((await read(one)).pending, 1)
  })
})

describe('paused orders', () => {
  it('are looked at in turn among merchants: hundreds of one do not delay the only one of another', async () => {
    const { db } = world
    const itemId = await givenItem(db)
    const many = await order(await givenBidder({ balance: 0n }), { itemId })
    await db.query(CLONE_ORDERS, [many.id, 400])
    await db.query(PAUSE_ALL, [many.tenantId, world.clock.now()])
    world.clock.advance(SECOND)
    const buyer = await givenBidder({ balance: PRICE })
    const only = await order(buyer, { itemId })
    await db.query(PAUSE_ALL, [buyer.tenantId, world.clock.now()])
    await resume()
    assert.equal((await read(only)).status, 'open')
  })

  it('are looked at less often the longer the cause lasts, and soon again after another pause', async () => {
    const { db } = world
    const buyer = await givenBidder({ balance: 0n })
    const one = await order(buyer, { itemId: await givenItem(db) })
    const secondsToLook = async (): Promise<number> => {
      const [row] = await db.query<{ at: Date }>(LOOK_AT, [one.id])
      return ((row?.at.getTime() ?? 0) - world.clock.now().getTime()) / SECOND
    }
    await db.query(PAUSE_ALL, [buyer.tenantId, world.clock.now()])
    const seen: number[] = []
    for (const wait of [0, 3, 3, 6, 12, 24, 48, 60, 60]) {
      await resume(wait * SECOND)
      seen.push(await secondsToLook())
    }
    assert.deepEqual(seen, [3, 3, 6, 12, 24, 48, 60, 60, 60])
    await resumeOrder(db, one, 'INSUFFICIENT_BALANCE', world.clock.now())
    await db.query(PAUSE_ALL, [buyer.tenantId, world.clock.now()])
    await resume(0)
    assert.equal(await secondsToLook(), 3)
  })

  it('of one key are judged by the one that needs the least: when it must wait, so do the others', async () => {
    const { db } = world
    const bounded = await givenBidder()
    await db.query(
      sql('test.bound', 'update identity.account set limit_open_trades = 0 where id = $1'),
      [bounded.accountId],
    )
    const first = await order(bounded, { itemId: await givenItem(db) })
    await db.query(CLONE_ORDERS, [first.id, 150])
    await db.query(
      sql(
        'test.pause_for_limit',
        `select bidding.pause(tenant_id, id, 'SPENDING_LIMIT_REACHED', max_price, $2) from bidding.market_order
         where account_id = $1`,
      ),
      [bounded.accountId, world.clock.now()],
    )
    const recorded = recordingDb(db)
    world.clock.advance(10 * SECOND)
    const currentRate = async () => USD_PER_EUR
    await resumeMarketOrders({ db: recorded, clock: world.clock, currentRate })
    assert.deepEqual(recorded.taken(), ['bidding.claim_to_look', 'buying.would_reach_limit'])
    assert.equal((await read(first)).status, 'paused')
  })

  it('for want of any trade URL go on with the one that failed before, once it is the primary one again', async () => {
    const { db } = world
    const buyer = await givenBidder()
    const one = await order(buyer, { itemId: await givenItem(db) })
    await db.query(
      sql(
        'test.failed_once',
        `update bidding.market_order set faults = 1, match_at = null,
           failed_url = 'https://steamcommunity.com/tradeoffer/new/?partner=1&token=accept00' where id = $1`,
      ),
      [one.id],
    )
    await pauseOrder(db, one, {
      ...{ reason: 'TRADEURL_INVALID_TOKEN', needed: null, at: world.clock.now() },
    })
    await resume()
    assert.equal((await read(one)).status, 'paused')
    await db.query(PRIMARY_URL, [newId(), buyer.accountId])
    await resume()
    assert.equal((await read(one)).status, 'open')
  })
})

const PAUSE_ALL = sql(
  'test.pause_all_of_tenant',
  `select bidding.pause(tenant_id, id, 'INSUFFICIENT_BALANCE', 1000, $2) from bidding.market_order where tenant_id = $1`,
)
const LOOK_AT = sql('test.look_at', 'select look_at at from bidding.market_order where id = $1')

const resume = async (afterMs = 60 * SECOND): Promise<void> => {
  const { db } = world
  world.clock.advance(afterMs)
  await resumeMarketOrders({ db, clock: world.clock, currentRate: async () => USD_PER_EUR })
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
    const itemId = await givenItem(world.db)
    const first = await order(buyer, { itemId, externalId: 'one' })
    await world.db.query(CLONE_ORDERS, [first.id, 199])
    assert.equal((await order(buyer, { itemId, externalId: 'one' })).id, first.id)
    await assert.rejects(
      order(buyer, { itemId, externalId: 'one', quantity: 2 }),
      refusesWith('IDEMPOTENCY_CONFLICT'),
    )
    await assert.rejects(order(buyer, { itemId }), refusesWith('MARKET_ORDER_LIMIT_REACHED'))
  })

  it('lets exactly 200 of an account and 5,000 of a merchant through, however many race', async () => {
    const { db } = world
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
    const { db } = world
    const buyer = await givenBidder()
    const itemId = await givenItem(db)
    const one = await order(buyer, { itemId })
    const other = await order(await givenBidder(), { itemId })
    await db.transaction((tx) => cancelOrdersOf(tx, [buyer.accountId], world.clock.now()))
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
