// SQL of cases.

import type { AccountRef, Adopted, MarketId } from '#buying'
import { columns, int, json, text, time } from '#infra/database/columns'
import { type Queryable, sql } from '#infra/database/db'
import type { Bounds } from '../baseline.ts'
import type { CaseDetails, CaseEntry, CaseFile, CaseSource, Finding } from '../case.ts'

const CASE = columns<CaseFile>('', {
  id: text,
  kind: text,
  subject: text,
  market: text,
  itemId: text,
  source: text,
  state: text,
  details: ['facts', json],
  notes: json,
  sightings: int,
  firstSeenAt: time,
  lastSeenAt: time,
  clearedAt: time,
  resolvedAt: time,
  resolvedBy: text,
  resolution: text,
})

const REPORT = sql(
  'reconciliation.report',
  'select case_id, is_new from reconciliation.report($1, $2, $3, $4, $5, $6, $7, $8)',
)
export interface Reported {
  readonly caseId: string
  readonly isNew: boolean
}
/** Opens a case, or notes one more sighting of it. */
export async function reportCase(
  db: Queryable,
  { kind, subject, details, notes = {} }: Omit<Finding, 'kind'> & { readonly kind: string },
  { source, at }: { readonly source: CaseSource; readonly at: Date },
): Promise<Reported> {
  const [row] = await db.query<{ case_id: string; is_new: boolean }>(REPORT, [
    kind,
    subject.name,
    subject.market,
    subject.itemId,
    source,
    spelled(details),
    spelled(notes),
    at,
  ])
  return { caseId: row?.case_id ?? '', isNew: row?.is_new ?? false }
}

/** Details as JSON: money and ids that are bigint are spelled out. */
const spelled = (details: CaseDetails): string =>
  JSON.stringify(details, (_key, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  )

const CLEAR = sql(
  'reconciliation.clear',
  `with cleared as (
     update reconciliation.case_file set cleared_at = $4
     where state = 'open' and cleared_at is null and kind = any ($1::text[]) and subject = any ($2::text[])
       and source = any ($3::text[])
     returning id),
   entry as (
     insert into reconciliation.case_entry (case_id, at, what) select id, $4, 'cleared' from cleared)
   select id from cleared`,
)
/** The named subjects were looked at and are well: open cases of these kinds say so, and stay open. */
export async function clearCases(
  db: Queryable,
  cleared: {
    readonly kinds: readonly string[]
    readonly subjects: readonly string[]
    readonly sources: readonly CaseSource[]
    readonly at: Date
  },
): Promise<number> {
  if (cleared.subjects.length === 0) return 0
  const { kinds, subjects, sources, at } = cleared
  return (await db.query(CLEAR, [kinds, subjects, sources, at])).length
}

const UNCLEARED = sql(
  'reconciliation.uncleared',
  `select kind, subject from reconciliation.case_file
   where state = 'open' and cleared_at is null and kind = any ($1::text[]) order by id limit 50000`,
)
/**
 * Open cases that nothing has cleared, the oldest fifty thousand. They are few, and what a comparison has
 * examined may be a hundred thousand subjects.
 */
export const listUnclearedCases = (
  db: Queryable,
  kinds: readonly string[],
): Promise<{ kind: string; subject: string }[]> => db.query(UNCLEARED, [kinds])

const MISSING = sql(
  'reconciliation.missing_items',
  `select item_id from reconciliation.case_file
   where kind = 'missing' and market = $1 and state = 'open' and cleared_at is null and item_id is not null
   order by id limit 1000`,
)
/** Items whose order a market lacks, by the open cases; the oldest thousand. */
export const listMissingItems = async (db: Queryable, market: MarketId): Promise<string[]> =>
  (await db.query<{ item_id: string }>(MISSING, [market])).map(({ item_id }) => item_id)

const CLEAR_FALLS = sql(
  'reconciliation.clear_falls',
  `with cleared as (
     update reconciliation.case_file set cleared_at = $3
     where state = 'open' and cleared_at is null and source = 'balance' and market = $1
       and coalesce(facts ->> 'account', 'main') = $5
       and (facts ->> 'missingMills')::bigint between $2 and $4
     returning id),
   entry as (
     insert into reconciliation.case_entry (case_id, at, what) select id, $3, 'cleared' from cleared)
   select id from cleared`,
)
/** What was missing of our account is there after all. */
export async function clearFalls(
  db: Queryable,
  { market, account }: AccountRef,
  { risenBy: { low, high }, at }: { readonly risenBy: Bounds; readonly at: Date },
): Promise<void> {
  await db.query(CLEAR_FALLS, [market, low, at, high, account])
}

const RESOLVE = sql(
  'reconciliation.resolve',
  `with resolved as (
     update reconciliation.case_file
     set state = 'resolved', resolved_at = $4, resolved_by = $2, resolution = $3
     where id = $1 and state = 'open' returning id),
   entry as (
     insert into reconciliation.case_entry (case_id, at, what, by_whom, facts)
     select id, $4, 'resolved', $2, jsonb_build_object('reason', $3::text) from resolved)
   select id from resolved`,
)
/** False when it is not open. */
export async function closeCase(
  db: Queryable,
  caseId: string,
  { by, reason, at }: { readonly by: string; readonly reason: string; readonly at: Date },
): Promise<boolean> {
  return (await db.query(RESOLVE, [caseId, by, reason, at])).length > 0
}

const RESOLVE_UNMATCHED = sql(
  'reconciliation.resolve_orphans',
  `with resolved as (
     update reconciliation.case_file
     set state = 'resolved', resolved_at = $6, resolved_by = $4, resolution = $5
     where state = 'open' and kind = 'orphan_purchase' and ($1::text is null or market = $1)
       and ($2::timestamptz is null or first_seen_at >= $2)
       and ($3::text[] is null or facts ->> 'customId' = any ($3))
     returning id),
   entry as (
     insert into reconciliation.case_entry (case_id, at, what, by_whom, facts)
     select id, $6, 'resolved', $4, jsonb_build_object('reason', $5::text) from resolved)
   select id from resolved`,
)
/** Which of the open cases about orders without an item: of a market, first seen since then, of these ids. */
export interface UnmatchedFilter {
  readonly market?: MarketId
  readonly since?: Date
  readonly customIds?: readonly string[]
}
/** How many were open. */
export async function resolveUnmatchedPurchases(
  db: Queryable,
  { market, since, customIds }: UnmatchedFilter,
  { by, reason, at }: { readonly by: string; readonly reason: string; readonly at: Date },
): Promise<number> {
  const values = [market ?? null, since ?? null, customIds ?? null, by, reason, at]
  return (await db.query(RESOLVE_UNMATCHED, values)).length
}

const OPEN_UNMATCHED = sql(
  'reconciliation.open_orphans',
  `select ${CASE.list} from reconciliation.case_file
   where state = 'open' and kind = 'orphan_purchase' order by id limit 200000`,
)
/** Oldest first. */
export const listUnmatchedPurchases = (db: Queryable): Promise<CaseFile[]> =>
  CASE.all(db, OPEN_UNMATCHED)

const RESOLVE_ADOPTED = sql(
  'reconciliation.resolve_adopted',
  `with resolved as (
     update reconciliation.case_file
     set state = 'resolved', resolved_at = $4, resolved_by = 'repeated buy', resolution = 'adopted by trade ' || $3
     where state = 'open' and kind = 'orphan_purchase' and market = $1 and facts ->> 'customId' = $2
     returning id, resolution)
   insert into reconciliation.case_entry (case_id, at, what, by_whom, facts)
   select id, $4, 'resolved', 'repeated buy', jsonb_build_object('reason', resolution) from resolved`,
)
/** The order has a trade again. Nothing happens when it was no case. */
export async function resolveAdopted(
  db: Queryable,
  { market, customId, tradeId }: Adopted,
  at: Date,
): Promise<void> {
  await db.query(RESOLVE_ADOPTED, [market, customId, tradeId, at])
}

const FIND = sql(
  'reconciliation.find_case',
  `select ${CASE.list} from reconciliation.case_file where id = $1`,
)
export async function findCase(db: Queryable, caseId: string): Promise<CaseFile | null> {
  return CASE.first(db, FIND, [caseId])
}

const LIST = sql(
  'reconciliation.list_cases',
  `select ${CASE.list} from reconciliation.case_file
   where ($1::text is null or state = $1) and ($2::text is null or kind = $2)
     and ($4::uuid is null or id < $4)
   order by id desc limit $3`,
)
export interface CaseFilter {
  readonly state: CaseFile['state'] | null
  readonly kind: string | null
  /** Cases older than this one. */
  readonly before?: string | null
  readonly limit: number
}
/** Newest first. */
export async function listCases(db: Queryable, filter: CaseFilter): Promise<CaseFile[]> {
  const { state, kind, limit, before = null } = filter
  return CASE.all(db, LIST, [state, kind, limit, before])
}

const OPEN_OF = sql(
  'reconciliation.open_case_of',
  `select id from reconciliation.case_file where kind = $1 and subject = $2 and state = 'open'`,
)
/** The id of the open case of a subject; null when there is none. */
export async function findOpenCase(
  db: Queryable,
  kind: string,
  subject: string,
): Promise<string | null> {
  const [row] = await db.query<{ id: string }>(OPEN_OF, [kind, subject])
  return row?.id ?? null
}

const OF_ITEMS = sql(
  'reconciliation.cases_of_items',
  `select ${CASE.list} from reconciliation.case_file where item_id = any ($1::uuid[]) order by id limit 1000`,
)
export async function listCasesOfItems(
  db: Queryable,
  itemIds: readonly string[],
): Promise<CaseFile[]> {
  return CASE.all(db, OF_ITEMS, [itemIds])
}

const ENTRIES = sql(
  'reconciliation.case_entries',
  `select at, what, by_whom "byWhom", facts details from reconciliation.case_entry
   where case_id = $1 order by id limit 1000`,
)
/** Oldest first. */
export const listEntries = (db: Queryable, caseId: string): Promise<CaseEntry[]> =>
  db.query<CaseEntry>(ENTRIES, [caseId])

const NEWEST_ENTRY = sql(
  'reconciliation.newest_entry',
  'select max(id) id from reconciliation.case_entry',
)
/** Rises when a case is opened, changes, is cleared or resolved; 0 without one. */
export async function newestEntryId(db: Queryable): Promise<bigint> {
  const [row] = await db.query<{ id: bigint | null }>(NEWEST_ENTRY)
  return row?.id ?? 0n
}

const COUNT_OPEN = sql(
  'reconciliation.count_open',
  `select kind, cleared_at is not null cleared, count(*)::int count, min(first_seen_at) oldest
   from reconciliation.case_file where state = 'open' group by kind, cleared`,
)
export interface OpenCases {
  readonly kind: string
  readonly cleared: boolean
  readonly count: number
  readonly oldest: Date
}
export const countOpenCases = (db: Queryable): Promise<OpenCases[]> =>
  db.query<OpenCases>(COUNT_OPEN)
