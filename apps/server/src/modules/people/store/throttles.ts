import { type Queryable, sql } from '#infra/db'

const FIND = sql(
  'people.find_failures',
  `select failures, last_failure_at "lastFailureAt" from people.throttle where key = $1`,
)
export const findFailures = async (
  db: Queryable,
  key: Buffer,
): Promise<{ readonly failures: number; readonly lastFailureAt: Date } | null> => {
  const [row] = await db.query<{ failures: number; lastFailureAt: Date }>(FIND, [key])
  return row ?? null
}

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

const PURGE = sql(
  'people.purge_throttles',
  'delete from people.throttle where last_failure_at < $1',
)
export const purgeThrottles = async (db: Queryable, before: Date): Promise<void> => {
  await db.query(PURGE, [before])
}
