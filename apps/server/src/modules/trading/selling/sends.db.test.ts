import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sql } from '#infra/database/db'
import { whileHeldUp } from '#infra/testing/held-up'
import { readTrades } from '#trades'
import { balanceOf, givenMerchant } from '../buying/testing/buyers.ts'
import { cancelSell } from './cancel.ts'
import { createLostOfferWatch } from './follow.ts'
import type { Seller } from './sell.ts'
import { assign, claimWaiting } from './store/offers.ts'
import {
  follow as followIn,
  following,
  givenSell as givenSellIn,
  HOLD_MS,
  MINUTE,
  place as placeIn,
  SECOND,
  sellingEnvironment,
} from './testing/environment.ts'
import { aBot } from './testing/platform.ts'
import {
  givenAssets,
  givenSeller,
  sameUserElsewhere,
  sellAssets,
  sellDeps,
} from './testing/sellers.ts'

const BOT = '76561190000000001'

const environment = sellingEnvironment()
const place = () => placeIn(environment)
const follow = () => followIn(environment)
const givenSell = (count?: number, options?: Parameters<typeof givenSellIn>[2]) =>
  givenSellIn(environment, count, options)

/** Scans miss the offer whose answer was lost for long enough; it is taken off the platform until then. */
async function givenUp(sell: Awaited<ReturnType<typeof givenSell>>) {
  const { clock, platform } = environment
  platform.answers.push('lost')
  await place()
  const [offer] = platform.offers.values()
  assert.ok(offer)
  platform.offers.clear()
  for (const seconds of [1, 61]) {
    clock.advance(seconds * SECOND)
    await follow()
  }
  assert.equal(await sell.status(), 'failed')
  return offer
}

describe('an offer whose answer was lost', () => {
  it('is found by its intent id and assets, and never sent again', async () => {
    const sell = await givenSell()
    environment.platform.answers.push('lost')
    await place()
    assert.equal(await sell.status(), 'pending')
    environment.clock.advance(SECOND)
    await follow()
    await place()
    assert.equal(await sell.status(), 'active')
    assert.equal(environment.platform.sent.length, 1)
  })

  it('that scans miss long and often enough fails the items, and not before', async () => {
    const sell = await givenSell()
    environment.platform.answers.push('lost-unsent')
    await place()
    for (const seconds of [1, 1, 58]) {
      environment.clock.advance(seconds * SECOND)
      await follow()
      assert.equal(await sell.status(), 'pending', 'missed often, but not long enough')
    }
    environment.clock.advance(2 * SECOND)
    await follow()
    const [item] = (await sell.trade()).items
    assert.deepEqual([item?.status, item?.failure], ['failed', 'PURCHASE_FAILED'])
    await place()
    assert.equal(environment.platform.sent.length, 0)
  })

  it('a platform that is away proves nothing', async () => {
    const sell = await givenSell()
    environment.platform.answers.push('lost')
    await place()
    environment.platform.online = false
    for (let i = 0; i < 10; i++) {
      environment.clock.advance(MINUTE)
      await follow()
    }
    assert.equal(await sell.status(), 'pending')
    environment.platform.online = true
    environment.clock.advance(MINUTE)
    await follow()
    assert.equal(await sell.status(), 'active')
  })

  it('of a worker that died between intent and answer is looked for all the same', async () => {
    const sell = await givenSell()
    environment.platform.onSend = () => Promise.reject(new Error('killed'))
    await assert.rejects(place(), /killed/)
    environment.platform.onSend = null
    await place()
    assert.equal(environment.platform.sent.length, 1, 'the intent stands: it is not sent again')
    environment.clock.advance(31 * SECOND)
    await follow()
    assert.equal(await sell.status(), 'active')
  })

  it('that turns up after its items failed is canceled before it can be accepted, and reported once', async () => {
    const offer = await givenUp(await givenSell())
    environment.platform.offers.set(offer.offerId, offer)
    const watch = createLostOfferWatch(following(environment))
    await watch()
    await watch()
    assert.deepEqual(environment.platform.canceled, [offer.offerId])
    assert.deepEqual(
      environment.cases.map(({ what }) => what),
      ['orphan_offer'],
    )
  })

  it('is looked for in its turn, however many newer ones have been given up', async () => {
    const { database, platform } = environment
    const offer = await givenUp(await givenSell())
    platform.offers.set(offer.offerId, offer)
    await database.db.query(GIVE_UP_MORE, [offer.offerIntentId])
    const watch = createLostOfferWatch(following(environment))
    await watch()
    assert.deepEqual(platform.canceled, [])
    await watch()
    assert.deepEqual(platform.canceled, [offer.offerId])
  })
})

/** Newer offers of the same bot than this one, given up as it was. */
const GIVE_UP_MORE = sql(
  'test.give_up_more',
  `insert into selling.offer (trade_id, bot_id, platform_id, state, sent_at, expires_at, due_at)
   select trade_id, bot_id, platform_id, state, sent_at + n * interval '1 second', expires_at, due_at
   from selling.offer, generate_series(1, 100) n where id = $1`,
)

describe('an offer that is certainly not sent', () => {
  for (const [reason, failure] of [
    ['url_invalid', 'TRADE_URL_INVALID'],
    ['inventory_private', 'TRADE_URL_INVALID'],
    ['trade_ban', 'STEAM_ACCOUNT_RESTRICTED'],
    ['trade_hold', 'BUYER_TRADE_RESTRICTED'],
    ['items_gone', 'LISTING_UNAVAILABLE'],
  ] as const) {
    it(`for ${reason} fails the items with ${failure}`, async () => {
      const sell = await givenSell()
      environment.platform.answers.push({ kind: 'rejected', reason, detail: 'as it says' })
      await place()
      const [item] = (await sell.trade()).items
      assert.deepEqual(
        [item?.status, item?.failure, item?.failureDetail],
        ['failed', failure, 'as it says'],
      )
    })
  }

  it('because a bot is in trouble is taken over by another bot', async () => {
    const other = '76561190000000002'
    environment.platform.bots.set(other, aBot(other, { freeSlots: 5 }))
    const sell = await givenSell()
    environment.platform.answers.push({
      kind: 'rejected',
      reason: 'bot_restricted',
      detail: 'locked',
    })
    await place()
    assert.equal(await sell.status(), 'active')
    assert.deepEqual(
      environment.platform.sent.map((offer) => offer.botId),
      [other],
    )
  })

  it('because the sell cannot be given to a bot keeps no other from being sent', async () => {
    const { db } = environment.database
    const made = []
    for (let i = 0; i < 3; i++) {
      environment.clock.advance(SECOND)
      made.push(await givenSell())
    }
    const id = made[1]?.receipt.tradeId
    await db.script(
      `alter table selling.offer add constraint offer_test check (trade_id <> '${id}') not valid`,
    )
    await assert.rejects(place(), /offer_test/)
    await db.script('alter table selling.offer drop constraint offer_test')
    assert.deepEqual(await Promise.all(made.map((sell) => sell.status())), [
      'active',
      'initiated',
      'active',
    ])
  })

  it('waits for a bot for 15 minutes, and then fails', async () => {
    const sell = await givenSell()
    environment.platform.bots.clear()
    environment.clock.advance(15 * MINUTE - 1)
    await place()
    assert.equal(await sell.status(), 'initiated')
    environment.clock.advance(1)
    await place()
    const [item] = (await sell.trade()).items
    assert.deepEqual([item?.status, item?.failure], ['failed', 'MARKET_UNAVAILABLE'])
  })
})

describe('a platform account that two tenants have linked', () => {
  const elsewhere = (seller: Seller) => sameUserElsewhere(environment.database.db, seller)

  it('sells by either, however many offers the other one leaves undecided', async () => {
    const first = await givenSell()
    const hoard = [first]
    for (let i = 0; i < 7; i++) hoard.push(await givenSell(1, { seller: first.seller }))
    await place()
    const seller = await elsewhere(first.seller)
    const beside = await givenSell(1, { seller })
    environment.clock.advance(3 * SECOND)
    await place()
    assert.equal(await beside.status(), 'active')
    const out = (await Promise.all(hoard.map((sell) => sell.status()))).filter(
      (status) => status === 'active',
    )
    assert.equal(out.length, 3, 'half of what one bot may open to it')
  })

  it('is left to others also where two workers have claimed the next sells of one tenant', async () => {
    const { clock, database } = environment
    const first = await givenSell()
    await givenSell(1, { seller: first.seller })
    await place()
    for (let i = 0; i < 2; i++) await givenSell(1, { seller: first.seller })
    const at = clock.now()
    const leaseUntil = new Date(at.getTime() + MINUTE)
    const limits = { bots: [aBot(BOT)], botLimit: 30, partnerLimit: 5, at, leaseUntil }
    const claimed: string[] = []
    for (let worker = 0; worker < 2; worker++) {
      const claim = { ...limits, limit: 1, placeableSince: new Date(0) }
      claimed.push(...(await claimWaiting(database.db, claim)))
    }
    assert.equal(claimed.length, 2, 'neither knows of what the other has claimed')
    const offers: number[] = []
    for (const tradeId of claimed) {
      offers.push((await assign(database.db, { ...limits, tradeId, expiresAt: leaseUntil })).length)
    }
    assert.deepEqual(offers, [1, 0], 'with the third offer it has half of what the bot may open')
  })

  it('sells an asset once: the offer of the other tenant comes to nothing', async () => {
    const { clock, database, platform } = environment
    const { db } = database
    const first = await givenSell()
    const seller = await elsewhere(first.seller)
    const { tradeId } = await sellAssets(sellDeps(db, clock, platform), seller, first.assets)
    await assert.rejects(sellAssets(sellDeps(db, clock, platform), seller, first.assets))
    await place()
    const [one, other] = platform.sent
    assert.deepEqual(one?.take, other?.take)
    platform.accept(first.asset)
    for (const [id, offer] of platform.offers) {
      if (offer.state === 'active') platform.offers.set(id, { ...offer, state: 'invalid_items' })
    }
    clock.advance(SECOND)
    await follow()
    clock.advance(HOLD_MS)
    await follow()
    const [second] = await readTrades(db, [tradeId])
    assert.deepEqual([await first.status(), second?.status].sort(), ['completed', 'failed'])
    const wallets = [await first.wallet(), await balanceOf(db, seller.accountId, 'spot')]
    assert.deepEqual(wallets.sort(), [0n, 784n])
  })
})

describe('a share', () => {
  const merchant = () => givenMerchant(environment.database.db)
  type Sells = readonly Awaited<ReturnType<typeof givenSell>>[]
  /** Each of a user of its own. */
  const sells = async (count: number, tenantId: string): Promise<Sells> => {
    const made = []
    for (let i = 0; i < count; i++) made.push(await givenSell(1, { tenantId }))
    return made
  }
  const outOf = async (all: Sells): Promise<number> =>
    (await Promise.all(all.map((sell) => sell.status()))).filter((status) => status === 'active')
      .length

  it('of bots goes to others, too, however many offers one tenant leaves undecided', async () => {
    const hoard = await sells(18, await merchant())
    await place()
    assert.equal(await outOf(hoard), 15, 'half of the offers that a bot may have')
    const [next, last] = [await sells(9, await merchant()), await sells(1, await merchant())]
    environment.clock.advance(2 * SECOND)
    await place()
    assert.deepEqual([await outOf(hoard), await outOf(next), await outOf(last)], [15, 7, 1])
    for (const sell of hoard) {
      if ((await sell.status()) === 'active') environment.platform.report(sell.asset, 'declined')
    }
    environment.clock.advance(2 * SECOND)
    await follow()
    await place()
    assert.equal(await outOf(hoard), 3, 'what waited has its turn when others have ended')
  })

  it('of a partner is shared by its children', async () => {
    const { db } = environment.database
    const partnerId = await merchant()
    const child = await sells(10, partnerId)
    await db.query(ONE_CHILD, [partnerId, child[0]?.seller.accountId])
    await place()
    assert.equal(await outOf(child), 8)
  })

  it('goes round by tenant and account, however long one of them has waited', async () => {
    const { clock, database } = environment
    const [hoarder, other] = [await merchant(), await merchant()]
    const made: Sells[number][] = []
    const sellAs = async (of: { seller?: Sells[number]['seller']; tenantId?: string }) => {
      clock.advance(SECOND)
      const sell = await givenSell(1, of)
      made.push(sell)
      return sell
    }
    const { seller } = await sellAs({ tenantId: hoarder })
    for (let i = 0; i < 3; i++) await sellAs({ seller })
    await sellAs({ tenantId: hoarder })
    await sellAs({ tenantId: other })
    const at = clock.now()
    const claimed = await claimWaiting(database.db, {
      ...{ bots: [aBot(BOT)], botLimit: 30, partnerLimit: 5, limit: 4 },
      ...{ at, leaseUntil: at, placeableSince: new Date(0) },
    })
    assert.deepEqual(
      claimed.map((id) => made.findIndex(({ receipt }) => receipt.tradeId === id)),
      [0, 5, 4, 1],
    )
  })

  it('of those that wait is limited: beyond it a sell is refused', async () => {
    const { db } = environment.database
    await db.script('update selling.policy set waiting_limit = 2')
    const [hoarder, other] = [await merchant(), await merchant()]
    await sells(2, hoarder)
    await assert.rejects(sells(1, hoarder), { key: 'SELL_NO_BOT_AVAILABLE' })
    await sells(1, other)
    await place()
    await sells(1, hoarder)
    await db.script('update selling.policy set waiting_limit = 100')
  })

  it('of those that wait is limited also for sells at the same moment: exactly as many pass as may', async () => {
    const { clock, database, platform } = environment
    const { db } = database
    await db.script('update selling.policy set waiting_limit = 2')
    const tenantId = await merchant()
    const count = 6
    const sellers = await Promise.all(
      Array.from({ length: count }, () => givenSeller(db, { tenantId })),
    )
    const assets = sellers.map((seller) => givenAssets(platform, seller))
    const deps = sellDeps(db, clock, platform)
    // It is remembered: from here on nothing but the count reads the table.
    await deps.readPolicy()
    const limit = { table: 'selling.policy', named: 'place_sell', count }
    const results = await whileHeldUp(db, limit, () =>
      Promise.allSettled(sellers.map((seller, i) => sellAssets(deps, seller, assets[i] ?? []))),
    )
    await db.script('update selling.policy set waiting_limit = 100')
    const refused = results.flatMap((one) => (one.status === 'rejected' ? [one.reason.key] : []))
    assert.deepEqual(refused, Array(count - 2).fill('SELL_NO_BOT_AVAILABLE'))
  })
})

/** A merchant as a partner, and all sells of its users as those of one child. */
const ONE_CHILD = sql(
  'test.one_child',
  `with kinds as (
     update identity.account set kind = case when id = $1 then 'partner' else 'child' end where $1 in (id, parent_id))
   update selling.sell set account_id = $2 where tenant_id = $1`,
)

describe('limits of the platform', () => {
  it('a bot without room leaves the rest to others: one offer for each bot', async () => {
    const [a, b] = ['76561190000000011', '76561190000000012'] as const
    environment.platform.bots.clear()
    environment.platform.bots.set(a, aBot(a, { freeSlots: 3 }))
    environment.platform.bots.set(b, aBot(b, { freeSlots: 2 }))
    environment.clock.advance(3 * SECOND)
    await place()
    const sell = await givenSell(5)
    await place()
    assert.deepEqual(
      environment.platform.sent.map((offer) => [offer.botId, offer.take.length]).sort(),
      [
        [a, 3],
        [b, 2],
      ],
    )
    environment.platform.accept(environment.platform.sent[0]?.take[0]?.assetId as string)
    environment.platform.report(
      environment.platform.sent[1]?.take[0]?.assetId as string,
      'declined',
    )
    environment.clock.advance(SECOND)
    await follow()
    environment.clock.advance(HOLD_MS)
    await follow()
    assert.equal(await sell.status(), 'completed')
    const { items } = await sell.trade()
    assert.equal(new Set(items.map((item) => item.offerId)).size, 2)
  })

  it('a sixth offer to one user waits until one of five has ended', async () => {
    environment.platform.bots.set('76561190000000002', aBot('76561190000000002'))
    const first = await givenSell()
    const others = await Promise.all(
      Array.from({ length: 5 }, () => givenSell(1, { seller: first.seller })),
    )
    await place()
    const all = [first, ...others]
    const waiting: typeof all = []
    for (const sell of all) if ((await sell.status()) === 'initiated') waiting.push(sell)
    assert.equal(waiting.length, 1)
    const out = all.find((sell) => sell !== waiting[0])
    environment.platform.report(out?.asset ?? '', 'declined')
    environment.clock.advance(2 * SECOND)
    await follow()
    await place()
    assert.equal(await waiting[0]?.status(), 'active')
  })

  it('a bot with 30 offers out gets no more', async () => {
    const sell = await givenSell()
    environment.platform.bots.set(BOT, aBot(BOT, { activeOffers: 30 }))
    environment.clock.advance(3 * SECOND)
    await place()
    assert.equal(await sell.status(), 'initiated')
  })

  it('several workers at once send each item once', async () => {
    const sells = await Promise.all(Array.from({ length: 12 }, () => givenSell(2)))
    await Promise.all(Array.from({ length: 20 }, place))
    const taken = environment.platform.sent.flatMap((offer) =>
      offer.take.map((asset) => asset.assetId),
    )
    assert.equal(taken.length, 24)
    assert.equal(new Set(taken).size, 24)
    for (const sell of sells) environment.platform.accept(sell.asset)
    environment.clock.advance(SECOND)
    await Promise.all(Array.from({ length: 20 }, follow))
    environment.clock.advance(HOLD_MS)
    await Promise.all(Array.from({ length: 20 }, follow))
    for (const sell of sells) {
      assert.equal(await sell.status(), 'completed')
      assert.equal(await sell.wallet(), 1568n)
    }
  })
})

describe('canceling', () => {
  it('what no bot has yet is done at once', async () => {
    const sell = await givenSell(2)
    const answer = await cancelSell(
      { db: environment.database.db, clock: environment.clock },
      { tradeId: sell.receipt.tradeId, itemId: null },
    )
    assert.deepEqual(
      answer.map((item) => item.canceled),
      [true, true],
    )
    assert.equal(await sell.status(), 'canceled')
    await place()
    assert.equal(environment.platform.sent.length, 0)
  })

  it('one item leaves the others to be sold', async () => {
    const sell = await givenSell(2)
    const itemId = (await sell.trade()).items[0]?.id as string
    await cancelSell(
      { db: environment.database.db, clock: environment.clock },
      { tradeId: sell.receipt.tradeId, itemId },
    )
    await place()
    assert.deepEqual(await sell.statuses(), ['canceled', 'active'])
    assert.equal(environment.platform.sent[0]?.take.length, 1)
  })

  it('is refused while an offer may be on its way, and once it is out', async () => {
    const sell = await givenSell()
    const cancel = async () =>
      (
        await cancelSell(
          { db: environment.database.db, clock: environment.clock },
          { tradeId: sell.receipt.tradeId, itemId: null },
        )
      )[0]?.reason
    environment.platform.onSend = async () => {
      assert.equal(await cancel(), 'TRADE_CANCEL_TOO_SOON')
    }
    await place()
    environment.platform.onSend = null
    assert.equal(await cancel(), 'TRADE_NOT_CANCELLABLE')
    assert.equal(await sell.status(), 'active')
  })

  it('against 20 workers ends one way: canceled and never sent, or sent', async () => {
    const sells = await Promise.all(Array.from({ length: 10 }, () => givenSell()))
    await Promise.all([
      ...Array.from({ length: 20 }, place),
      ...sells.map((sell) =>
        cancelSell(
          { db: environment.database.db, clock: environment.clock },
          { tradeId: sell.receipt.tradeId, itemId: null },
        ),
      ),
    ])
    const taken = new Set(
      environment.platform.sent.flatMap((offer) => offer.take.map((asset) => asset.assetId)),
    )
    for (const sell of sells) {
      assert.equal(await sell.status(), taken.has(sell.asset) ? 'active' : 'canceled')
    }
  })
})
