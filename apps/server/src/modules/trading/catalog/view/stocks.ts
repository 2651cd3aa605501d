// What is for sale of an item on each market, and what that comes to on those that are up.
import type { Mills } from '#kernel/money'
import type { MarketId } from '../ports.ts'
import type { MarketStock } from '../store/stock.ts'
import type { Stock } from './search-index.ts'

export interface ShownMarket {
  readonly id: MarketId
  readonly isUp: boolean
  /** Of the change by which it went or came back. */
  readonly seq: bigint
}

export const stateOf = (markets: readonly ShownMarket[]): string =>
  markets.map(({ id, isUp, seq }) => `${id} ${isUp} ${seq}`).join()

export type Stocks = Map<string, Partial<Record<MarketId, MarketStock & { readonly seq: bigint }>>>

/** What was counted here has no number of its own: the table follows with one. */
export function noteStock(stocks: Stocks, change: MarketStock & { readonly seq?: bigint }): void {
  const ofItem = stocks.get(change.itemId) ?? {}
  stocks.set(change.itemId, ofItem)
  const seq = change.seq ?? ofItem[change.market]?.seq ?? 0n
  ofItem[change.market] = { ...change, seq }
}

export function combine(
  ofItem: Partial<Record<MarketId, MarketStock & { readonly seq: bigint }>> | undefined,
  markets: readonly ShownMarket[],
  itemSeq: bigint,
): Stock {
  const total: { -readonly [Key in keyof Stock]: Stock[Key] } = {
    ...{ lowest: null, instant: null, standardCount: 0, instantCount: 0 },
    markets: [],
    seq: itemSeq,
  }
  for (const market of markets) {
    const stock = ofItem?.[market.id]
    if (stock === undefined) continue
    for (const seq of [stock.seq, market.seq]) if (seq > total.seq) total.seq = seq
    if (!market.isUp) continue
    total.lowest = least(total.lowest, least(stock.standard, stock.instant))
    total.instant = least(total.instant, stock.instant)
    total.standardCount += stock.standardCount
    total.instantCount += stock.instantCount
    if (stock.standardCount + stock.instantCount > 0) total.markets = [...total.markets, market.id]
  }
  return total
}

const least = (left: Mills | null, right: Mills | null): Mills | null =>
  left === null ? right : right === null || left < right ? left : right
