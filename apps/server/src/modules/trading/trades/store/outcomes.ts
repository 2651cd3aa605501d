// SQL of what trades have come to, for the figures of the service.
import { type Queryable, sql } from '#infra/database/db'
import { type Cents, cents } from '#kernel/money'
import type { Status, Trade } from '../trade.ts'

export interface TradeOutcome {
  readonly id: string
  readonly type: Trade['type']
  readonly createdAt: Date
  /** US cents at the trade's own rate: the prices of its completed items. */
  readonly completedUsd: Cents
  /** US cents, likewise: what the service took of them. */
  readonly houseFeeUsd: Cents
  readonly items: readonly ItemOutcome[]
}

export interface ItemOutcome {
  readonly id: string
  readonly status: Status
  readonly failureCode: string | null
  readonly revertedBy: 'supplier' | 'user' | null
}

const OUTCOMES = sql(
  'trades.outcomes',
  `select t.id, t.type, t.created_at "createdAt",
     trades.gmv(i.completed, t.currency, t.usd_per_eur_micros, 'USD') "completedUsd",
     trades.gmv(i.house_fee, t.currency, t.usd_per_eur_micros, 'USD') "houseFeeUsd", i.items
   from trades.trade t cross join lateral (
     select coalesce(sum(item.price) filter (where item.status = 'completed'), 0)::bigint completed,
       coalesce(sum(item.house_fee) filter (where item.status = 'completed'), 0)::bigint house_fee,
       jsonb_agg(jsonb_build_object('id', item.id, 'status', item.status, 'failureCode', item.failure_code,
         'revertedBy', item.reverted_by)) items
     from trades.item where item.trade_id = t.id) i
   where t.id = any ($1::uuid[])`,
)
export async function readOutcomes(
  db: Queryable,
  tradeIds: readonly string[],
): Promise<ReadonlyMap<string, TradeOutcome>> {
  if (tradeIds.length === 0) return new Map()
  const rows = await db.query<
    TradeOutcome & { readonly completedUsd: bigint; readonly houseFeeUsd: bigint }
  >(OUTCOMES, [tradeIds])
  return new Map(
    rows.map((row) => [
      row.id,
      { ...row, completedUsd: cents(row.completedUsd), houseFeeUsd: cents(row.houseFeeUsd) },
    ]),
  )
}
