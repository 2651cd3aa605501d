// SQL of balance thresholds.
import { type Queryable, sql, type Tx } from '#infra/database/db'
import type { Cents } from '#kernel/money'

export interface BalanceThreshold {
  readonly accountId: string
  readonly amount: Cents
  /** When the mail was queued; null: the next fall below the amount sends one. */
  readonly lowSince: Date | null
}

const COLUMNS = 'account_id "accountId", cents amount, low_since "lowSince"'

const FIND = sql(
  'operations.find_threshold',
  `select ${COLUMNS} from operations.balance_threshold where account_id = $1`,
)
export const findThreshold = async (
  db: Queryable,
  accountId: string,
): Promise<BalanceThreshold | null> => {
  const [row] = await db.query<BalanceThreshold>(FIND, [accountId])
  return row ?? null
}

const SLICE = sql(
  'operations.slice_thresholds',
  `select ${COLUMNS} from operations.balance_threshold
   where $1::uuid is null or account_id > $1 order by account_id limit $2`,
)
/** In the order of account ids. */
export const sliceThresholds = (
  db: Queryable,
  { after, limit }: { readonly after: string | null; readonly limit: number },
): Promise<BalanceThreshold[]> => db.query<BalanceThreshold>(SLICE, [after, limit])

const WRITE = sql(
  'operations.write_threshold',
  `insert into operations.balance_threshold (account_id, cents) values ($1, $2)
   on conflict (account_id) do update set cents = excluded.cents, low_since = null
     where balance_threshold.cents <> excluded.cents`,
)
/** Armed, unless it is the same amount. */
export const writeThreshold = async (tx: Tx, accountId: string, amount: Cents): Promise<void> => {
  await tx.query(WRITE, [accountId, amount])
}

const DELETE = sql(
  'operations.delete_threshold',
  'delete from operations.balance_threshold where account_id = $1',
)
export const deleteThreshold = async (tx: Tx, accountId: string): Promise<void> => {
  await tx.query(DELETE, [accountId])
}

const MARK_LOW = sql(
  'operations.mark_low',
  `update operations.balance_threshold set low_since = $3
   where account_id = $1 and cents = $2 and low_since is null returning account_id`,
)
/** False when it is not armed any more, or has another amount. */
export const markLow = async (
  tx: Tx,
  { accountId, amount }: BalanceThreshold,
  at: Date,
): Promise<boolean> => (await tx.query(MARK_LOW, [accountId, amount, at])).length > 0

const REARM = sql(
  'operations.rearm_thresholds',
  `update operations.balance_threshold t set low_since = null
   from unnest($1::uuid[], $2::bigint[]) i (account_id, cents)
   where t.account_id = i.account_id and t.cents = i.cents`,
)
/** Those that have another amount now are armed already. */
export const rearm = async (
  db: Queryable,
  thresholds: readonly BalanceThreshold[],
): Promise<void> => {
  await db.query(REARM, [
    thresholds.map(({ accountId }) => accountId),
    thresholds.map(({ amount }) => amount),
  ])
}
