import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sql } from '#infra/database/db'
import { readFigures, type Trade } from '#trades'
import { houseBalance } from '../buying/testing/buyers.ts'
import {
  follow as followIn,
  givenSell as givenSellIn,
  HOLD_MS,
  HOUR,
  MINUTE,
  place as placeIn,
  SECOND,
  sellingEnvironment,
} from './testing/environment.ts'

const environment = sellingEnvironment()
const place = () => placeIn(environment)
const follow = () => followIn(environment)
const givenSell = (count?: number, options?: Parameters<typeof givenSellIn>[2]) =>
  givenSellIn(environment, count, options)

const STOCK = sql('test.stock', 'select * from selling.stock where item_id = any ($1::uuid[])')
const stockOf = async (trade: Trade) =>
  environment.database.db.query<{
    asset_id: string
    state: string
    cost: bigint
    context_id: string
    unlocks_at: Date
  }>(STOCK, [trade.items.map((item) => item.id)])

describe('a sell that goes well', () => {
  it('is paid once the hold is over and a fresh read is clean, the merchant’s fee taken off', async () => {
    const sell = await givenSell(2)
    const before = await houseBalance(environment.database.db, 'inventory')
    await place()
    assert.deepEqual(await sell.statuses(), ['active', 'active'])
    assert.equal(environment.platform.sent.length, 1, 'one offer carries both')
    assert.deepEqual(
      environment.platform.sent[0]?.take.map((asset) => asset.assetId),
      sell.assets,
    )
    environment.platform.accept(sell.asset)
    environment.clock.advance(SECOND)
    await follow()
    assert.equal(await sell.status(), 'hold')
    const stock = await stockOf(await sell.trade())
    assert.deepEqual(
      stock.map((row) => [row.state, row.cost, row.context_id]),
      [
        ['protected', 800n, '16'],
        ['protected', 800n, '16'],
      ],
    )
    assert.equal(stock[0]?.unlocks_at.getTime(), environment.clock.now().getTime() + HOLD_MS)
    environment.clock.advance(HOLD_MS - 1)
    await follow()
    assert.equal(await sell.status(), 'hold')
    assert.equal(await sell.wallet(), 0n, 'nothing is paid in the hold')
    environment.clock.advance(1)
    await follow()
    assert.equal(await sell.status(), 'completed')
    assert.equal(await sell.wallet(), 1568n)
    assert.equal(await sell.earnings(), 32n)
    assert.equal(await houseBalance(environment.database.db, 'inventory'), before - 1600n)
    assert.deepEqual(await sell.events(), [
      'trade.initiated',
      'trade.pending',
      'trade.active',
      'trade.hold',
      'trade.completed',
      'trade.settled',
    ])
  })

  it('in euros is paid at the rate of its moment, and the merchant in its own currency', async () => {
    const sell = await givenSell(1, { currency: 'EUR', merchantCurrency: 'USD' })
    await place()
    environment.platform.accept(sell.asset)
    environment.clock.advance(SECOND)
    await follow()
    environment.clock.advance(HOLD_MS)
    await follow()
    const range = { from: null, to: null, currency: 'USD' } as const
    const { tenantId } = sell.seller
    const { accounts: figures } = await readFigures(environment.database.db, tenantId, range, 10)
    assert.deepEqual(figures, [
      {
        accountId: sell.seller.accountId,
        tradeCount: 1,
        gmvCents: 800n,
        feesCents: 16n,
      },
    ])
    // 8.00 / 1.1 = 7.2727..., its 2% are 0.15 half up, 0.15 * 1.1 = 0.165.
    assert.equal((await sell.trade()).total, 727n)
    assert.equal(await sell.wallet(), 712n)
    assert.equal(await sell.earnings(), 16n)
  })

  it('catches up what it missed, in order', async () => {
    const sell = await givenSell()
    environment.platform.answers.push('lost')
    await place()
    environment.platform.accept(sell.asset)
    environment.clock.advance(SECOND)
    await follow()
    assert.equal(await sell.status(), 'hold')
    assert.deepEqual(await sell.events(), [
      'trade.initiated',
      'trade.pending',
      'trade.active',
      'trade.hold',
    ])
  })

  it('is not paid while the platform cannot be asked', async () => {
    const sell = await givenSell()
    await place()
    environment.platform.accept(sell.asset)
    environment.clock.advance(SECOND)
    await follow()
    environment.platform.online = false
    environment.clock.advance(HOLD_MS)
    await follow()
    assert.equal(await sell.status(), 'hold')
    environment.platform.online = true
    environment.clock.advance(10 * SECOND)
    await follow()
    assert.equal(await sell.status(), 'completed')
  })

  it('waits as long as the platform protects the exchange, when that is longer', async () => {
    const sell = await givenSell()
    await place()
    const settlesAt = new Date(environment.clock.now().getTime() + HOLD_MS + HOUR)
    environment.platform.accept(sell.asset, { settlesAt })
    environment.clock.advance(SECOND)
    await follow()
    assert.deepEqual((await sell.trade()).items[0]?.holdEndsAt, settlesAt)
  })
})

describe('a user who does not sell after all', () => {
  for (const state of ['declined', 'countered', 'expired'] as const) {
    it(`an offer that is ${state} declines the items, and no money has moved`, async () => {
      const sell = await givenSell()
      await place()
      environment.platform.report(sell.asset, state)
      environment.clock.advance(SECOND)
      await follow()
      const [item] = (await sell.trade()).items
      assert.deepEqual(
        [item?.status, item?.failure, item?.refund],
        ['declined', 'OFFER_NOT_ACCEPTED', null],
      )
      assert.equal(await sell.wallet(), 0n)
    })
  }

  it('an unanswered offer is canceled by us after its time, and counts as declined', async () => {
    const sell = await givenSell()
    await place()
    environment.clock.advance(30 * MINUTE - 1)
    await follow()
    assert.deepEqual(environment.platform.canceled, [])
    environment.clock.advance(2 * SECOND)
    await follow()
    assert.equal(environment.platform.canceled.length, 1)
    assert.equal(await sell.status(), 'declined')
  })

  it('who accepts in the moment of our cancel has sold', async () => {
    const sell = await givenSell()
    await place()
    environment.clock.advance(30 * MINUTE)
    environment.platform.cancelAnswer = { kind: 'ok', value: 'already_final' }
    await follow()
    assert.equal(await sell.status(), 'active')
    environment.platform.accept(sell.asset)
    environment.clock.advance(2 * SECOND)
    await follow()
    assert.equal(await sell.status(), 'hold')
  })

  it('an unknown answer to our cancel is no verdict, and the reason is kept', async () => {
    const sell = await givenSell()
    await place()
    environment.clock.advance(30 * MINUTE)
    environment.platform.cancelAnswer = { kind: 'unknown', detail: 'cut' }
    await follow()
    assert.equal(await sell.status(), 'active')
    environment.platform.report(sell.asset, 'canceled', { canceledBy: 'us' })
    environment.clock.advance(2 * SECOND)
    await follow()
    assert.equal(await sell.status(), 'declined')
  })

  it('assets that went elsewhere fail the items', async () => {
    const sell = await givenSell()
    await place()
    environment.platform.report(sell.asset, 'invalid_items')
    environment.clock.advance(SECOND)
    await follow()
    const [item] = (await sell.trade()).items
    assert.deepEqual([item?.status, item?.failure], ['failed', 'LISTING_UNAVAILABLE'])
  })

  it('items that the platform would park for days are not taken', async () => {
    const sell = await givenSell()
    await place()
    environment.platform.report(sell.asset, 'in_escrow')
    environment.clock.advance(SECOND)
    await follow()
    const [item] = (await sell.trade()).items
    assert.deepEqual([item?.status, item?.failure], ['failed', 'BUYER_TRADE_RESTRICTED'])
  })

  it('an offer that the platform took back cancels the items', async () => {
    const sell = await givenSell()
    await place()
    environment.platform.report(sell.asset, 'canceled', { canceledBy: 'us' })
    environment.clock.advance(SECOND)
    await follow()
    assert.equal(await sell.status(), 'canceled')
  })
})

describe('a reversal', () => {
  it('in the hold makes no payment, and the stock goes back', async () => {
    const sell = await givenSell()
    await place()
    environment.platform.accept(sell.asset)
    environment.clock.advance(SECOND)
    await follow()
    environment.platform.revert(sell.asset)
    environment.clock.advance(HOLD_MS)
    await follow()
    const trade = await sell.trade()
    assert.deepEqual([trade.status, trade.items[0]?.revertedBy], ['reverted', 'user'])
    assert.deepEqual(environment.cases, [], 'nothing is to be decided')
    assert.equal(await sell.wallet(), 0n)
    assert.deepEqual(
      (await stockOf(trade)).map((row) => row.state),
      ['returned'],
    )
  })

  it('between two looks is a hold and a reversal, in order', async () => {
    const sell = await givenSell()
    await place()
    environment.platform.accept(sell.asset)
    environment.platform.revert(sell.asset)
    environment.clock.advance(SECOND)
    await follow()
    assert.deepEqual((await sell.events()).slice(-2), ['trade.hold', 'trade.reverted'])
  })

  it('of one exchange has all other holds of that account looked at at once', async () => {
    const first = await givenSell()
    const second = await givenSell(1, { seller: first.seller })
    await place()
    environment.platform.accept(first.asset)
    environment.platform.accept(second.asset)
    environment.clock.advance(SECOND)
    await follow()
    environment.clock.advance(6 * HOUR - MINUTE)
    await place()
    const late = await givenSell(1, { seller: first.seller })
    await place()
    environment.platform.accept(late.asset)
    environment.clock.advance(SECOND)
    await follow()
    assert.equal(await late.status(), 'hold')
    for (const sell of [first, late]) environment.platform.revert(sell.asset)
    environment.clock.advance(MINUTE)
    await follow()
    await follow()
    assert.deepEqual(
      [await first.status(), await second.status(), await late.status()],
      ['reverted', 'hold', 'reverted'],
      'the last one would have been looked at hours later',
    )
  })
})

describe('what a bot received', () => {
  it('is compared with the intent: something else raises a case and makes no payment', async () => {
    const sell = await givenSell(2)
    await place()
    environment.platform.accept(sell.asset, {
      received: [{ assetId: sell.asset, newAssetId: '1', newContextId: '16' }],
    })
    environment.clock.advance(SECOND)
    await follow()
    assert.equal(await sell.status(), 'active')
    assert.deepEqual(
      environment.cases.map(({ what }) => what),
      ['sell_differs'],
    )
  })

  it('of an exchange that fell through is nothing, and the items fail', async () => {
    const sell = await givenSell()
    await place()
    environment.platform.accept(sell.asset, { state: 'failed', received: [] })
    environment.clock.advance(SECOND)
    await follow()
    assert.equal(await sell.status(), 'failed')
  })
})
