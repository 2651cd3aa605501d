import { type Queryable, sql } from '#infra/database/db'
import type { Cents, Mills } from '#kernel/money'
import {
  type ItemDescription,
  type NewTrade,
  newTradeValues,
  type Receipt,
  type ReceiptRow,
  receiptOf,
} from '#trades'
import type { MarketId } from '../ports.ts'

export interface NewBuy extends NewTrade {
  readonly items: readonly NewItem[]
}

export interface NewItem {
  readonly externalId: string | null
  readonly listingId: bigint
  readonly market: MarketId
  readonly rawListingId: string
  readonly catalogItemId: string
  readonly description: ItemDescription
  readonly sourcingMills: Mills
  /** Sourcing and both fees; cents of the wallet's currency, like the fees. */
  readonly price: Cents
  readonly houseFee: Cents
  readonly merchantFee: Cents
}

export const PLACE_BUY = sql(
  'buying.place_buy',
  `select b.*, trades.count_buy(b.trade_id, b.replayed, $22, $11)
   from buying.place_buy($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17,
     $18, $19, $20, $21) b`,
)

export const placeBuyValues = (trade: NewBuy, keyId: string | null): unknown[] => {
  const column = <T>(of: (item: NewItem) => T): T[] => trade.items.map(of)
  return [
    ...newTradeValues(trade),
    column((item) => item.externalId),
    column((item) => item.listingId),
    column((item) => item.market),
    column((item) => item.rawListingId),
    column((item) => item.catalogItemId),
    column((item) => JSON.stringify(item.description)),
    column((item) => item.sourcingMills),
    column((item) => item.price),
    column((item) => item.houseFee),
    column((item) => item.merchantFee),
    keyId,
  ]
}

/**
 * One statement, one round trip, one commit. Raises what `buying.place_buy` and `trades.count_buy` document.
 */
export async function insertBuy(
  db: Queryable,
  trade: NewBuy,
  keyId: string | null,
): Promise<Receipt> {
  const [row] = await db.query<ReceiptRow>(PLACE_BUY, placeBuyValues(trade, keyId))
  return receiptOf(row as ReceiptRow)
}
