// The audit log on the command line: who did what, newest first.
import { listAudit } from '#audit'
import { readPersonEmails } from '#people'
import { type Context, usage } from './invocation.ts'
import { compact, json, table } from './table.ts'

const MOST_LISTED = 200

export async function auditLog({ db, options }: Context): Promise<string> {
  const [, subjectType, subjectId] = /^([a-z_]+)(?::(.+))?$/.exec(options.subject ?? '') ?? []
  if (options.subject !== undefined && subjectType === undefined)
    return usage('--subject is <type> or <type>:<id>, such as market:market_a')
  const entries = await listAudit(db, {
    ...(subjectType !== undefined && { subjectType }),
    ...(subjectId !== undefined && { subjectId }),
    ...(options.actor !== undefined && { actorId: options.actor }),
    limit: MOST_LISTED,
  })
  if (options.json) return json(entries, 2)
  if (entries.length === 0) return 'No such entry.'
  const emails = await readPersonEmails(
    db,
    entries.map(({ actor }) => actor.id),
  )
  const rows = entries.map(({ at, actor, act, subject, facts }) => ({
    at,
    actor: `${emails.get(actor.id) ?? actor.id} (${actor.kind})`,
    act,
    subject: subject.id === null ? subject.type : `${subject.type}:${subject.id}`,
    facts: compact(facts),
  }))
  return table(rows, ['at', 'actor', 'act', 'subject', 'facts'])
}
