// Cases on the command line: list them, show one, resolve one.
import { OUTCOMES } from '#buying'
import type { MarketId } from '#kernel/market-id'
import { resolveCase, resolveUnmatchedPurchases } from '#operations'
import {
  CASE_KINDS,
  type CaseFile,
  type CaseKind,
  findCase,
  listCases,
  listEntries,
  runbookOf,
} from '#reconciliation'
import { type Context, fail, usage } from './context.ts'
import { AS_JSON, argument, command, type Declared, option, REASON, time, uuid } from './declare.ts'
import { ageOf, compact, json, table, withFacts } from './table.ts'

const MOST_LISTED = 200
const NONE = { open: 'No open cases.', resolved: 'No resolved cases.', all: 'No cases.' } as const

const STATES = ['open', 'resolved', 'all'] as const
const KINDS = Object.keys(CASE_KINDS) as CaseKind[]
const ID = argument('<id>', '`cases list` shows them', uuid)

export const caseCommands = (markets: readonly MarketId[]): readonly Declared[] => [
  command(
    'cases [list]',
    'contradictions for an operator',
    option('--state <state>', 'which', STATES, 'open'),
    option('--kind <kind>', 'of one kind alone', KINDS),
    AS_JSON,
  ).does(list),
  command('cases show', 'a case with its log', ID, AS_JSON).does(show),
  command(
    'cases resolve',
    'close a case that is dealt with; with --kind, --market and --since all of them',
    ...[argument('[id]', '`cases list` shows them', uuid), REASON],
    option('--by <name>', 'who has dealt with it; without, you'),
    option(
      '--outcome <outcome>',
      'of a reversal_unclear: who took the item back, or that it was delivered',
      OUTCOMES,
    ),
    option('--kind <kind>', 'of several cases', ['orphan_purchase']),
    option('--market <market>', 'of several cases', markets),
    option(
      '--since <time>',
      'of several cases: first seen since then, such as 2026-11-29T10:00:00Z',
      time,
    ),
  ).does(async (context, id, { kind, market, since, ...said }) => {
    const { reason, outcome, by = context.actor.id } = said
    if (id === undefined) {
      if (
        kind === undefined ||
        market === undefined ||
        since === undefined ||
        outcome !== undefined
      ) {
        return usage('name a case, or several with --kind, --market and --since')
      }
      const count = await resolveUnmatchedPurchases(
        context,
        context.actor,
        { market, since },
        { by, reason },
      )
      return `Resolved by ${by}: ${count} cases.`
    }
    if (kind !== undefined || market !== undefined || since !== undefined) {
      return usage('a case is named alone')
    }
    const result = await resolveCase(context, context.actor, id, { by, reason, outcome })
    if (result === 'resolved') return `Resolved by ${by}.`
    return fail(
      typeof result === 'string'
        ? WHY_NOT[result]
        : `it is resolved already, by ${result.alreadyBy}`,
    )
  }),
]

const WHY_NOT = {
  'not-found': 'there is no such case',
  'needs-outcome': `it is decided with --outcome ${OUTCOMES.join('|')}: the item is in its hold until then`,
  'takes-no-outcome': 'it is about no delivery that waits for an outcome: resolve it without one',
  'not-in-hold': 'its item is not in its hold yet: wait for the next look at its order',
} as const

interface ListOptions {
  readonly state: (typeof STATES)[number]
  readonly kind?: CaseKind
  readonly json?: true
}

async function list(
  { db, clock }: Context,
  { state, kind, ...options }: ListOptions,
): Promise<string> {
  const found = await listCases(db, {
    state: state === 'all' ? null : state,
    kind: kind ?? null,
    limit: MOST_LISTED,
  })
  if (options.json) return json(found.map(withFacts), 2)
  if (found.length === 0) return NONE[state]
  const now = clock.now()
  const rows = found.map((each) => ({
    id: each.id,
    kind: each.kind,
    state: stateOf(each),
    age: ageOf(each.firstSeenAt, now),
    seen: each.sightings,
    subject: each.subject,
    details: compact(each.details),
  }))
  return table(rows, ['id', 'kind', 'state', 'age', 'seen', 'subject', 'details'])
}

async function show(
  { db, clock }: Context,
  id: string,
  options: { readonly json?: true },
): Promise<string> {
  const found = await findCase(db, id)
  if (found === null) return fail('there is no such case')
  const entries = await listEntries(db, id)
  if (options.json) return json({ ...withFacts(found), entries: entries.map(withFacts) }, 2)
  const now = clock.now()
  const log = entries.map(({ at, what, byWhom, details }) => ({
    at,
    what,
    by: byWhom,
    details: compact(details),
  }))
  return [
    `${found.kind}: ${CASE_KINDS[found.kind as keyof typeof CASE_KINDS] ?? ''}`,
    `state      ${stateOf(found)}, ${ageOf(found.firstSeenAt, now)} old`,
    `subject    ${found.subject}${found.market === null ? '' : ` at ${found.market}`}`,
    `seen       ${found.sightings} times by the ${found.source}, last ${found.lastSeenAt.toISOString()}`,
    `details    ${compact(found.details)}`,
    `notes      ${compact(found.notes)}`,
    ...(found.resolution === null
      ? []
      : [`resolved   by ${found.resolvedBy}: ${found.resolution}`]),
    '',
    table(log, ['at', 'what', 'by', 'details']),
    '',
    `What to do: ${runbookOf(found.kind)}`,
    ...(found.itemId === null ? [] : [`Everything about it: npm run ops -- trade ${found.itemId}`]),
  ].join('\n')
}

const stateOf = ({ state, clearedAt }: CaseFile): string =>
  state === 'open' && clearedAt !== null ? 'open, cleared' : state
