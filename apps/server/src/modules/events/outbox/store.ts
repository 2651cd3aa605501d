// SQL of reading events back.
import { columns, json, type Row, text, time } from '#infra/database/columns'
import { type Queryable, sql } from '#infra/database/db'
import type { WaitingRow } from '#kernel/waiting'

/** An event as its tenant may read it back. */
export interface OutboxEvent {
  /** The id that tenants see. */
  readonly id: string
  readonly eventType: string
  readonly subjectId: string
  /** Facts that the subject itself does not keep. */
  readonly payload: Readonly<Record<string, unknown>>
  readonly createdAt: Date
  /** Rises in the order of dispatch. */
  readonly position: bigint
}

const EVENT = columns<OutboxEvent>('', {
  id: ['public_id', text],
  eventType: ['type', text],
  subjectId: text,
  payload: json,
  createdAt: time,
  position: BigInt,
})

const FIND_EVENT = sql(
  'outbox.find_event',
  `select ${EVENT.list} from outbox.event where public_id = $1 and tenant_id = $2 and position is not null`,
)
export const findEvent = (
  db: Queryable,
  { id, tenantId }: { readonly id: string; readonly tenantId: string },
): Promise<OutboxEvent | null> => EVENT.first(db, FIND_EVENT, [id, tenantId])

const FIND_SUBJECT = sql(
  'outbox.find_subject_of_event',
  `select id "number", public_id id, type, subject_id "subjectId", tenant_id "tenantId",
     account_id "accountId" from outbox.event
   where public_id = any ($1::uuid[]) and ($2::uuid is null or tenant_id = $2)`,
)
export interface FoundEvent {
  readonly id: string
  /** Under which consumers refer to it. */
  readonly number: bigint
  readonly type: string
  readonly subjectId: string
  readonly tenantId: string
  readonly accountId: string
}
/** Of one tenant, or of all. */
export const findEventsById = (
  db: Queryable,
  by: { readonly ids: readonly string[]; readonly tenantId: string | null },
): Promise<FoundEvent[]> => db.query<FoundEvent>(FIND_SUBJECT, [by.ids, by.tenantId])

const INSPECT = sql(
  'outbox.inspect_event',
  `select id "number", public_id id, type, subject_type "subjectType", subject_id "subjectId", tenant_id "tenantId",
     account_id "accountId", payload, created_at "createdAt", dispatched_at "dispatchedAt"
   from outbox.event where public_id = $1`,
)
export interface InspectedEvent extends FoundEvent {
  readonly subjectType: string
  readonly payload: Readonly<Record<string, unknown>>
  readonly createdAt: Date
  readonly dispatchedAt: Date | null
}
/** Of any tenant, dispatched or not, as operators read it. */
export async function inspectEvent(db: Queryable, id: string): Promise<InspectedEvent | null> {
  const [event] = await db.query<InspectedEvent>(INSPECT, [id])
  return event ?? null
}

const FIND_ABOUT = sql(
  'outbox.find_about',
  'select public_id id, subject_type "subjectType" from outbox.event where id = $1',
)
/** An event as its tenant knows it, and what it is about, for one that consumers refer to. */
export async function findAbout(
  db: Queryable,
  number: bigint,
): Promise<{ readonly id: string; readonly subjectType: string } | null> {
  const [row] = await db.query<{ id: string; subjectType: string }>(FIND_ABOUT, [number])
  return row ?? null
}

export interface EventQuery {
  readonly tenantId: string
  /** `after` reads towards the newest, `before` towards the oldest. */
  readonly direction: 'after' | 'before'
  readonly position: bigint
  /** Null: all types. */
  readonly types: readonly string[] | null
  readonly limit: number
}

/** The same for equal queries, and for no others. */
export const keyOfQuery = ({ tenantId, direction, position, types, limit }: EventQuery): string =>
  JSON.stringify([tenantId, direction, String(position), types, limit])

export interface EventSlice {
  readonly events: readonly OutboxEvent[]
  /** The last event that was scanned, of a wanted type or not: where to go on. Null when there was none. */
  readonly last: { readonly id: string; readonly position: bigint } | null
  /** There may be more beyond `last`. */
  readonly hasMore: boolean
}

/**
 * How many events one call scans for those of the wanted types. A tenant with a million events of other
 * types must not cause a call that reads them all; the answer says how far the call came instead.
 */
const MAX_SCANNED = 2000

const listSql = (name: string, comparison: '<' | '>', order: 'asc' | 'desc') =>
  sql(
    name,
    `with seen as materialized (
       select ${EVENT.list} from outbox.event
       where tenant_id = $1 and position ${comparison} $2 order by position ${order} limit $5)
     select wanted.*, null::integer as "rowsScanned" from (
       select * from seen where $3::text[] is null or "eventType" = any ($3) order by position ${order} limit $4) wanted
     union all
     select last.*, (select count(*)::integer from seen) from (
       select * from seen order by position ${order === 'asc' ? 'desc' : 'asc'} limit 1) last`,
  )
const LIST_AFTER = listSql('outbox.list_after', '>', 'asc')
const LIST_BEFORE = listSql('outbox.list_before', '<', 'desc')

/** Events beyond a position, nearest first. */
export async function listEvents(db: Queryable, query: EventQuery): Promise<EventSlice> {
  const { tenantId, direction, position, types, limit } = query
  // One more than requested shows whether there is another.
  const scanned = types === null ? limit + 1 : MAX_SCANNED
  const rows = await db.query<Row<OutboxEvent> & { rowsScanned: number | null }>(
    direction === 'after' ? LIST_AFTER : LIST_BEFORE,
    [tenantId, position, types, limit + 1, scanned],
  )
  const end = rows.find(({ rowsScanned }) => rowsScanned !== null)
  const sign = direction === 'after' ? 1 : -1
  const wanted = rows
    .filter(({ rowsScanned }) => rowsScanned === null)
    .map(EVENT.of)
    .sort((one, other) => sign * (one.position < other.position ? -1 : 1))
  const events = wanted.slice(0, limit)
  const isFull = wanted.length > limit
  const last = isFull ? events.at(-1) : end && EVENT.of(end)
  return { events, last: last ?? null, hasMore: isFull || (end?.rowsScanned ?? 0) === scanned }
}

const MARKS_WITH_EVENTS = sql(
  'outbox.marks_with_events',
  `select distinct w.tenant_id, w.position from unnest($1::uuid[], $2::bigint[]) w (tenant_id, position)
   where exists (select from outbox.event e where e.tenant_id = w.tenant_id and e.position > w.position)`,
)
export interface Mark {
  readonly tenantId: string
  readonly position: bigint
}

/** The marks that have events after them. */
export async function marksWithEvents(db: Queryable, marks: readonly Mark[]): Promise<Mark[]> {
  const rows = await db.query<{ tenant_id: string; position: bigint }>(MARKS_WITH_EVENTS, [
    marks.map(({ tenantId }) => tenantId),
    marks.map(({ position }) => position),
  ])
  return rows.map((row) => ({ tenantId: row.tenant_id, position: row.position }))
}

const NEWEST_ID = sql('outbox.newest_id', 'select max(id) id from outbox.event')

/** Rises with each event that is written; 0 without one. */
export async function newestEventId(db: Queryable): Promise<bigint> {
  const [row] = await db.query<{ id: bigint | null }>(NEWEST_ID)
  return row?.id ?? 0n
}

const LAG = sql(
  'outbox.lag',
  `select count(*)::int count, min(created_at) oldest from (
     select created_at from outbox.event where dispatched_at is null order by id limit 10000) waiting`,
)

export interface OutboxLag {
  /** Events that are not dispatched yet, counted up to 10,000. */
  readonly count: number
  readonly oldest: Date | null
}

export async function readLag(db: Queryable): Promise<OutboxLag> {
  const [row] = await db.query<OutboxLag>(LAG)
  return row ?? { count: 0, oldest: null }
}

const LIST_BY_KEY = sql(
  'outbox.list_by_key',
  `select id, public_id "publicId", type, payload, created_at "createdAt", dispatched_at "dispatchedAt"
   from outbox.event where dedupe_key = any ($1::text[]) order by id limit 1000`,
)

export interface RecordedEvent {
  readonly id: bigint
  readonly publicId: string
  readonly type: string
  readonly payload: Readonly<Record<string, unknown>>
  readonly createdAt: Date
  readonly dispatchedAt: Date | null
}

/** The events that exist under these deduplication keys, oldest first. */
export const listEventsByKey = (
  db: Queryable,
  dedupeKeys: readonly string[],
): Promise<RecordedEvent[]> => db.query<RecordedEvent>(LIST_BY_KEY, [dedupeKeys])

const LIST_UNDISPATCHED = sql(
  'outbox.list_undispatched',
  `select public_id id, public_id "refId", type what, created_at since, null::timestamptz "dueAt",
     (count(*) over ())::int count, (count(*) over ())::int due
   from outbox.event where dispatched_at is null order by id limit $1`,
)
/** Events that are not dispatched yet, the oldest first. */
export const listUndispatched = (db: Queryable, limit: number): Promise<WaitingRow[]> =>
  db.query<WaitingRow>(LIST_UNDISPATCHED, [limit])
