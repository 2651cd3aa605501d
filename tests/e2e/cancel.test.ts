// Canceling over HTTP, against both markets: too soon, in time, too late, and at the very moment of the
// delivery. Whatever happens, an item has one end and its money is right.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Trade } from '@tradepost/contract'
import { testDatabase } from '../../apps/server/src/platform/testing/database.ts'
import { MARKETS, type MarketId } from '../support/sandbox.ts'
import { type Stack, startStack } from '../support/stack.ts'
import {
  aBuyer,
  balanceOf,
  buyNext,
  buyRaw,
  centsOf,
  onlyItem,
  readTrade,
  type Shelf,
  stock,
  untilEnded,
  untilStatus,
} from '../support/trading.ts'
import { until } from '../support/until.ts'

let stack: Stack
let shelves: Record<MarketId, Shelf>

before(async () => {
  stack = await startStack(await testDatabase({ poolSize: 2 }))
  shelves = {
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

for (const market of MARKETS) {
  describe(`at ${market}`, () => {
    it('an order that waits for its seller is canceled once it is old enough, and refunded', async () => {
      const { merchant, webhooks } = stack
      const behalf = await aBuyer(merchant, `patient-${market}`)
      const { receipt } = await buyNext(merchant, {
        market,
        shelf: shelves[market],
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
        const told = webhooks.typesOf(trade.id).join(' ')
        return told === 'initiated pending canceled refunded'
      })
      for (const key of ['TRADE_NOT_CANCELLABLE'] as const) {
        await merchant.refused(key, 'cancelTrade', { behalf, params: { tradeId: trade.id } })
        await merchant.refused(key, 'cancelItem', {
          behalf,
          params: { tradeId: trade.id, itemId: onlyItem(trade).id },
        })
      }
    })

    it('a cancel whose answer is lost is told as failed, and its order tells the end', async () => {
      const { merchant, control } = stack
      const behalf = await aBuyer(merchant, `unlucky-${market}`)
      const { receipt } = await buyNext(merchant, {
        market,
        shelf: shelves[market],
        token: 'slowly00',
        behalf,
      })
      const trade = await untilStatus(merchant, receipt.id, ['pending'])
      const [isDone, status] = await until('a cancel was done and lost', async () => {
        await control.script(market, 'lost_cancel_done')
        const answer = await merchant.get('cancelTrade', {
          behalf,
          params: { tradeId: trade.id },
        })
        assert.equal(answer.requested, 1)
        assert.equal(answer.cancelled, 0)
        // Until it is old enough the market is not asked, and the word waits for the next call.
        const [item] = answer.items
        return item?.reason === undefined ? ([true, item?.status] as const) : null
      })
      assert.deepEqual([isDone, status], [true, 'failed'])
      assert.equal((await untilEnded(merchant, trade.id)).status, 'canceled')
      assert.equal(await balanceOf(merchant, behalf), 100)
      await control.clearScript(market)
    })
  })
}

describe('what cannot be canceled', () => {
  it('an offer that is out, and it is delivered all the same', async () => {
    const { merchant, control } = stack
    const behalf = await aBuyer(merchant, 'late')
    const { receipt } = await buyNext(merchant, {
      market: 'market_b',
      shelf: shelves.market_b,
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
        shelf: shelves[market],
        token: 'slowly00',
        behalf,
      })
      trades.push(bought.receipt.id)
    }
    for (let i = 0; i < 6; i++) {
      const market = MARKETS[i % 2] as MarketId
      const bought = await buyNext(merchant, { market, shelf: shelves[market], behalf })
      trades.push(bought.receipt.id)
    }
    // A basket over both markets, of which parts are sent while others are still to be had.
    const basket = await buyRaw(merchant, {
      raw: [`market_a:${shelves.market_a.take().id}`, `market_b:${shelves.market_b.take().id}`],
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
