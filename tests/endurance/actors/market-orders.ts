// Market orders of a fault test: one is placed before each fault, so that fills are under way when it comes.
import assert from 'node:assert/strict'
import type { MarketOrder, Trade } from '@tradepost/contract'
import { aBuyer, tradeUrl } from '../../support/trading.ts'
import { until } from '../../support/until.ts'
import type { Installation } from '../worlds/installation.ts'

const ORDERER = 'orderer'
const QUANTITY = 3
/** All apis may be gone, and their start may be killed once more. */
const DEADLINE_MS = 240_000

export interface Ordering {
  /** Orders an item, sooner or later: the api may be away. */
  place(): void
  /** After the faults: every order was placed, and none buys any more. */
  settle(): Promise<void>
  /** No order has bought more than it wanted, and each has counted what became of its trades. */
  agree(trades: readonly Trade[]): Promise<void>
}

export async function startOrdering({ merchant }: Installation): Promise<Ordering> {
  await aBuyer(merchant, ORDERER, '9000.00')
  const query = { inStock: true, minPrice: '0.50', maxPrice: '20.00', limit: 100 }
  const { items } = await merchant.get('searchMarket', { query })
  const popular = items.filter(({ listingsCount = 0 }) => listingsCount >= QUANTITY)
  const placing: Promise<string>[] = []
  const place = async (n: number): Promise<string> => {
    const itemId = popular[n % popular.length]?.id ?? ''
    const token = n % 3 === 2 ? 'banned00' : 'accept00'
    const body = {
      ...{ externalId: `order-${n}`, itemId, maxPrice: '25.00', quantity: QUANTITY },
      tradeUrl: tradeUrl(token),
    }
    const order = await until(
      `${body.externalId} is placed`,
      () => merchant.get('createMarketOrder', { behalf: ORDERER, body }),
      { deadlineMs: DEADLINE_MS },
    )
    return order.id
  }
  const read = (orderId: string): Promise<MarketOrder> =>
    merchant.get('getMarketOrder', { behalf: ORDERER, params: { orderId } })
  return {
    place() {
      const placed = place(placing.length)
      placed.catch(() => {})
      placing.push(placed)
    },
    async settle() {
      for (const orderId of await Promise.all(placing)) {
        await until(`${orderId} is over`, async () => {
          if ((await read(orderId)).status === 'filled') return true
          const cancel = { behalf: ORDERER, params: { orderId } }
          return (await merchant.get('cancelMarketOrder', cancel)).status === 'cancelled'
        })
      }
    },
    async agree(trades) {
      const byOrder = Map.groupBy(trades, ({ marketOrderId }) => marketOrderId)
      for (const orderId of await Promise.all(placing)) {
        const order = await read(orderId)
        const fills = byOrder.get(orderId) ?? []
        const ended = (status: string) => fills.filter((trade) => trade.status === status).length
        const what = `${order.externalId}: ${fills.map(({ status }) => status).join(' ')}`
        assert.deepEqual(fills.map(({ id }) => id).sort(), order.trades.toSorted(), what)
        assert.equal(order.pending, 0, what)
        assert.ok(ended('completed') <= order.quantity, what)
        const counted = order.status === 'filled' ? order.quantity : ended('completed')
        assert.equal(order.filled, counted, what)
      }
    },
  }
}
