import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buyParams, type Harness, type Json, startHarness } from '../testing/harness.ts'

// What the people around an order do, as both markets and the platform report it. One text for the
// two, for what happens is the same; how each market says it is in the columns of `say`.

const START_BALANCE = 1_000_000_000

interface Teller {
  readonly market: 'market_a' | 'market_b'
  buy(h: Harness, listing: Json, token: string): Promise<Json>
  order(h: Harness): Promise<Json>
  balanceMills(h: Harness): Promise<number>
  readonly isPending: (order: Json) => boolean
  readonly isOffered: (order: Json) => boolean
  readonly isHeld: (order: Json) => boolean
  readonly isSettled: (order: Json) => boolean
}

const A: Teller = {
  market: 'market_a',
  buy: (h, listing, token) => h.a('buy-for', buyParams(listing, { token })),
  order: async (h) => (await h.a('get-buy-info-by-custom-id', { custom_id: 'order-1' })).data,
  balanceMills: async (h) => Math.round((await h.a('get-money')).money * 1000),
  isPending: (order) => Number(order.stage) === 1 && Number(order.receive_until) === 0,
  isOffered: (order) => Number(order.stage) === 1 && Number(order.trade_id ?? 0) > 0,
  isHeld: (order) => Number(order.stage) === 1 && Number(order.settlement) > 0,
  isSettled: (order) => Number(order.stage) === 2,
}

const B: Teller = {
  market: 'market_b',
  buy: (h, listing, token) => h.b('buy-one-p2p', buyParams(listing, { token })),
  order: async (h) => (await h.b('check-many-project-id', { id: 'order-1' })).trades[0],
  balanceMills: async (h) => (await h.b('user')).user.wallet,
  isPending: (order) => order.status <= 2,
  isOffered: (order) => order.status === 4 && order.release_date === null,
  isHeld: (order) => order.status === 4 && order.release_date !== null && !order.is_released,
  isSettled: (order) => order.status === 5 || order.is_released,
}

const BUYER = '76561197960269970'

async function itemOfBuyer(h: Harness): Promise<Json | undefined> {
  const { items } = await h.control('GET', `/inventories/${BUYER}`)
  return items[40]
}

async function offerOf(h: Harness): Promise<Json> {
  return (await h.control('GET', '/offers')).items[0]
}

/** Nothing is left of stage 5 but who caused it. */
function assertCleared(order: Json): void {
  assert.equal(Number(order.stage), 5)
  assert.equal(Number(order.trade_id ?? 0), 0)
  assert.equal(Number(order.settlement), 0)
  assert.equal(Number(order.receive_until), 0)
}

for (const teller of [A, B]) {
  const { market } = teller
  const begin = async (h: Harness, token: string): Promise<Json> => {
    const listing = await h.listing(market)
    const bought = await teller.buy(h, listing, token)
    assert.equal(bought.success, true)
    return listing
  }

  test(`${market}: accept00 accepts within a second of the offer and keeps the item`, async (t) => {
    const h = await startHarness(t)
    const listing = await begin(h, 'accept00')
    assert.ok(teller.isPending(await teller.order(h)))
    h.advance(700)
    const offer = await offerOf(h)
    h.advance(Math.max(0, Date.parse(offer.offeredAt) + 1_000 - h.nowMs()))
    assert.ok(teller.isHeld(await teller.order(h)))

    const held = await itemOfBuyer(h)
    assert.equal(held?.marketHashName, listing.marketHashName)
    assert.equal(held?.wear, listing.wear)
    assert.notEqual(held?.assetId, listing.assetId)
    assert.equal(held?.protected, true)

    h.advance(20_000)
    assert.ok(teller.isSettled(await teller.order(h)))
    assert.equal((await itemOfBuyer(h))?.protected, false)
    assert.equal(await teller.balanceMills(h), START_BALANCE - listing.priceMills)
    assert.equal((await h.control('GET', `/markets/${market}/listings/${listing.id}`)).status, 404)
  })

  test(`${market}: declin00 declines, the money and the listing come back`, async (t) => {
    const h = await startHarness(t)
    const listing = await begin(h, 'declin00')
    h.advance(2_000)
    assert.equal((await offerOf(h)).state, 'active', 'the offer can be seen before it falls')
    h.advance(3_000)
    const order = await teller.order(h)
    if (market === 'market_a') {
      assertCleared(order)
      assert.equal(order.causer, 'buyer')
    } else {
      assert.equal(order.status, 6)
      assert.match(order.reason, /^(declined|Buyer failed to accept)$/)
      assert.equal(order.release_date, null)
    }
    assert.equal((await offerOf(h)).state, 'declined')
    assert.equal(await teller.balanceMills(h), START_BALANCE)
    assert.equal(await itemOfBuyer(h), undefined)
    assert.equal((await h.control('GET', `/markets/${market}/listings/${listing.id}`)).status, 200)
  })

  test(`${market}: expire00 lets the offer run out after five seconds`, async (t) => {
    const h = await startHarness(t)
    await begin(h, 'expire00')
    h.advance(5_000)
    assert.ok(teller.isOffered(await teller.order(h)))
    h.advance(1_000)
    const order = await teller.order(h)
    if (market === 'market_a') assert.equal(order.causer, 'buyer')
    else assert.equal(order.reason, 'Buyer failed to accept')
    assert.equal((await offerOf(h)).state, 'expired')
    assert.equal(await teller.balanceMills(h), START_BALANCE)
  })

  test(`${market}: manual00 waits for control, and for no longer than the market does`, async (t) => {
    const h = await startHarness(t)
    await begin(h, 'manual00')
    h.advance(500_000)
    assert.ok(teller.isOffered(await teller.order(h)))
    const { offerId } = await offerOf(h)
    const accepted = await h.control('POST', `/offers/${offerId}/accept`)
    assert.equal(accepted.state, 'accepted')
    assert.ok(teller.isHeld(await teller.order(h)))
    h.advance(20_000)
    assert.ok(teller.isSettled(await teller.order(h)))

    const other = await startHarness(t)
    await begin(other, 'manual00')
    other.advance(2_000_000)
    assert.equal((await offerOf(other)).state, 'expired')
  })

  test(`${market}: slowly00 leaves the order pending for fifteen seconds`, async (t) => {
    const h = await startHarness(t)
    await begin(h, 'slowly00')
    h.advance(14_900)
    assert.ok(teller.isPending(await teller.order(h)))
    h.advance(100)
    assert.ok(teller.isOffered(await teller.order(h)))
  })

  test(`${market}: rvuser00 takes the item back in the hold and loses a share`, async (t) => {
    const h = await startHarness(t)
    const listing = await begin(h, 'rvuser00')
    h.advance(2_000)
    assert.ok(teller.isHeld(await teller.order(h)))
    h.advance(6_000)
    const order = await teller.order(h)
    // The account loses what the statement says, to the thousandth: the parts are rounded one by one.
    const parts = market === 'market_a' ? [20, 10] : [30]
    const keptMills = parts
      .map((percent) => Math.floor((listing.priceMills * percent) / 100))
      .reduce((sum, part) => sum + part, 0)
    if (market === 'market_a') {
      assertCleared(order)
      assert.equal(order.causer, 'buyer')
      assert.equal(order.refund.seller.amount, Math.floor(listing.priceMills * 0.2) / 1000)
      assert.equal(order.refund.market.amount, Math.floor(listing.priceMills * 0.1) / 1000)
    } else {
      assert.equal(order.status, 6)
      assert.notEqual(order.release_date, null)
      assert.deepEqual(order.penalties, { buyer: keptMills })
    }
    assert.equal(await teller.balanceMills(h), START_BALANCE - keptMills)
    assert.equal(await itemOfBuyer(h), undefined)
    const seller = await h.control('GET', `/inventories/${listing.sellerId}`)
    assert.equal(seller.items[40].wear, listing.wear)
  })

  test(`${market}: rvsupp00 has the seller take the item back, and all money returns`, async (t) => {
    const h = await startHarness(t)
    await begin(h, 'rvsupp00')
    h.advance(8_000)
    const order = await teller.order(h)
    if (market === 'market_a') {
      assert.equal(order.causer, 'seller')
      assert.notEqual(typeof order.refund, 'object')
    } else {
      assert.equal(order.status, 6)
      assert.notEqual(order.release_date, null)
      assert.equal('penalties' in order, false)
    }
    assert.equal(await teller.balanceMills(h), START_BALANCE)
    assert.equal(await itemOfBuyer(h), undefined)
  })

  test(`${market}: a reversal in a hold of one second still comes before its end`, async (t) => {
    const h = await startHarness(t, { config: { holdMs: 1_000 } })
    await begin(h, 'rvuser00')
    h.advance(5_000)
    assert.equal((await offerOf(h)).state, 'reversed')
  })

  test(`${market}: seller_cancels gives up before there is an offer`, async (t) => {
    const h = await startHarness(t)
    await h.script(market, 'seller_cancels')
    await begin(h, 'accept00')
    h.advance(1_000)
    const order = await teller.order(h)
    if (market === 'market_a') {
      assertCleared(order)
      assert.ok(order.causer === null || order.causer === 'seller')
    } else assert.equal(order.reason, 'seller failed to send')
    assert.deepEqual((await h.control('GET', '/offers')).items, [])
    assert.equal(await teller.balanceMills(h), START_BALANCE)
  })

  if (market === 'market_a') {
    test('market_a: unlikely_seller_cancels costs the time of who takes such a seller', async (t) => {
      const h = await startHarness(t)
      const { items } = await h.control('GET', '/markets/market_a/listings?limit=100')
      const [unlikely] = (items as Json[]).filter(({ auto }) => !auto)
      assert.ok(unlikely)
      await h.script(market, 'unlikely_seller_cancels')
      const refused = await h.a('buy-for', { ...buyParams(unlikely), chance_to_transfer: 95 })
      assert.equal(refused.success, false)
      const bought = await teller.buy(h, unlikely, 'accept00')
      assert.equal(bought.success, true)
      h.advance(1_000)
      assertCleared(await teller.order(h))
    })
  }

  test(`${market}: seller_cancels_offer takes the offer back before the buyer answers`, async (t) => {
    const h = await startHarness(t)
    await h.script(market, 'seller_cancels_offer')
    await begin(h, 'accept00')
    h.advance(2_000)
    const order = await teller.order(h)
    if (market === 'market_a') assert.equal(order.causer, 'seller')
    else assert.equal(order.reason, 'Seller failed to accept')
    assert.equal((await offerOf(h)).state, 'canceled')
    assert.equal(await teller.balanceMills(h), START_BALANCE)
  })

  test(`${market}: reversal_by reverses an order of any buyer`, async (t) => {
    const h = await startHarness(t)
    await h.script(market, 'reversal_by:user')
    await begin(h, 'accept00')
    h.advance(8_000)
    assert.equal((await offerOf(h)).endedBy, 'buyer')
    const other = await startHarness(t)
    await other.script(market, 'reversal_by:supplier')
    await begin(other, 'accept00')
    other.advance(8_000)
    assert.equal((await offerOf(other)).endedBy, 'seller')
  })
}
