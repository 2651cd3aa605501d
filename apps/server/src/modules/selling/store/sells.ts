// SQL that accepts sells and reads their items.

import { type Queryable, sql } from '#infra/db'
import { type Cents, type Currency, cents } from '#kernel/money'
import type { ItemDescription, Status, TradeItem } from '#trades'
import type { AssetRef } from '../ports.ts'

export interface NewSell {
  readonly merchantId: string
  readonly accountId: string
  readonly platformId: string
  readonly tradeUrl: string
  readonly externalId: string | null
  readonly requestHash: Buffer
  readonly game: string
  readonly currency: Currency
  readonly usdPerEurMicros: bigint | null
  readonly requestId: string
  readonly at: Date
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

export interface SellReceipt {
  readonly tradeId: string
  readonly replayed: boolean
  readonly itemCount: number
  readonly total: Cents
  readonly createdAt: Date
}

interface ReceiptRow {
  trade_id: string
  replayed: boolean
  item_count: number
  total: bigint
  created_at: Date
}

const PLACE_SELL = sql(
  'selling.place_sell',
  `select * from selling.place_sell($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17,
    $18, $19, $20, $21)`,
)

/** One statement, one commit. Raises what `selling.place_sell` documents. */
export async function insertSell(db: Queryable, sell: NewSell): Promise<SellReceipt> {
  const column = <T>(of: (item: NewSellItem) => T): T[] => sell.items.map(of)
  const [row] = await db.query<ReceiptRow>(PLACE_SELL, [
    sell.merchantId,
    sell.accountId,
    sell.platformId,
    sell.tradeUrl,
    sell.externalId,
    sell.requestHash,
    sell.game,
    sell.currency,
    sell.usdPerEurMicros,
    sell.requestId,
    sell.at,
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
  const { trade_id, replayed, item_count, total, created_at } = row as ReceiptRow
  return {
    tradeId: trade_id,
    replayed,
    itemCount: item_count,
    total: cents(total),
    createdAt: created_at,
  }
}

const LIST_OPEN_ASSETS = sql(
  'selling.list_open_assets',
  `select asset_id from selling.item
   where asset_id = any ($1::text[]) and status in ('initiated', 'pending', 'active', 'hold') limit 1000`,
)
/** Which of these assets are in an open sell. */
export async function listOpenAssets(
  db: Queryable,
  assetIds: readonly string[],
): Promise<Set<string>> {
  if (assetIds.length === 0) return new Set()
  const rows = await db.query<{ asset_id: string }>(LIST_OPEN_ASSETS, [assetIds])
  return new Set(rows.map((row) => row.asset_id))
}

const ITEMS_OF_SELLS = sql(
  'selling.items_of_sells',
  `select id, trade_id, description, price, status, offer_id, failure_code, failure_detail, reverted_by,
     hold_ends_at, settled_at
   from selling.item where trade_id = any ($1::uuid[]) order by trade_id, position`,
)

interface ItemRow {
  id: string
  trade_id: string
  description: ItemDescription
  price: bigint
  status: Status
  offer_id: string | null
  failure_code: TradeItem['failure']
  failure_detail: string | null
  reverted_by: TradeItem['revertedBy']
  hold_ends_at: Date | null
  settled_at: Date | null
}

/** The items of these sells, by trade, in their order. */
export async function readSellItems(
  db: Queryable,
  tradeIds: readonly string[],
): Promise<Map<string, TradeItem[]>> {
  const rows = await db.query<ItemRow>(ITEMS_OF_SELLS, [tradeIds])
  const byTrade = new Map<string, TradeItem[]>()
  for (const row of rows) {
    const items = byTrade.get(row.trade_id)
    if (items) items.push(itemOf(row))
    else byTrade.set(row.trade_id, [itemOf(row)])
  }
  return byTrade
}

const itemOf = (row: ItemRow): TradeItem => ({
  id: row.id,
  externalId: null,
  description: row.description,
  price: cents(row.price),
  status: row.status,
  offerId: row.offer_id,
  failure: row.failure_code,
  failureDetail: row.failure_detail,
  revertedBy: row.reverted_by,
  // Nothing was paid before the end, so nothing is given back.
  refund: null,
  holdEndsAt: row.hold_ends_at,
  settledAt: row.settled_at,
})

const AUDIT = sql('selling.audit', 'select invariant, detail from selling.audit() limit 100')
/** The broken promises of sells, none when all is well. */
export const auditSells = (db: Queryable): Promise<{ invariant: string; detail: string }[]> =>
  db.query(AUDIT)
