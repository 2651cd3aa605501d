// What nothing needs any more is deleted: logins leave no lasting record of where a person was.
import type { Db } from '#infra/database/db'
import { sql } from '#infra/database/db'
import { DAY_MS } from './person.ts'
import { purgeThrottles } from './store/throttles.ts'

const KEPT_MS = 30 * DAY_MS
const BATCH = 5000

/** Each with the moment from which it is of no use. */
const TABLES = [
  ['people.passkey_ceremony', 'expires_at'],
  ['people.chat_request', 'expires_at'],
  ['people.challenge', 'expires_at'],
  ['people.mail_token', 'expires_at'],
  ['people.factor_removal', 'ended_at'],
  ['people.session', 'expires_at'],
  ['people.registration', 'created_at'],
  ['people.visitor_request', 'created_at'],
] as const
const PURGES = TABLES.map(([table, end]) =>
  sql(
    `people.purge ${table}`,
    `delete from ${table} where ctid = any (array(select ctid from ${table} where ${end} < $1 limit ${BATCH})) returning 1`,
  ),
)

/**
 * Sessions, challenges, links and removals that ended 30 days ago, registrations that were not confirmed in
 * 30 days, failures a day old; true when there may be more.
 */
export async function purgeLogins(db: Db, now: Date): Promise<boolean> {
  await purgeThrottles(db, new Date(now.getTime() - DAY_MS))
  const before = new Date(now.getTime() - KEPT_MS)
  let isFull = false
  for (const purge of PURGES) isFull = (await db.query(purge, [before])).length === BATCH || isFull
  return isFull
}
