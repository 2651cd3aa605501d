import { type Queryable, sql } from '#infra/database/db'
import type { NewTrade } from '#trades'
import type { NewItem } from './buys.ts'

export interface NewFill extends Omit<NewTrade, 'externalId'> {
  readonly marketOrderId: string
  /** The key that made the order; null: a person. */
  readonly keyId: string | null
  readonly item: Omit<NewItem, 'externalId'>
}

const PLACE_FILL = sql(
  'buying.place_fill',
  `select buying.place_fill($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20,
     $21) id`,
)

/** The trade. One statement, one commit. Raises what `buying.place_fill` documents. */
export async function insertFill(db: Queryable, fill: NewFill): Promise<string> {
  const { item } = fill
  const [row] = await db.query<{ id: string }>(PLACE_FILL, [
    ...[fill.marketOrderId, fill.keyId, fill.tenantId, fill.accountId, fill.platformId],
    ...[fill.tradeUrl, fill.requestHash, fill.game, fill.currency, fill.usdPerEurMicros],
    ...[fill.requestId, fill.at, item.listingId, item.market, item.rawListingId],
    ...[item.catalogItemId, JSON.stringify(item.description), item.sourcingMills],
    ...[item.price, item.houseFee, item.merchantFee],
  ])
  return (row as { id: string }).id
}
