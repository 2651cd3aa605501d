// Cases on the command line: what is open, what one is about, and what a person found.
import { userInfo } from 'node:os'
import { systemClock } from '#infra/clock'
import type { Db } from '#infra/db'
import {
  CASE_KINDS,
  type CaseFile,
  findCase,
  listCases,
  listEntries,
  resolveCase,
} from '#reconciliation'
import { ageOf, compact, json, table } from './table.ts'
import { type Invocation, usage } from './usage.ts'

const MOST_LISTED = 200

export async function cases(context: Invocation & { readonly db: Db }): Promise<string> {
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

async function list({ db, options }: Invocation & { readonly db: Db }): Promise<string> {
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
  if (found.length === 0) return 'No such case.'
  const now = systemClock.now()
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

async function show(context: Invocation & { readonly db: Db }): Promise<string> {
  const { db, options } = context
  const id = idOf(context)
  const found = await findCase(db, id)
  if (found === null) return usage('there is no such case')
  const entries = await listEntries(db, id)
  if (options.json) return json({ ...found, entries }, 2)
  const now = systemClock.now()
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

async function resolve(context: Invocation & { readonly db: Db }): Promise<string> {
  const { db, options } = context
  const reason = options.reason?.trim() || usage('cases resolve needs --reason')
  const by = options.by ?? userInfo().username
  const result = await resolveCase({ db, clock: systemClock }, idOf(context), { by, reason })
  if (result === 'resolved') return `Resolved by ${by}.`
  if (result === 'not-found') return usage('there is no such case')
  return usage(`it is resolved already, by ${result.alreadyBy}`)
}

const stateOf = ({ state, clearedAt }: CaseFile): string =>
  state === 'open' && clearedAt !== null ? 'open, cleared' : state

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const idOf = ({ more }: Invocation): string => {
  const [id = ''] = more
  return UUID.test(id) ? id : usage('name a case by its id')
}
