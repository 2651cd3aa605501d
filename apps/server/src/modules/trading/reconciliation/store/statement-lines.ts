// SQL of the lines of statements that are kept.
import type { AccountRef } from '#buying'
import { columns, text, time } from '#infra/database/columns'
import { type Db, type Queryable, sql } from '#infra/database/db'
import { mills } from '#kernel/money'
import type { ListedOrder, OrderLine, StatementLine } from '../ports.ts'

const MOST_LINES = 200_000

export interface Run {
  /** Every order that was placed after it, and shown at `readAt`, is kept. */
  readonly completeSince: Date
  readonly readAt: Date
}
const RUN = columns<Run>('', { completeSince: time, readAt: time })

const FIND_RUN = sql(
  'reconciliation.find_statement_run',
  `select ${RUN.list} from reconciliation.statement_run where market = $1 and account = $2`,
)
export const findRun = (db: Queryable, { market, account }: AccountRef): Promise<Run | null> =>
  RUN.first(db, FIND_RUN, [market, account])

const FIND_KEPT = sql(
  'reconciliation.find_kept_line',
  `select exists (
     select from reconciliation.statement_line
     where market = $1 and account = $2 and order_id = any ($3::text[])) found`,
)
/** Whether one of them is kept. */
export async function findKept(
  db: Queryable,
  { market, account }: AccountRef,
  orderIds: readonly string[],
): Promise<boolean> {
  const [row] = await db.query<{ found: boolean }>(FIND_KEPT, [market, account, orderIds])
  return row?.found === true
}

const COUNT_SINCE = sql(
  'reconciliation.count_lines_since',
  `select count(*)::int count from reconciliation.statement_line
   where market = $1 and account = $2 and placed_at >= $3`,
)
export async function countSince(
  db: Queryable,
  { market, account }: AccountRef,
  since: Date,
): Promise<number> {
  const [row] = await db.query<{ count: number }>(COUNT_SINCE, [market, account, since])
  return row?.count ?? 0
}

const SAVE_LINES = sql(
  'reconciliation.save_listed_orders',
  `insert into reconciliation.statement_line (market, account, order_id, placed_at, changed_at)
   select $1, $2, row.order_id, row.placed_at, $5
   from unnest($3::text[], $4::timestamptz[]) row (order_id, placed_at) order by row.order_id
   on conflict do nothing`,
)
const SAVE_RUN = sql(
  'reconciliation.save_statement_run',
  `insert into reconciliation.statement_run (market, account, complete_since, read_at) values ($1, $2, $3, $4)
   on conflict (market, account) do update set complete_since = excluded.complete_since, read_at = excluded.read_at`,
)
/** In one commit: the run never says of an order that is not kept that it is. */
export const saveRows = (
  db: Db,
  { market, account }: AccountRef,
  rows: readonly ListedOrder[],
  { completeSince, readAt }: Run,
): Promise<void> =>
  db.transaction(async (tx) => {
    const ids = rows.map(({ orderId }) => orderId)
    const times = rows.map(({ placedAt }) => placedAt)
    await tx.query(SAVE_LINES, [market, account, ids, times, readAt])
    await tx.query(SAVE_RUN, [market, account, completeSince, readAt])
  })

const LIST_UNSETTLED = sql(
  'reconciliation.list_unsettled_lines',
  `select order_id from reconciliation.statement_line
   where market = $1 and account = $2 and placed_at >= $3
     and (state in ('open', 'held') or read_at < changed_at + $4 * interval '1 millisecond')
   order by placed_at desc limit ${MOST_LINES}`,
)
/** Those that are not final, and those that came to it so lately that the market may say more. */
export async function listUnsettled(
  db: Queryable,
  { market, account }: AccountRef,
  { from, settleMs }: { readonly from: Date; readonly settleMs: number },
): Promise<string[]> {
  const rows = await db.query<{ order_id: string }>(LIST_UNSETTLED, [
    ...[market, account, from, settleMs],
  ])
  return rows.map(({ order_id }) => order_id)
}

const SAVE_LOOKED = sql(
  'reconciliation.save_looked_up_lines',
  `update reconciliation.statement_line l set custom_id = said.custom_id, paid_mills = said.paid_mills,
     state = said.state, returned_mills = said.returned_mills, detail = said.detail, read_at = $9,
     changed_at = case when (l.state, l.paid_mills, l.returned_mills)
         is distinct from (said.state, said.paid_mills, said.returned_mills) then $9 else l.changed_at end
   from unnest($3::text[], $4::text[], $5::bigint[], $6::text[], $7::bigint[], $8::text[])
     said (order_id, custom_id, paid_mills, state, returned_mills, detail)
   where l.market = $1 and l.account = $2 and l.order_id = said.order_id`,
)
export async function saveLooked(
  db: Queryable,
  { market, account }: AccountRef,
  lines: readonly OrderLine[],
  at: Date,
): Promise<void> {
  const of = <Key extends keyof OrderLine>(key: Key) => lines.map((line) => line[key])
  await db.query(SAVE_LOOKED, [
    ...[market, account, of('orderId'), of('customId'), of('paidMills'), of('state')],
    ...[of('returnedMills'), of('detail'), at],
  ])
}

const LINE = columns<StatementLine>('', {
  orderId: text,
  customId: text,
  placedAt: time,
  paidMills: mills,
  state: text,
  returnedMills: mills,
  detail: text,
})
const LIST_LINES = sql(
  'reconciliation.list_statement_lines',
  `select ${LINE.list} from reconciliation.statement_line
   where market = $1 and account = $2 and placed_at >= $3 and read_at is not null
   order by placed_at desc limit ${MOST_LINES + 1}`,
)
/** Of an order that was never looked up nothing is known but that it is there. */
export async function listLines(
  db: Queryable,
  { market, account }: AccountRef,
  from: Date,
): Promise<{ readonly lines: readonly StatementLine[]; readonly isAll: boolean }> {
  const found = await LINE.all(db, LIST_LINES, [market, account, from])
  return { lines: found.slice(0, MOST_LINES), isAll: found.length <= MOST_LINES }
}

const PRUNE = sql(
  'reconciliation.prune_statement_lines',
  `delete from reconciliation.statement_line where ctid = any (array(
     select ctid from reconciliation.statement_line where placed_at < $1 limit $2)) returning order_id`,
)
/** True when there may be more. */
export const pruneLines = async (db: Queryable, before: Date, limit = 5000): Promise<boolean> =>
  (await db.query(PRUNE, [before, limit])).length === limit
