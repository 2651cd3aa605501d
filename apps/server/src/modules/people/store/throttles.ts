import { type Queryable, sql, type Tx } from '#infra/db'

const FIND = sql(
  'people.find_failures',
  `select key, failures, last_failure_at "lastFailureAt" from people.throttle where key = any ($1::bytea[])`,
)
export interface Failures {
  readonly key: Buffer
  readonly failures: number
  readonly lastFailureAt: Date
}
/** Of those keys that have any. */
export const findFailures = (db: Queryable, keys: readonly Buffer[]): Promise<Failures[]> =>
  db.query<Failures>(FIND, [keys])

const TAKE_TRY = sql(
  'people.take_log_in_try',
  `insert into people.throttle as t (key, failures, last_failure_at) values ($1, 1, $2)
   on conflict (key) do update
     set failures = case when t.last_failure_at < $3 then 1 else t.failures + 1 end, last_failure_at = $2
     where t.last_failure_at < $3 or t.failures <= $4
       or t.last_failure_at + least($5 * 2 ^ least(t.failures - $4 - 1, 20), $6) * interval '1 ms' <= $2
   returning failures`,
)
/**
 * Counts a try before it is judged: of many at once one is counted after the other. False, and nothing is
 * counted, while the one before makes this one wait.
 */
export const takeLogInTry = async (
  tx: Tx,
  bucket: { readonly key: Buffer; readonly free: number },
  { at, forgetBefore, firstWaitMs, longestWaitMs }: TryTerms,
): Promise<boolean> => {
  const values = [bucket.key, at, forgetBefore, bucket.free, firstWaitMs, longestWaitMs]
  return (await tx.query(TAKE_TRY, values)).length > 0
}

export interface TryTerms {
  readonly at: Date
  /** Older failures count no more. */
  readonly forgetBefore: Date
  /** After the first failure above those that are free; it doubles with each, up to the longest. */
  readonly firstWaitMs: number
  readonly longestWaitMs: number
}

const GIVE_BACK = sql(
  'people.give_log_in_try_back',
  `update people.throttle set failures = failures - 1,
     last_failure_at = case when last_failure_at = $2 then coalesce($3::timestamptz, last_failure_at) else last_failure_at end
   where key = $1 and failures > 0`,
)
/** A try that was no failure is not one; what came after it stays counted. */
export const giveTryBack = async (
  db: Queryable,
  taken: { readonly key: Buffer; readonly at: Date; readonly lastBefore: Date | null },
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
