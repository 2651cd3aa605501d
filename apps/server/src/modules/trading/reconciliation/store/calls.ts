// SQL of the log of calls to suppliers.

import type { MarketId } from '#buying'
import { type Queryable, sql } from '#infra/database/db'
import type { PartitionedTable } from '#infra/database/partitions'

export const CALLS_BY_DAY: PartitionedTable = {
  table: 'reconciliation.supplier_call',
  column: 'started_at',
  type: 'timestamptz',
  span: 'day',
}

export interface SupplierCall {
  readonly market: MarketId
  readonly customId: string
  readonly operation: string
  readonly startedAt: Date
  readonly durationMs: number
  readonly outcome: string
  /** In the words of our port. */
  readonly answer: Readonly<Record<string, unknown>>
  readonly requestId: string | null
}

const INSERT = sql(
  'reconciliation.insert_calls',
  `insert into reconciliation.supplier_call
     (market, custom_id, operation, started_at, duration_ms, outcome, answer, request_id)
   select * from unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::integer[], $6::text[],
     $7::jsonb[], $8::text[])`,
)
export async function insertCalls(db: Queryable, calls: readonly SupplierCall[]): Promise<void> {
  await db.query(INSERT, [
    calls.map(({ market }) => market),
    calls.map(({ customId }) => customId),
    calls.map(({ operation }) => operation),
    calls.map(({ startedAt }) => startedAt),
    calls.map(({ durationMs }) => Math.round(durationMs)),
    calls.map(({ outcome }) => outcome),
    calls.map(({ answer }) => JSON.stringify(answer)),
    calls.map(({ requestId }) => requestId),
  ])
}

const LIST = sql(
  'reconciliation.list_calls',
  `select market, custom_id "customId", operation, started_at "startedAt", duration_ms "durationMs",
     outcome, answer, request_id "requestId"
   from reconciliation.supplier_call where custom_id = any ($1::text[]) order by id limit 5000`,
)
/** Oldest first. */
export const listCalls = (db: Queryable, customIds: readonly string[]): Promise<SupplierCall[]> =>
  db.query<SupplierCall>(LIST, [customIds])

export interface CallPace {
  readonly market: MarketId
  readonly operation: string
  readonly outcome: string
  readonly count: number
  readonly medianMs: number
}
const PACES = sql(
  'reconciliation.call_paces',
  `select market, operation, outcome, count(*)::int count,
     percentile_cont(0.5) within group (order by duration_ms)::int "medianMs"
   from reconciliation.supplier_call where started_at >= $1
   group by market, operation, outcome order by market, operation, outcome limit 1000`,
)
/** How often and how fast each market has answered since then. */
export const readCallPaces = (db: Queryable, since: Date): Promise<CallPace[]> =>
  db.query<CallPace>(PACES, [since])

const COUNT_REVERSALS = sql(
  'reconciliation.count_reversals',
  `select market, count(distinct custom_id)::int count from reconciliation.supplier_call
   where started_at >= $1 and operation = 'look-up' and outcome = 'reverted' group by market limit 100`,
)
/** Orders of each market that a look-up has shown as taken back since then. */
export async function countReversals(
  db: Queryable,
  since: Date,
): Promise<ReadonlyMap<string, number>> {
  const rows = await db.query<{ market: MarketId; count: number }>(COUNT_REVERSALS, [since])
  return new Map(rows.map(({ market, count }) => [market, count]))
}
