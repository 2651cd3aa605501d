// Canceling over HTTP, against both markets: too soon, in time, too late, and at the very moment of the
// delivery. Whatever happens, an item has one end and its money is right.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pass } from 'node:timers/promises'
import type { Trade } from '@tradepost/contract'
import { testDatabase } from '../../apps/server/src/infra/testing/database.ts'
import { MARKETS, type MarketId } from '../support/sandbox.ts'
import { shareStack } from '../support/shared-stack.ts'
import { type Stack, startStack } from '../support/stack.ts'
import {
  aBuyer,
  balanceOf,
  buyNext,
  buyRaw,
  centsOf,
  type ListingSupply,
  onlyItem,
  readTrade,
  stock,
  untilEnded,
  untilStatus,
} from '../support/trading.ts'
import { until } from '../support/until.ts'

let stack: Stack
let supplyOf: Record<MarketId, ListingSupply>

before(async () => {
  stack = await shareStack()
  supplyOf = {
    market_a: await stock(stack.control, 'market_a'),
    market_b: await stock(stack.control, 'market_b'),
  }
})
after(() => stack.close())

/** Asks until it is not too soon any more; everything before was. */
const untilOldEnough = (tradeId: string, itemId: string, behalf: string) =>
  until(`${tradeId} is old enough to cancel`, async () => {
    const answer = await stack.merchant.call('cancelItem', {
      behalf,
      params: { tradeId, itemId },
    })
    if (answer.error?.key === 'TRADE_CANCEL_TOO_SOON') return null
    return answer
  })

describe('an order that waits', { concurrency: MARKETS.length }, () => {
  // One after the other at each: a word is for the next cancel at its market.
  for (const market of MARKETS)
    describe(`at ${market}`, { concurrency: 1 }, () => cancelsAt(market))
})

function cancelsAt(market: MarketId): void {
  it('an order that waits for its seller is canceled once it is old enough, and refunded', async () => {
    const { merchant, webhooks } = stack
    const behalf = await aBuyer(merchant, `patient-${market}`)
    const { receipt } = await buyNext(merchant, {
      market,
      supply: supplyOf[market],
      token: 'slowly00',
      behalf,
    })
    const trade = await untilStatus(merchant, receipt.id, ['pending'])
    const answer = await untilOldEnough(trade.id, onlyItem(trade).id, behalf)
    assert.deepEqual(answer.data, { itemId: onlyItem(trade).id, status: 'cancelled' })
    const ended = await readTrade(merchant, trade.id)
    assert.equal(ended.status, 'canceled')
    assert.deepEqual(onlyItem(ended).refund, {
      amount: ended.totalPrice,
      penalty: 0,
      buyerFault: false,
    })
    assert.equal(await balanceOf(merchant, behalf), 100)
    await until('the events have arrived', () => {
      const events = webhooks.typesOf(trade.id).join(' ')
      return events === 'initiated pending canceled refunded'
    })
    for (const key of ['TRADE_NOT_CANCELLABLE'] as const) {
      await merchant.refused(key, 'cancelTrade', { behalf, params: { tradeId: trade.id } })
      await merchant.refused(key, 'cancelItem', {
        behalf,
        params: { tradeId: trade.id, itemId: onlyItem(trade).id },
      })
    }
  })

  it('a cancel whose answer is lost is reported as failed, and its order shows the end', async () => {
    const { merchant, control } = stack
    const behalf = await aBuyer(merchant, `unlucky-${market}`)
    const { receipt } = await buyNext(merchant, {
      market,
      supply: supplyOf[market],
      token: 'slowly00',
      behalf,
    })
    const trade = await untilStatus(merchant, receipt.id, ['pending'])
    await until('a cancel was done and lost', async () => {
      await control.script(market, 'lost_cancel_done')
      const answer = await merchant.get('cancelTrade', {
        behalf,
        params: { tradeId: trade.id },
      })
      assert.equal(answer.requested, 1)
      assert.equal(answer.cancelled, 0)
      // Until it is old enough by our clock the market is not asked, and the word waits for the next
      // call; by the market's clock it may be a moment younger, and what is lost is its refusal.
      const [item] = answer.items
      if (item?.reason !== undefined) return false
      assert.equal(item?.status, 'failed')
      const orders = await control.orders()
      return orders.find(({ customId }) => customId === onlyItem(trade).id)?.stage === 'canceled'
    })
    assert.equal((await untilEnded(merchant, trade.id)).status, 'canceled')
    assert.equal(await balanceOf(merchant, behalf), 100)
    await control.clearScript(market)
  })
}

describe('what cannot be canceled', () => {
  it('an offer that is out, and it is delivered all the same', async () => {
    const { merchant, control } = stack
    const behalf = await aBuyer(merchant, 'late')
    const { receipt } = await buyNext(merchant, {
      market: 'market_b',
      supply: supplyOf.market_b,
      token: 'manual00',
      behalf,
    })
    const trade = await untilStatus(merchant, receipt.id, ['active'])
    const params = { tradeId: trade.id }
    const answer = await merchant.get('cancelTrade', { behalf, params })
    assert.deepEqual(answer.items, [
      { itemId: onlyItem(trade).id, status: 'failed', reason: 'TRADE_NOT_CANCELLABLE' },
    ])
    assert.deepEqual([answer.requested, answer.cancelled, answer.failed], [1, 0, 1])
    await control.moveOffer(onlyItem(trade).offerId ?? '', 'accept')
    assert.equal((await untilEnded(merchant, trade.id)).status, 'completed')
    await merchant.refused('TRADE_NOT_CANCELLABLE', 'cancelTrade', { behalf, params })
    await merchant.refused('TRADE_NOT_FOUND', 'cancelTrade', { params })
    await merchant.refused('ITEM_NOT_FOUND', 'cancelItem', {
      behalf,
      params: { ...params, itemId: 'never-bought' },
    })
  })
})

describe('at the moment of the delivery', () => {
  it('each item is either canceled and refunded or delivered and paid', async () => {
    const { merchant, control } = stack
    const behalf = await aBuyer(merchant, 'wavering', '1000.00')
    const start = 100_000
    const trades: string[] = []
    for (let i = 0; i < 10; i++) {
      const market = MARKETS[i % 2] as MarketId
      const bought = await buyNext(merchant, {
        market,
        supply: supplyOf[market],
        token: 'slowly00',
        behalf,
      })
      trades.push(bought.receipt.id)
    }
    for (let i = 0; i < 6; i++) {
      const market = MARKETS[i % 2] as MarketId
      const bought = await buyNext(merchant, { market, supply: supplyOf[market], behalf })
      trades.push(bought.receipt.id)
    }
    // A basket over both markets, of which parts are sent while others are still to be had.
    const basket = await buyRaw(merchant, {
      raw: [`market_a:${supplyOf.market_a.take().id}`, `market_b:${supplyOf.market_b.take().id}`],
      token: 'slowly00',
      behalf,
    })
    if (basket.data) trades.push(basket.data.id)
    assert.ok((await control.state()).markets)

    // Two callers who do not know of each other ask for everything, again and again, until all has ended.
    const caller = async (): Promise<void> => {
      const open = new Set(trades)
      await until('nothing is left to cancel', async () => {
        for (const tradeId of open) {
          const answer = await merchant.call('cancelTrade', { behalf, params: { tradeId } })
          if (answer.error?.key === 'TRADE_NOT_CANCELLABLE') open.delete(tradeId)
          else assert.equal(answer.error, null)
        }
        return open.size === 0
      })
    }
    await Promise.all([caller(), caller()])
    const ended: Trade[] = []
    for (const id of trades) ended.push(await untilEnded(merchant, id))
    let kept = 0
    for (const item of ended.flatMap(({ items }) => items)) {
      assert.ok(['canceled', 'completed'].includes(item.status), JSON.stringify(item))
      if (item.status === 'completed') kept += centsOf(item.price)
      else assert.equal(item.refund?.amount, item.price)
    }
    assert.equal(centsOf(await balanceOf(merchant, behalf)), start - kept)
    await stack.auditBooks()
  })
})

const ORDERS_A_ROUND = 24
/**
 * When the callers come, spread over the moment of the seller's offer; further rounds until both ends were
 * met. Most sellers make it 0.3 to 0.7 seconds after the order, which is over before the first caller comes
 * where the machine is busy; a slow one makes it after 15 seconds, and no machine misses that on both sides.
 */
const ROUNDS = [
  { token: 'accept00', fromMs: 150, toMs: 900 },
  { token: 'accept00', fromMs: 10, toMs: 250 },
  { token: 'slowly00', fromMs: 1_000, toMs: 20_000 },
]

describe('markets that let an order of any age be canceled', () => {
  let young: Stack
  before(async () => {
    const settings = JSON.stringify({ cancelAfterMs: 0 })
    young = await startStack(await testDatabase({ poolSize: 2 }), {
      SANDBOX_MARKET_A_SETTINGS: settings,
      SANDBOX_MARKET_B_SETTINGS: settings,
    })
  })
  after(() => young.close())

  it('in the moment in which the offer goes out, each order ends one way for both sides', async (t) => {
    const { merchant, control } = young
    const supplies = {
      market_a: await stock(control, 'market_a'),
      market_b: await stock(control, 'market_b'),
    }
    const paidTo = async (): Promise<number[]> => {
      const { markets } = await control.state()
      return MARKETS.map((market) => Number(markets[market].accounts[0]?.balance) * 1000)
    }
    const before = await paidTo()
    const behalf = await aBuyer(merchant, 'of-two-minds', '1000.00')

    /** Two callers at the same moment; only what is too soon is asked for again. */
    const buyAndCancel = async (
      market: MarketId,
      token: string,
      delayMs: number,
    ): Promise<string> => {
      const supply = supplies[market]
      const { receipt } = await buyNext(merchant, { market, supply, token, behalf })
      await pass(delayMs)
      const params = { tradeId: receipt.id }
      const caller = (): Promise<boolean> =>
        until(`${receipt.id} is canceled or is not`, async () => {
          const { data, error } = await merchant.call('cancelTrade', { behalf, params })
          if (error !== null) assert.equal(error.key, 'TRADE_NOT_CANCELLABLE')
          return data?.items[0]?.reason !== 'TRADE_CANCEL_TOO_SOON'
        })
      await Promise.all([caller(), caller()])
      return receipt.id
    }
    const ended: Trade[] = []
    const countOf = (status: string): number =>
      ended.filter((trade) => trade.status === status).length
    for (const { token, fromMs, toMs } of ROUNDS) {
      const bought = await Promise.all(
        Array.from({ length: ORDERS_A_ROUND }, (_, i) =>
          buyAndCancel(
            MARKETS[i % 2] as MarketId,
            token,
            fromMs + ((toMs - fromMs) * i) / ORDERS_A_ROUND,
          ),
        ),
      )
      for (const id of bought) ended.push(await untilEnded(merchant, id))
      if (countOf('canceled') > 0 && countOf('completed') > 0) break
    }
    t.diagnostic(`${countOf('canceled')} canceled, ${countOf('completed')} delivered`)
    assert.ok(countOf('canceled') > 0 && countOf('completed') > 0, 'both ends were met')
    assert.equal(countOf('canceled') + countOf('completed'), ended.length)

    const orders = Map.groupBy(await control.orders(), ({ customId }) => customId)
    let keptMills = 0
    for (const { id, status } of ended.flatMap(({ items }) => items)) {
      const found = orders.get(id) ?? []
      // What was canceled before a worker took it has no order at all.
      assert.ok(found.length === 1 || (status === 'canceled' && found.length === 0), id)
      for (const { stage, price, refund } of found) {
        const chargedMills = Math.round(Number(price) * 1000) - Math.round(Number(refund) * 1000)
        if (status === 'canceled') assert.deepEqual([stage, chargedMills], ['canceled', 0])
        else assert.equal(stage, 'released')
        keptMills += chargedMills
      }
    }
    const now = await paidTo()
    const spent = before.reduce((sum, mills, i) => sum + mills - (now[i] ?? 0), 0)
    assert.equal(Math.round(spent), keptMills, 'the markets charged what was delivered')

    let owed = 0
    for (const item of ended.flatMap(({ items }) => items)) {
      if (item.status === 'completed') owed += centsOf(item.price)
      else assert.deepEqual(item.refund, { amount: item.price, penalty: 0, buyerFault: false })
    }
    assert.equal(centsOf(await balanceOf(merchant, behalf)), 100_000 - owed)
    await young.auditBooks()
  })
})
