import { type Queryable, sql, type Tx } from '#infra/database/db'
import { assertDefined } from '#kernel/assert'

const LOCK = sql(
  'people.lock_failures',
  `insert into people.throttle as t (key, failures, last_failure_at) values ($1, 0, $2)
   on conflict (key) do update set failures = t.failures
   returning failures, last_failure_at "lastFailureAt"`,
)
export interface Failures {
  readonly failures: number
  readonly lastFailureAt: Date
}
/** Locked until the transaction ends; a key without any has none at `at`. */
export const lockFailures = async (tx: Tx, key: Buffer, at: Date): Promise<Failures> => {
  const [row] = await tx.query<Failures>(LOCK, [key, at])
  return assertDefined(row, 'the failures')
}

const SET = sql(
  'people.set_failures',
  'update people.throttle set failures = $2, last_failure_at = $3 where key = $1',
)
export const setFailures = async (
  tx: Tx,
  key: Buffer,
  { failures, lastFailureAt }: Failures,
): Promise<void> => {
  await tx.query(SET, [key, failures, lastFailureAt])
}

const GIVE_BACK = sql(
  'people.give_log_in_try_back',
  `update people.throttle set failures = failures - 1,
     last_failure_at = case when last_failure_at = $2 then $3 else last_failure_at end
   where key = $1 and failures > 0`,
)
/** A try that was no failure is not one; what came after it stays counted. */
export const giveTryBack = async (
  db: Queryable,
  taken: { readonly key: Buffer; readonly at: Date; readonly lastBefore: Date },
): Promise<void> => {
  await db.query(GIVE_BACK, [taken.key, taken.at, taken.lastBefore])
}

const FORGET = sql('people.forget_failures', 'delete from people.throttle where key = $1')
export const forgetFailures = async (db: Queryable, key: Buffer): Promise<void> => {
  await db.query(FORGET, [key])
}

const TAKE = sql(
  'people.take_allowance',
  `insert into people.throttle as t (key, failures, last_failure_at) values ($1, 1, $2)
   on conflict (key) do update
     set failures = case when t.last_failure_at < $3 then 1 else t.failures + 1 end, last_failure_at = $2
     where t.failures < $4 or t.last_failure_at < $3
   returning failures`,
)
/** How many were taken; null, and nothing is counted, when `most` were and the last of them since `after`. */
export const takeAllowance = async (
  db: Queryable,
  {
    key,
    at,
    after,
    most,
  }: { readonly key: Buffer; readonly at: Date; readonly after: Date; readonly most: number },
): Promise<number | null> => {
  const [row] = await db.query<{ failures: number }>(TAKE, [key, at, after, most])
  return row?.failures ?? null
}

const PURGE = sql(
  'people.purge_throttles',
  'delete from people.throttle where last_failure_at < $1',
)
export const purgeThrottles = async (db: Queryable, before: Date): Promise<void> => {
  await db.query(PURGE, [before])
}
