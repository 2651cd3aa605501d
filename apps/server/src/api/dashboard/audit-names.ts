// What the audit logs call the persons and accounts of their entries.
import type { AuditEntry } from '#audit'
import { readAccountNames } from '#identity'
import type { Queryable } from '#infra/db'
import { isUuid } from '#kernel/id'
import { readPersonEmails } from '#people'

/** Kinds of subjects whose id is that of an account. */
const ACCOUNTS: ReadonlySet<string> = new Set(['account', 'child', 'sub_user', 'webhook_endpoint'])

/** By id: the e-mail addresses of acting and concerned persons, the names of concerned accounts. */
export async function readAuditNames(
  db: Queryable,
  entries: readonly AuditEntry[],
): Promise<ReadonlyMap<string, string>> {
  const idsOf = (isOf: (type: string) => boolean): string[] =>
    entries.flatMap(({ subject: { type, id } }) => (isOf(type) && id !== null ? [id] : []))
  const persons = [
    ...entries.map(({ actor }) => actor.id),
    ...idsOf((type) => type === 'person'),
  ].filter(isUuid)
  const accounts = idsOf((type) => ACCOUNTS.has(type)).filter(isUuid)
  const [emails, names] = await Promise.all([
    readPersonEmails(db, [...new Set(persons)]),
    readAccountNames(db, accounts),
  ])
  return new Map([...names, ...emails])
}
