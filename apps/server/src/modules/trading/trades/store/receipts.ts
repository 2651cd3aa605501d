// SQL of what a request to trade was answered with, and of its replay.
import { type Queryable, sql } from '#infra/database/db'
import { type Cents, cents } from '#kernel/money'

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

const FIND_REPLAY = sql(
  'trades.find_replay',
  `select id trade_id, true replayed, item_count, coalesce(first_total, total) total, created_at, request_hash
   from trades.trade where tenant_id = $1 and external_id = $2 and account_id = $3`,
)

export async function findReplay(
  db: Queryable,
  key: { tenantId: string; externalId: string; accountId: string },
): Promise<{ receipt: Receipt; requestHash: Buffer } | null> {
  const [row] = await db.query<ReceiptRow & { request_hash: Buffer }>(FIND_REPLAY, [
    key.tenantId,
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
