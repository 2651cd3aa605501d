import { type Queryable, sql } from '#infra/db'

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

const COUNT = sql(
  'people.count_failure',
  `select people.count_failure($1, $2, make_interval(secs => $3 / 1000.0)) failures`,
)
export const countFailure = async (
  db: Queryable,
  {
    key,
    at,
    forgetAfterMs,
  }: { readonly key: Buffer; readonly at: Date; readonly forgetAfterMs: number },
): Promise<number> => {
  const [row] = await db.query<{ failures: number }>(COUNT, [key, at, forgetAfterMs])
  return row?.failures ?? 0
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
