// The audit log on the command line: who did what, newest first.
import { listAudit } from '#audit'
import { readPersonEmails } from '#people'
import { AS_JSON, command, option, wrong } from './declare.ts'
import { compact, json, table, withFacts } from './table.ts'

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
  const rows = entries.map(({ at, actor, act, subject, details }) => ({
    at,
    actor: `${emails.get(actor.id) ?? actor.id} (${actor.kind})`,
    act,
    subject: subject.id === null ? subject.type : `${subject.type}:${subject.id}`,
    details: compact(details),
  }))
  return table(rows, ['at', 'actor', 'act', 'subject', 'details'])
})
