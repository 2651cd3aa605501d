// A market order of a sub-user, filled by a listing that becomes cheaper, over the SDK: its trade,
// its events on webhooks, in the feed and at /user/live.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { Tradepost } from '../../packages/sdk/src/index.ts'
import { followUser } from '../../packages/sdk/src/live/index.ts'
import { MARKETS, type MarketId } from '../support/sandbox.ts'
import { shareStack } from '../support/shared-stack.ts'
import type { Stack } from '../support/stack.ts'
import { tradeUrl } from '../support/trading.ts'
import { until } from '../support/until.ts'

let stack: Stack
let tradepost: Tradepost
before(async () => {
  stack = await shareStack()
  const { baseUrl, apiKey } = stack.merchant
  tradepost = new Tradepost({ baseUrl, apiKey })
})
after(() => stack.close())

interface Offered {
  readonly itemId: string
  readonly market: MarketId
  readonly id: string
  /** What the item costs at least, fees included. */
  readonly lowest: number
}

/** A listing of an item that costs more than a dollar. */
async function aListing(): Promise<Offered> {
  for (const market of MARKETS) {
    const listings = (await stack.control.listings(market, 1000))
      .filter(({ phase, priceMills }) => phase === null && priceMills > 2000 && priceMills < 50_000)
      .slice(0, 100)
    const items = await tradepost.market.lookUp(
      listings.map(({ marketHashName }) => ({ marketHashName })),
    )
    for (const [i, item] of items.entries()) {
      const [id, lowest] = [listings[i]?.id, item?.price?.standard ?? 0]
      if (item && id !== undefined && lowest > 1) return { itemId: item.id, market, id, lowest }
    }
  }
  throw new Error('nothing is for sale for more than a dollar')
}

it('a listing that becomes cheap enough fills an order, and every channel says so', async () => {
  await tradepost.users.create({ externalId: 'orderer' })
  await tradepost.users.fund('orderer', { amount: '300.00' })
  const orderer = tradepost.as('orderer')
  const { itemId, market, id, lowest } = await aListing()
  const order = await orderer.marketOrders.create({
    ...{ externalId: 'order-1', itemId, maxPrice: (lowest * 0.95).toFixed(2), quantity: 1 },
    tradeUrl: tradeUrl(),
  })
  assert.deepEqual([order.status, order.trades], ['open', []])
  const user = followUser({ account: orderer })
  const updates = user[Symbol.asyncIterator]()
  assert.equal((await updates.next()).value?.type, 'ready')
  await stack.control.setPrice(market, id, (lowest * 0.8).toFixed(2))
  const filled = await until('the order is filled', async () => {
    const now = await orderer.marketOrders.get(order.id)
    return now.status === 'filled' && now
  })
  assert.deepEqual([filled.filled, filled.pending, filled.trades.length], [1, 0, 1])
  const trade = await orderer.transactions.get(filled.trades[0] ?? '')
  assert.equal(trade.marketOrderId, order.id)
  assert.ok(trade.totalPrice <= order.maxPrice)
  const [webhook] = await until('its webhook', () => {
    const sent = stack.webhooks.of(order.id)
    return sent.length > 0 && sent
  })
  assert.deepEqual([webhook?.type, webhook?.data], ['market_order.filled', { order: filled }])
  const { items } = await tradepost.events.list({ type: 'market_order.filled' })
  assert.deepEqual([items[0]?.id, items[0]?.data], [webhook?.id, webhook?.data])
  let last: { readonly type: string; readonly id?: string } | undefined
  while (last?.type !== 'market_order.filled') last = (await updates.next()).value
  assert.equal(last.id, webhook?.id)
  user.stop()
})
