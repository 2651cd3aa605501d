// What nothing needs any more is deleted: logins leave no lasting record of where a person was.
import type { Db } from '#infra/db'
import { sql } from '#infra/db'
import { DAY_MS } from './person.ts'
import { purgeThrottles } from './store/throttles.ts'

const KEPT_MS = 30 * DAY_MS
const BATCH = 5000

const TABLES = [
  'people.passkey_ceremony',
  'people.challenge',
  'people.mail_token',
  'people.session',
] as const
const PURGES = TABLES.map((table) =>
  sql(
    `people.purge ${table}`,
    `delete from ${table} where ctid = any (array(select ctid from ${table} where expires_at < $1 limit ${BATCH})) returning 1`,
  ),
)

/** Sessions, challenges and links that ended 30 days ago, failures a day old; true when there may be more. */
export async function purgeLogins(db: Db, now: Date): Promise<boolean> {
  await purgeThrottles(db, new Date(now.getTime() - DAY_MS))
  const before = new Date(now.getTime() - KEPT_MS)
  let isFull = false
  for (const purge of PURGES) isFull = (await db.query(purge, [before])).length === BATCH || isFull
  return isFull
}
