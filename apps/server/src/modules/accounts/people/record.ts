// What people do with their logins is in the audit log, in the commit of the act.
import { type Actor, type Changes, recordAct } from '#audit'
import type { Queryable, Tx } from '#infra/database/db'
import type { ActName } from '#kernel/act-name'
import type { Membership, Origin } from './person.ts'
import { listMemberships } from './store/members.ts'
import { mayRecordFailure } from './throttle.ts'

/** The person as a member of one account, in whose log the act is. */
export const actorOf = (
  personId: string,
  membership: Membership | null,
  { address, requestId }: Origin,
): Actor => ({
  kind: membership?.role === 'administrator' ? 'administrator' : 'member',
  id: personId,
  request: { address, requestId },
  ...(membership?.accountKind !== 'admin' && membership && { accountId: membership.accountId }),
})

/** Of a request without a session: a member of the account that a login begins with. */
export async function actorWithoutSession(
  db: Queryable,
  personId: string,
  origin: Origin,
): Promise<Actor> {
  const [membership = null] = await listMemberships(db, personId)
  return actorOf(personId, membership, origin)
}

export interface OwnAct {
  readonly act: Extract<ActName, `person.${string}`>
  readonly details?: Readonly<Record<string, unknown>>
  readonly changes?: Changes
  readonly at: Date
}

/** An act of a person that is about their own login. */
export const recordOwn = (tx: Tx, actor: Actor, act: OwnAct): Promise<void> =>
  recordAct(tx, { details: {}, ...act, actor, subject: { type: 'person', id: actor.id } })

/** Of a person that an address names: a wrong password or factor. At most 20, then none for a day. */
export async function recordFailure(
  tx: Tx,
  person: { readonly id: string; readonly email: string },
  origin: Origin,
  failure: { readonly what: string; readonly at: Date },
): Promise<void> {
  const { what, at } = failure
  const isLast = await mayRecordFailure(tx, person.email, at)
  if (isLast === null) return
  const details = { what, ...(isLast && { rest: 'further failures are not listed for a day' }) }
  const actor = await actorWithoutSession(tx, person.id, origin)
  await recordOwn(tx, actor, { act: 'person.log_in_failed', details, at })
}
