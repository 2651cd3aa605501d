// The audit log on the command line: who did what, newest first.
import { type AuditEntry, listAudit } from '#audit'
import { readPersonEmails } from '#people'
import { AS_JSON, command, option, wrong } from './declare.ts'
import { compact, json, spelled, table, withFacts } from './table.ts'

const MOST_LISTED = 200

function subjectOf(text: string) {
  const [, subjectType, subjectId] = /^([a-z_]+)(?::(.+))?$/.exec(text) ?? []
  if (subjectType === undefined) {
    return wrong('It is <type> or <type>:<id>, such as market:market_a.')
  }
  return { subjectType, ...(subjectId !== undefined && { subjectId }) }
}

export const auditLogCommand = command(
  'audit-log',
  'who did what, newest first',
  option('--subject <type:id>', 'what it was done to, or all of a type', subjectOf),
  option('--actor <name>', 'who did it'),
  AS_JSON,
).does(async ({ db }, options) => {
  const entries = await listAudit(db, {
    ...options.subject,
    ...(options.actor !== undefined && { actorId: options.actor }),
    limit: MOST_LISTED,
  })
  if (options.json) return json(entries.map(withFacts), 2)
  if (entries.length === 0) return 'No such entry.'
  const emails = await readPersonEmails(
    db,
    entries.map(({ actor }) => actor.id),
  )
  const rows = entries.map(({ at, actor, act, subject, ...entry }) => ({
    at,
    actor: `${emails.get(actor.id) ?? actor.id} (${actor.kind})`,
    act,
    subject: subject.id === null ? subject.type : `${subject.type}:${subject.id}`,
    details: factsOf(entry),
  }))
  return table(rows, ['at', 'actor', 'act', 'subject', 'details'])
})

/** What was asked for, and in its place what that changed: `tier=standard → premium reason=agreed`. */
function factsOf({ details, changes }: Pick<AuditEntry, 'details' | 'changes'>): string {
  const changed = Object.entries(changes).map(([field, { from, to }]) => [
    field,
    `${shown(from)} → ${shown(to)}`,
  ])
  return compact({ ...details, ...Object.fromEntries(changed) })
}

const shown = (value: unknown): string => (value === null ? 'none' : spelled(value))
