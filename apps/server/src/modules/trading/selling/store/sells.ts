// SQL that accepts sells and reads their items.

import { type Queryable, sql } from '#infra/database/db'
import { auditOfSlice } from '#infra/database/id-slices'
import type { Cents } from '#kernel/money'
import {
  type ItemDescription,
  type NewTrade,
  newTradeValues,
  type Receipt,
  type ReceiptRow,
  receiptOf,
} from '#trades'
import type { AssetRef } from '../ports.ts'

export interface NewSell extends NewTrade {
  readonly partner: number
  readonly token: string
  readonly items: readonly NewSellItem[]
}

export interface NewSellItem extends AssetRef {
  readonly classId: string
  readonly catalogItemId: string
  readonly description: ItemDescription
  /** US cents. */
  readonly quote: Cents
  /** Cents of the wallet's currency, as is the fee. */
  readonly price: Cents
  readonly merchantFee: Cents
}

const PLACE_SELL = sql(
  'selling.place_sell',
  `select * from selling.place_sell($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17,
    $18, $19, $20, $21)`,
)

/** One statement, one commit. Raises what `selling.place_sell` documents. */
export async function insertSell(db: Queryable, sell: NewSell): Promise<Receipt> {
  const column = <T>(of: (item: NewSellItem) => T): T[] => sell.items.map(of)
  const [row] = await db.query<ReceiptRow>(PLACE_SELL, [
    ...newTradeValues(sell),
    sell.partner,
    sell.token,
    column((item) => item.assetId),
    column((item) => item.contextId),
    column((item) => item.classId),
    column((item) => item.catalogItemId),
    column((item) => JSON.stringify(item.description)),
    column((item) => item.quote),
    column((item) => item.price),
    column((item) => item.merchantFee),
  ])
  return receiptOf(row as ReceiptRow)
}

const LIST_OPEN_ASSETS = sql(
  'selling.list_open_assets',
  `select asset_id from selling.item
   where asset_id = any ($1::text[]) and tenant_id = $2 and is_open limit 1000`,
)
/** Which of these assets are in an open sell of the tenant. */
export async function listOpenAssets(
  db: Queryable,
  tenantId: string,
  assetIds: readonly string[],
): Promise<Set<string>> {
  if (assetIds.length === 0) return new Set()
  const rows = await db.query<{ asset_id: string }>(LIST_OPEN_ASSETS, [assetIds, tenantId])
  return new Set(rows.map((row) => row.asset_id))
}

/** Of sells. */
export const auditSells = auditOfSlice('selling.audit')
