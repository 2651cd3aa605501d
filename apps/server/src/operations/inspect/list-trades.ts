// Trades of all accounts, or of one, with the markets at which their items were bought.
import { type MarketId, readMarketsOfItems } from '#buying'
import type { ReadDb } from '#infra/database/db'
import type { CursorPage } from '#kernel/page'
import { listTrades, type Trade, type TradeFilter } from '#trades'

export interface PlacedTrade {
  readonly trade: Trade
  /** Each once; none of a sell. */
  readonly markets: readonly MarketId[]
}

/** No index leads from a market to its trades: for one page so many slices of the list are looked through. */
const MOST_SLICES = 5
const SLICE = 200

/** Newest first, after the trade `cursor`. A page of a market may be short, as one of `listTrades`. */
export async function listPlacedTrades(
  db: ReadDb,
  filter: TradeFilter,
  {
    market,
    ...slice
  }: {
    readonly market: MarketId | null
    readonly cursor: string | null
    readonly limit: number
  },
): Promise<CursorPage<PlacedTrade>> {
  if (market === null) return placedPage(db, filter, slice)
  const found: PlacedTrade[] = []
  let { cursor } = slice
  for (let slices = 0; slices < MOST_SLICES; slices += 1) {
    const page = await placedPage(db, filter, { cursor, limit: SLICE })
    for (const placed of page.items) {
      if (!placed.markets.includes(market)) continue
      found.push(placed)
      if (found.length < slice.limit) continue
      const isLast = placed === page.items.at(-1)
      return { items: found, nextCursor: isLast ? page.nextCursor : placed.trade.id }
    }
    cursor = page.nextCursor
    if (cursor === null) break
  }
  return { items: found, nextCursor: cursor }
}

async function placedPage(
  db: ReadDb,
  filter: TradeFilter,
  slice: { readonly cursor: string | null; readonly limit: number },
): Promise<CursorPage<PlacedTrade>> {
  const { items, nextCursor } = await listTrades(db, filter, slice)
  const marketOf = await readMarketsOfItems(
    db,
    items.flatMap((trade) => trade.items.map(({ id }) => id)),
  )
  const marketsOf = (trade: Trade): readonly MarketId[] => [
    ...new Set(trade.items.flatMap(({ id }) => marketOf.get(id) ?? [])),
  ]
  return { items: items.map((trade) => ({ trade, markets: marketsOf(trade) })), nextCursor }
}
