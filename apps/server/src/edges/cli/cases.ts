// Cases on the command line: list them, show one, resolve one.
import { resolveCase } from '#operations'
import { CASE_KINDS, type CaseFile, findCase, listCases, listEntries } from '#reconciliation'
import { type Context, type Invocation, reasonOf, UUID, usage } from './invocation.ts'
import { ageOf, compact, json, table } from './table.ts'

const MOST_LISTED = 200
const NONE = { open: 'No open cases.', resolved: 'No resolved cases.', all: 'No cases.' } as const

export async function cases(context: Context): Promise<string> {
  switch (context.argument) {
    case undefined:
    case 'list':
      return list(context)
    case 'show':
      return show(context)
    case 'resolve':
      return resolve(context)
    default:
      return usage('cases list, cases show <id> or cases resolve <id> --reason <text>')
  }
}

async function list({ db, clock, options }: Context): Promise<string> {
  const { state = 'open', kind = null } = options
  if (state !== 'open' && state !== 'resolved' && state !== 'all')
    return usage('--state is open, resolved or all')
  if (kind !== null && !(kind in CASE_KINDS))
    return usage(`--kind is one of ${Object.keys(CASE_KINDS).join(', ')}`)
  const found = await listCases(db, {
    state: state === 'all' ? null : state,
    kind,
    limit: MOST_LISTED,
  })
  if (options.json) return json(found, 2)
  if (found.length === 0) return NONE[state]
  const now = clock.now()
  const rows = found.map((each) => ({
    id: each.id,
    kind: each.kind,
    state: stateOf(each),
    age: ageOf(each.firstSeenAt, now),
    seen: each.sightings,
    subject: each.subject,
    facts: compact(each.facts),
  }))
  return table(rows, ['id', 'kind', 'state', 'age', 'seen', 'subject', 'facts'])
}

async function show(context: Context): Promise<string> {
  const { db, clock, options } = context
  const id = idOf(context)
  const found = await findCase(db, id)
  if (found === null) return usage('there is no such case')
  const entries = await listEntries(db, id)
  if (options.json) return json({ ...found, entries }, 2)
  const now = clock.now()
  const log = entries.map(({ at, what, byWhom, facts }) => ({
    at,
    what,
    by: byWhom,
    facts: compact(facts),
  }))
  return [
    `${found.kind}: ${CASE_KINDS[found.kind as keyof typeof CASE_KINDS] ?? ''}`,
    `state      ${stateOf(found)}, ${ageOf(found.firstSeenAt, now)} old`,
    `subject    ${found.subject}${found.market === null ? '' : ` at ${found.market}`}`,
    `seen       ${found.sightings} times by the ${found.source}, last ${found.lastSeenAt.toISOString()}`,
    `facts      ${compact(found.facts)}`,
    `notes      ${compact(found.notes)}`,
    ...(found.resolution === null
      ? []
      : [`resolved   by ${found.resolvedBy}: ${found.resolution}`]),
    '',
    table(log, ['at', 'what', 'by', 'facts']),
    '',
    `What to do: docs/runbooks/reconciliation-case.md#${found.kind}`,
    ...(found.itemId === null ? [] : [`Everything about it: npm run ops -- trade ${found.itemId}`]),
  ].join('\n')
}

async function resolve(context: Context): Promise<string> {
  const by = context.options.by ?? context.actor.id
  const reason = reasonOf(context)
  const result = await resolveCase(context, context.actor, idOf(context), { by, reason })
  if (result === 'resolved') return `Resolved by ${by}.`
  if (result === 'not-found') return usage('there is no such case')
  return usage(`it is resolved already, by ${result.alreadyBy}`)
}

const stateOf = ({ state, clearedAt }: CaseFile): string =>
  state === 'open' && clearedAt !== null ? 'open, cleared' : state

const idOf = ({ more }: Invocation): string => {
  const [id = ''] = more
  return UUID.test(id) ? id : usage('name a case by its id')
}
