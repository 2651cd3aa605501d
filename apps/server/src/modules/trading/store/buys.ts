import { type Queryable, sql } from '#infra/db'
import { type Cents, type Currency, cents, type Mills } from '#kernel/money'
import type { MarketId } from '../ports.ts'
import type { ItemDescription } from '../trade.ts'

export interface NewTrade {
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
  readonly sourcing: Cents
  readonly houseFee: Cents
  readonly merchantFee: Cents
}

export interface Receipt {
  readonly tradeId: string
  readonly replayed: boolean
  readonly itemCount: number
  readonly total: Cents
  readonly createdAt: Date
}

export interface ReceiptRow {
  trade_id: string
  replayed: boolean
  item_count: number
  total: bigint
  created_at: Date
}

export const PLACE_BUY = sql(
  'trading.place_buy',
  `select * from trading.place_buy($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17,
    $18, $19, $20, $21)`,
)

export const placeBuyValues = (trade: NewTrade): unknown[] => {
  const column = <T>(of: (item: NewItem) => T): T[] => trade.items.map(of)
  return [
    trade.merchantId,
    trade.accountId,
    trade.platformId,
    trade.tradeUrl,
    trade.externalId,
    trade.requestHash,
    trade.game,
    trade.currency,
    trade.usdPerEurMicros,
    trade.requestId,
    trade.at,
    column((item) => item.externalId),
    column((item) => item.listingId),
    column((item) => item.market),
    column((item) => item.rawListingId),
    column((item) => item.catalogItemId),
    column((item) => JSON.stringify(item.description)),
    column((item) => item.sourcingMills),
    column((item) => item.sourcing),
    column((item) => item.houseFee),
    column((item) => item.merchantFee),
  ]
}

/** One statement, one round trip, one commit. Raises what `trading.place_buy` documents. */
export async function insertBuy(db: Queryable, trade: NewTrade): Promise<Receipt> {
  const [row] = await db.query<ReceiptRow>(PLACE_BUY, placeBuyValues(trade))
  return receiptOf(row as ReceiptRow)
}

const FIND_REPLAY = sql(
  'trading.find_replay',
  `select id trade_id, true replayed, item_count, coalesce(first_total, total) total, created_at, request_hash
   from trading.trade where merchant_id = $1 and external_id = $2 and account_id = $3`,
)

export async function findReplay(
  db: Queryable,
  key: { merchantId: string; externalId: string; accountId: string },
): Promise<{ receipt: Receipt; requestHash: Buffer } | null> {
  const [row] = await db.query<ReceiptRow & { request_hash: Buffer }>(FIND_REPLAY, [
    key.merchantId,
    key.externalId,
    key.accountId,
  ])
  return row ? { receipt: receiptOf(row), requestHash: row.request_hash } : null
}

export const receiptOf = (row: ReceiptRow): Receipt => ({
  tradeId: row.trade_id,
  replayed: row.replayed,
  itemCount: row.item_count,
  total: cents(row.total),
  createdAt: row.created_at,
})

const READ_SWITCH = sql('trading.read_switch', 'select paused from trading.switch limit 1')
export async function readPaused(db: Queryable): Promise<boolean> {
  const [row] = await db.query<{ paused: boolean }>(READ_SWITCH)
  return row?.paused ?? false
}

const WRITE_SWITCH = sql(
  'trading.write_switch',
  'update trading.switch set paused = $1, reason = $2, changed_at = $3',
)
export async function writePaused(
  tx: Queryable,
  change: { paused: boolean; reason: string; at: Date },
): Promise<void> {
  await tx.query(WRITE_SWITCH, [change.paused, change.reason, change.at])
}
