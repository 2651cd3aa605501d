// Sells as trades: what lists, webhooks and single reads show.
import type { Queryable } from '#platform/db'
import { statusOf, type Trade } from '#trading'
import { readSellItems } from './store/sells.ts'

/** The same trades, with the items of those that are sells. */
export async function withSellItems(db: Queryable, trades: readonly Trade[]): Promise<Trade[]> {
  const ids = trades.filter((trade) => trade.type === 'sell').map((trade) => trade.id)
  if (ids.length === 0) return [...trades]
  const items = await readSellItems(db, ids)
  return trades.map((trade) => {
    const own = items.get(trade.id)
    if (!own) return trade
    // The status is taken from the items as read, so that a step between two reads shows no contradiction.
    return { ...trade, items: own, status: statusOf(own.map((item) => item.status)) }
  })
}
