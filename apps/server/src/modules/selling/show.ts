// Sells as trades: what lists, webhooks and single reads show.
import type { Snapshot } from '#infra/db'
import type { Trade } from '#trades'
import { readSellItems } from './store/sells.ts'

/** The same trades, with the items of those that are sells. */
export async function withSellItems(at: Snapshot, trades: readonly Trade[]): Promise<Trade[]> {
  const ids = trades.filter((trade) => trade.type === 'sell').map((trade) => trade.id)
  if (ids.length === 0) return [...trades]
  const items = await readSellItems(at, ids)
  return trades.map((trade) => {
    const own = items.get(trade.id)
    return own ? { ...trade, items: own } : trade
  })
}
