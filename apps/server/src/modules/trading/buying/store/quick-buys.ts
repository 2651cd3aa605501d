import { type Queryable, sql, type Tx } from '#infra/database/db'
import type { Cents, Mills } from '#kernel/money'
import { type NewTrade, newTradeValues, type Receipt, type ReceiptRow, receiptOf } from '#trades'
import type { FailureCode } from '../ports.ts'

export interface NewQuickBuy extends NewTrade {
  readonly catalogItemId: string
  /** The most that a market may ask. */
  readonly ceilingMills: Mills
  readonly maxPrice: Cents
  readonly delivery: 'standard' | 'instant'
  readonly amount: number
  readonly externalIds: readonly string[] | null
  readonly houseFeeBps: number
  readonly merchantFeeBps: number
}

const PLACE_QUICK_BUY = sql(
  'buying.place_quick_buy',
  `select b.*, trades.count_buy(b.trade_id, b.replayed, $21, $11)
   from buying.place_quick_buy($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15,
     $16, $17, $18, $19, $20) b`,
)

/**
 * One statement, one round trip, one commit. Raises what `buying.place_quick_buy` and `trades.count_buy`
 * document.
 */
export async function insertQuickBuy(
  db: Queryable,
  quickBuy: NewQuickBuy,
  { isLastTry, keyId }: { readonly isLastTry: boolean; readonly keyId: string | null },
): Promise<Receipt> {
  const [row] = await db.query<ReceiptRow>(PLACE_QUICK_BUY, [
    ...newTradeValues(quickBuy),
    quickBuy.catalogItemId,
    quickBuy.ceilingMills,
    quickBuy.maxPrice,
    quickBuy.delivery,
    quickBuy.amount,
    quickBuy.externalIds,
    quickBuy.houseFeeBps,
    quickBuy.merchantFeeBps,
    isLastTry,
    keyId,
  ])
  return receiptOf(row as ReceiptRow)
}

export type Replaced = 'replaced' | 'none' | 'other'

const REPLACE_LISTING = sql(
  'buying.replace_listing',
  'select buying.replace_listing($1, $2, $3, $4, $5) replaced',
)
/**
 * Puts the next cheapest listing in the place of one that its supplier has certainly refused. Raises PT423
 * while others hold what is for sale, but for the last try.
 */
export async function replaceListing(
  tx: Tx,
  itemId: string,
  { failure, detail }: { readonly failure: FailureCode; readonly detail: string },
  { at, isLastTry }: { readonly at: Date; readonly isLastTry: boolean },
): Promise<Replaced> {
  const [row] = await tx.query<{ replaced: Replaced }>(REPLACE_LISTING, [
    itemId,
    failure,
    detail,
    at,
    isLastTry,
  ])
  return row?.replaced ?? 'other'
}
