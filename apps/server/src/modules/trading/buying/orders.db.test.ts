import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import { sql } from '#infra/database/db'
import { type ManualClock, manualClock } from '#infra/testing/clock'
import { type TestDatabase, testDatabase } from '#infra/testing/database'
import { useIndexesOnly } from '#infra/testing/indexes-only'
import { until } from '#infra/testing/until'
import { mills } from '#kernel/money'
import { auditTrades, type OnCase, readTrades, type TradeItem } from '#trades'
import { createFollowing, type FollowingDeps } from './follow.ts'
import { createPlacing } from './place.ts'
import type { OrderQuery, OrderUpdate } from './ports.ts'
import { EXPEDITE_HOLDS, expediteHolds } from './store/holds.ts'
import { claimFollowed } from './store/orders.ts'
import { balanceOf, givenTrade } from './testing/buyers.ts'
import { orderUpdate, type ScriptedSupplier, scriptedSupplier } from './testing/supplier.ts'
import { createUnmatchedWatch } from './unmatched-purchase.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const HOLD_MS = 7 * 24 * HOUR

let database: TestDatabase
let clock: ManualClock
let supplier: ScriptedSupplier
let marketOpen: boolean
let cases: { what: string; details: Readonly<Record<string, unknown>> }[] = []
let reversals: string[] = []

before(async () => {
  database = await testDatabase()
})
after(() => database.close())
beforeEach(() => {
  clock = manualClock(new Date('2026-11-21T12:00:00.000Z'))
  supplier = scriptedSupplier()
  marketOpen = true
  cases = []
  reversals = []
})
afterEach(async () => {
  assert.deepEqual(await auditTrades(database.db), [])
  // What this test left open is not due in the next one.
  await database.db.query(
    sql(
      'test.put_aside',
      `update buying.item set due_at = 'infinity', created_at = 'infinity' where work <> 'none'`,
    ),
  )
})

const onCase: OnCase = (what, details) => void cases.push({ what, details })
const noCase: OnCase = (what) => assert.fail(`an unexpected case: ${what}`)
const following = (): FollowingDeps => ({
  db: database.db,
  clock,
  market: supplier,
  holdMs: HOLD_MS,
  leaseMs: 30 * SECOND,
  holdPollMs: 6 * HOUR,
  onCase,
  onReversal: (by) => reversals.push(by),
})
const watch = () => createUnmatchedWatch({ ...following(), watchMs: 24 * HOUR })()
const place = () =>
  createPlacing({
    db: database.db,
    clock,
    market: supplier,
    isMarketAvailable: async () => marketOpen,
    holdMs: HOLD_MS,
    leaseMs: 30 * SECOND,
    giveUpMs: 15 * MINUTE,
    concurrency: 8,
    onCase,
  })(new AbortController().signal)
const follow = () => createFollowing(following())()

async function givenBuy({ tradeUrl = null }: { readonly tradeUrl?: string | null } = {}) {
  const { db } = database
  const { tradeId, itemId, buyer } = await givenTrade({ db, clock }, { tradeUrl })
  const item = async (): Promise<TradeItem> => {
    const [trade] = await readTrades(db, [tradeId])
    assert.ok(trade?.items[0])
    return trade.items[0]
  }
  return {
    item,
    itemId,
    tradeId,
    status: async () => (await item()).status,
    report: (state: OrderUpdate['state'], overrides: Partial<OrderUpdate> = {}) =>
      supplier.orders.set(itemId, orderUpdate(state, overrides)),
    balance: () => balanceOf(db, buyer.accountId, 'spot'),
  }
}

describe('the gate in front of purchases', () => {
  it('is asked before each claim, and once a second while nothing is due', async () => {
    let asked = 0
    const placing = createPlacing({
      db: database.db,
      clock,
      market: supplier,
      isMarketAvailable: async () => marketOpen,
      mayPlace: async () => {
        asked++
        return true
      },
      holdMs: HOLD_MS,
      leaseMs: 30 * SECOND,
      giveUpMs: 15 * MINUTE,
      concurrency: 8,
      onCase,
    })
    const run = () => placing(new AbortController().signal)
    for (let i = 0; i < 3; i++) await run()
    assert.equal(asked, 1)
    const buy = await givenBuy()
    await run()
    assert.equal(await buy.status(), 'pending')
    assert.ok(asked > 1)
  })
})

describe('a price that cannot be meant', () => {
  it('is not paid: the item fails, is refunded, and its listing is not for sale again', async () => {
    const buy = await givenBuy()
    await createPlacing({
      db: database.db,
      clock,
      market: supplier,
      isMarketAvailable: async () => true,
      checkPrice: async () => 'the price is too cheap to be meant',
      holdMs: HOLD_MS,
      leaseMs: 30 * SECOND,
      giveUpMs: 15 * MINUTE,
      concurrency: 1,
      onCase: noCase,
    })(new AbortController().signal)
    const item = await buy.item()
    assert.deepEqual([item.status, item.failure], ['failed', 'LISTING_UNAVAILABLE'])
    assert.equal(await buy.balance(), 5000n)
    assert.equal(supplier.purchases.length, 0)
    const [listing] = await database.db.query<{ taken: boolean }>(
      sql(
        'test.listing_of_item',
        `select l.taken from buying.item i join catalog.listing l on l.id = i.listing_id where i.id = $1`,
      ),
      [buy.itemId],
    )
    assert.equal(listing?.taken, true)
  })
})

describe('the order of look-ups', () => {
  it('has a purchase without an answer before orders that move, however long those have been due', async () => {
    for (let i = 0; i < 3; i++) await givenBuy()
    await place()
    clock.advance(MINUTE)
    const lost = await givenBuy()
    supplier.answers.push({ kind: 'unknown', detail: 'no answer' })
    await place()
    clock.advance(MINUTE)
    const claim = (limit: number) =>
      claimFollowed(database.db, {
        market: supplier.id,
        account: supplier.account,
        limit,
        at: clock.now(),
        leaseUntil: new Date(clock.now().getTime() + MINUTE),
        alongMs: 0,
      })
    assert.deepEqual(
      (await claim(1)).map(({ item }) => item.id),
      [lost.itemId],
    )
    assert.equal((await claim(10)).length, 3)
    assert.equal((await claim(10)).length, 0)
  })
})

describe('a look-up', () => {
  it('takes along what is due soon, and does not begin for it alone', async () => {
    supplier = { ...supplier, traits: { ...supplier.traits, offerPollMs: SECOND / 2 } }
    await givenBuy()
    await place()
    clock.advance(supplier.traits.offerPollMs / 2)
    await givenBuy()
    await place()
    clock.advance(supplier.traits.offerPollMs / 2 - 1)
    await follow()
    assert.equal(supplier.queries.length, 0)
    clock.advance(1)
    await follow()
    assert.equal(supplier.queries.length, 2)
    clock.advance(supplier.traits.offerPollMs)
    await follow()
    assert.equal(supplier.queries.length, 4, 'an offer may be out: it is looked for as soon again')
  })
})

describe('placing an order', () => {
  it('sends our own id, the supplier’s listing, the price as ceiling and the recipient', async () => {
    const buy = await givenBuy()
    await place()
    const [purchase] = supplier.purchases
    assert.equal(purchase?.customId, buy.itemId)
    assert.equal(purchase?.ceilingMills, 10_000n)
    assert.equal(purchase?.token, 'accept00')
    assert.equal(await buy.status(), 'pending')
  })

  it('that is refused fails the item with the supplier’s reason and refunds it', async () => {
    const buy = await givenBuy()
    supplier.answers.push({ kind: 'refused', code: 'BUYER_TRADE_RESTRICTED', detail: 'held' })
    await place()
    const item = await buy.item()
    assert.deepEqual(
      [item.status, item.failure, item.failureDetail],
      ['failed', 'BUYER_TRADE_RESTRICTED', 'held'],
    )
    assert.equal(await buy.balance(), 5000n)
  })

  it('that never left is tried again under the same id', async () => {
    const buy = await givenBuy()
    supplier.answers.push({ kind: 'not-sent', detail: 'no connection', retryAfterMs: 2000 })
    await place()
    assert.equal(await buy.status(), 'initiated')
    await place()
    assert.equal(supplier.purchases.length, 1, 'not before its time')
    clock.advance(2000)
    await place()
    assert.deepEqual(
      supplier.purchases.map((purchase) => purchase.customId),
      [buy.itemId, buy.itemId],
    )
    assert.equal(await buy.status(), 'pending')
  })

  it('waits while the market is closed, and is given up after 15 minutes with a full refund', async () => {
    const buy = await givenBuy()
    marketOpen = false
    clock.advance(15 * MINUTE - 1)
    await place()
    assert.equal(await buy.status(), 'initiated')
    clock.advance(1)
    await place()
    assert.equal((await buy.item()).failure, 'MARKET_UNAVAILABLE')
    assert.equal(await buy.balance(), 5000n)
    assert.equal(supplier.purchases.length, 0)
  })

  it('of one slow market answer holds up no other', async () => {
    const slow = await givenBuy()
    let answer = (): void => {}
    supplier.answers.push(
      new Promise((resolve) => {
        answer = () => resolve({ kind: 'accepted', orderId: '1', paidMills: null })
      }),
    )
    const working = place()
    // The scripted answer is for the first call: it must be under way before anything else is for sale.
    await until('the slow call is under way', () => supplier.purchases.length === 1)
    const others = await Promise.all(Array.from({ length: 20 }, givenBuy))
    await until('the others are placed', async () => {
      const statuses = await Promise.all(others.map((buy) => buy.status()))
      return !statuses.includes('initiated')
    })
    assert.equal(await slow.status(), 'initiated')
    answer()
    await working
    assert.equal(await slow.status(), 'pending')
  })

  it('takes an item whole that was bought while the claim waited for another worker’s', async () => {
    await givenBuy()
    await place()
    const first = await givenBuy()
    let working: Promise<boolean> | undefined
    let second: Awaited<ReturnType<typeof givenBuy>> | undefined
    await database.db.transaction(async (tx) => {
      await tx.query(
        sql('test.hold_turns', 'select from buying.turn where market = $1 for update'),
        [supplier.id],
      )
      working = place()
      await until('the claim waits for the turns', async () => {
        const waiting = await database.db.query(
          sql(
            'test.waiting_claims',
            `select from pg_stat_activity where wait_event_type = 'Lock'
            and datname = current_database() and query like '%claim_placements%'`,
          ),
        )
        return waiting.length > 0
      })
      second = await givenBuy()
    })
    await working
    assert.deepEqual([await first.status(), await second?.status()], ['pending', 'pending'])
  })

  it('happens once, with several workers at once', async () => {
    const buys = await Promise.all(Array.from({ length: 12 }, givenBuy))
    await Promise.all([place(), place(), place(), place()])
    await place()
    const placed = supplier.purchases.map((purchase) => purchase.customId).sort()
    assert.deepEqual(placed, buys.map((buy) => buy.itemId).sort())
  })
})

describe('after an unknown answer', () => {
  it('the order is looked up and, once found, followed; it is never placed again', async () => {
    const buy = await givenBuy()
    supplier.answers.push({ kind: 'unknown', detail: 'the connection was cut' })
    await place()
    assert.equal(await buy.status(), 'initiated')
    buy.report('pending')
    clock.advance(SECOND)
    await follow()
    assert.equal(await buy.status(), 'pending')
    await place()
    assert.equal(supplier.purchases.length, 1)
  })

  it('an order that is missed long and often enough fails the item, and not before', async () => {
    const buy = await givenBuy()
    supplier.answers.push({ kind: 'unknown', detail: 'the connection was cut' })
    await place()
    for (const seconds of [1, 1, 30, 28]) {
      clock.advance(seconds * SECOND)
      await follow()
      assert.equal(await buy.status(), 'initiated', 'missed often, but not long enough')
    }
    clock.advance(2 * SECOND)
    await follow()
    assert.equal((await buy.item()).failure, 'PURCHASE_FAILED')
    assert.equal(await buy.balance(), 5000n)
    assert.equal(supplier.purchases.length, 1)
  })

  it('a supplier that is away proves nothing', async () => {
    const buy = await givenBuy()
    supplier.answers.push({ kind: 'unknown', detail: 'the connection was cut' })
    await place()
    supplier.online = false
    for (let i = 0; i < 20; i++) {
      clock.advance(30 * SECOND)
      await follow()
    }
    assert.equal(await buy.status(), 'initiated')
    supplier.online = true
    buy.report('hold')
    clock.advance(30 * SECOND)
    await follow()
    assert.equal(await buy.status(), 'hold')
  })

  it('an answer that makes no sense proves nothing either', async () => {
    const buy = await givenBuy()
    supplier.answers.push({ kind: 'unknown', detail: 'the connection was cut' })
    await place()
    supplier.garbled.add(buy.itemId)
    for (let i = 0; i < 5; i++) {
      clock.advance(2 * MINUTE)
      await follow()
    }
    assert.equal(await buy.status(), 'initiated')
    supplier.garbled.clear()
    buy.report('pending')
    clock.advance(SECOND)
    await follow()
    assert.equal(await buy.status(), 'pending')
  })

  it('of a worker that died between intent and answer, the order is looked up all the same', async () => {
    const buy = await givenBuy()
    supplier.answers.push(new Error('killed'))
    await assert.rejects(place(), /killed/)
    await place()
    assert.equal(supplier.purchases.length, 1, 'the intent stands: it is not placed again')
    buy.report('active', { offerId: '99' })
    clock.advance(31 * SECOND)
    await follow()
    const item = await buy.item()
    assert.deepEqual([item.status, item.offerId], ['active', '99'])
  })

  it('an order that turns up after its item was failed is an unmatched purchase, reported once and kept', async () => {
    const buy = await givenBuy()
    supplier.answers.push({ kind: 'unknown', detail: 'the connection was cut' })
    await place()
    for (const seconds of [1, 61]) {
      clock.advance(seconds * SECOND)
      await follow()
    }

    await watch()
    assert.equal(cases.length, 0)
    buy.report('pending')
    await watch()
    await watch()
    assert.deepEqual(
      cases.map(({ what, details }) => [what, details.itemId]),
      [['orphan_purchase', buy.itemId]],
    )
    assert.equal(await buy.status(), 'failed')
    assert.equal(await buy.balance(), 5000n)
  })
})

describe('following an order', () => {
  it('catches up what it missed, in order, and completes only after the window and a fresh read', async () => {
    const buy = await givenBuy()
    await place()
    buy.report('completed', { offerId: '5' })
    clock.advance(SECOND)
    await follow()
    const item = await buy.item()
    assert.equal(item.status, 'hold')
    assert.equal(item.holdEndsAt?.getTime(), clock.now().getTime() + HOLD_MS)
    clock.advance(HOLD_MS - 1)
    await follow()
    assert.equal(await buy.status(), 'hold')
    clock.advance(1)
    await follow()
    assert.equal(await buy.status(), 'completed')
  })

  it('sees a reversal at the end of the window, and makes no payment', async () => {
    const buy = await givenBuy()
    await place()
    buy.report('hold')
    clock.advance(SECOND)
    await follow()
    buy.report('reverted', { revertedBy: 'supplier' })
    clock.advance(HOLD_MS)
    await follow()
    assert.equal((await buy.item()).revertedBy, 'supplier')
    assert.equal(await buy.balance(), 5000n)
  })

  it('does not complete while the supplier cannot be asked', async () => {
    const buy = await givenBuy()
    await place()
    buy.report('hold')
    clock.advance(SECOND)
    await follow()
    supplier.online = false
    clock.advance(HOLD_MS)
    await follow()
    assert.equal(await buy.status(), 'hold')
    supplier.online = true
    clock.advance(5 * SECOND)
    await follow()
    assert.equal(await buy.status(), 'completed')
  })

  it('does not go back on an old update', async () => {
    const buy = await givenBuy()
    await place()
    buy.report('active', { offerId: '5' })
    clock.advance(SECOND)
    await follow()
    buy.report('pending')
    clock.advance(SECOND)
    await follow()
    assert.equal(await buy.status(), 'active')
  })

  it('passes the adapter what was seen before, because suppliers forget it', async () => {
    const buy = await givenBuy()
    await place()
    buy.report('hold', { offerId: '5' })
    clock.advance(SECOND)
    await follow()
    clock.advance(6 * HOUR)
    await follow()
    const { offerSeen, acceptanceSeen, orderId } = supplier.queries.at(-1) as OrderQuery
    assert.deepEqual(
      { offerSeen, acceptanceSeen, orderId },
      {
        offerSeen: true,
        acceptanceSeen: true,
        orderId: '4711',
      },
    )
  })

  it('keeps an item whose placed order the supplier has forgotten, and says so the second time', async () => {
    const buy = await givenBuy()
    await place()
    supplier.orders.delete(buy.itemId)
    clock.advance(10 * MINUTE)
    await follow()
    assert.deepEqual(cases, [])
    clock.advance(10 * MINUTE)
    await follow()
    assert.equal(await buy.status(), 'pending')
    assert.deepEqual(
      cases.map(({ what }) => what),
      ['missing'],
    )
  })
})

describe('a reversal that is seen', () => {
  const SAME_ACCOUNT = 'https://steamcommunity.com/tradeoffer/new/?partner=1&token=accept00'

  /** In its hold, next looked at in six hours. */
  async function inHold(options: { readonly tradeUrl?: string } = {}) {
    const buy = await givenBuy(options)
    await place()
    buy.report('hold')
    clock.advance(SECOND)
    await follow()
    assert.equal(await buy.status(), 'hold')
    return buy
  }

  it('makes all open holds of that platform account due at once, and no others', async () => {
    const first = await inHold({ tradeUrl: SAME_ACCOUNT })
    clock.advance(HOUR)
    const second = await inHold({ tradeUrl: SAME_ACCOUNT })
    const unrelated = await inHold()
    for (const buy of [first, second, unrelated]) {
      buy.report('reverted', { revertedBy: 'user', orderId: '4711' })
    }
    clock.advance(5 * HOUR)
    await follow()
    assert.equal(await first.status(), 'reverted')
    assert.equal(await second.status(), 'hold', 'its own time has not come')
    await follow()
    assert.equal(await second.status(), 'reverted')
    await follow()
    assert.equal(await unrelated.status(), 'hold')
    assert.deepEqual(cases, [])
    assert.deepEqual(reversals, ['user', 'user'])
  })

  it('looks for the other holds of its account alone, however many are under way', async () => {
    const buy = await inHold({ tradeUrl: SAME_ACCOUNT })
    const { name, text } = EXPEDITE_HOLDS
    const plan = await database.db.transaction(async (tx) => {
      await useIndexesOnly(tx)
      await tx.query(sql('test.analyze', 'analyze buying.item'))
      return tx.query(sql(`test.${name}`, `explain (format json) ${text}`), [
        buy.tradeId,
        clock.now(),
      ])
    })
    assert.match(JSON.stringify(plan), /"Index Name":"item_held"/)
  })

  it('is not forgotten by a look that was under way', async () => {
    const buy = await inHold({ tradeUrl: SAME_ACCOUNT })
    clock.advance(6 * HOUR)
    const { lookUp } = supplier
    // The supplier answers this look, and only then is the reversal of another item seen.
    supplier.lookUp = async (...asked) => {
      const answer = await lookUp(...asked)
      await expediteHolds(database.db, buy.tradeId, clock.now())
      return answer
    }
    await follow()
    supplier.lookUp = lookUp
    buy.report('reverted', { revertedBy: 'user', orderId: '4711' })
    await follow()
    assert.equal(await buy.status(), 'reverted')
  })
})

describe('a price that differs from the quote', () => {
  it('is a case, above the ceiling as well as below', async () => {
    const buy = await givenBuy()
    await place()
    buy.report('pending', { paidMills: mills(10_001n), orderId: '4711' })
    clock.advance(SECOND)
    await follow()
    assert.deepEqual(
      cases.map(({ what, details }) => [what, details.itemId, details.paidMills]),
      [['price_differs', buy.itemId, 10_001n]],
    )
    assert.equal((await buy.item()).price, (await givenBuy().then((other) => other.item())).price)
  })
})
