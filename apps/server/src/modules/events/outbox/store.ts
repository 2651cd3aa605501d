// SQL of reading events back.
import { columns, json, type Row, text, time } from '#infra/database/columns'
import { type Queryable, sql } from '#infra/database/db'
import { firstUuidOf, timeOfId } from '#kernel/id'
import type { WaitingRow } from '#kernel/waiting'

/** An event as its tenant may read it back. */
export interface OutboxEvent {
  /** The id that tenants see. */
  readonly id: string
  readonly eventType: string
  readonly subjectId: string
  /** Details that the subject itself does not keep. */
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

// Looked up by its id alone: in a young partition the planner may think that a tenant has as few events.
const FIND_EVENT = sql(
  'outbox.find_event',
  `select ${EVENT.list} from (select * from outbox.event where public_id = $1 offset 0) found
   where tenant_id = $2 and position is not null`,
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
  /** Of the event at that position, where there is one: later ones are not looked for in months before it. */
  readonly id?: string | null | undefined
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

const DAY_MS = 24 * 3_600_000
const LOWEST_ID = '00000000-0000-0000-0000-000000000000'

/**
 * The lowest id that an event with a later position can have; PostgreSQL looks into no month before it. Such
 * an event was written after the given one, or in a transaction that was open when that one was dispatched,
 * so seconds before it. The day is for a database whose clock was set back.
 */
export function lowestIdAfter(id: string | null): string {
  const time = id === null ? null : timeOfId(id)
  return time === null ? LOWEST_ID : firstUuidOf(new Date(Math.max(0, time.getTime() - DAY_MS)))
}

const listSql = (name: string, comparison: '<' | '>', order: 'asc' | 'desc') =>
  sql(
    name,
    `with seen as materialized (
       select ${EVENT.list} from outbox.event
       where tenant_id = $1 and position ${comparison} $2 and public_id >= $6 order by position ${order} limit $5)
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
  const { tenantId, direction, position, id = null, types, limit } = query
  // One more than requested shows whether there is another.
  const scanned = types === null ? limit + 1 : MAX_SCANNED
  const rows = await db.query<Row<OutboxEvent> & { rowsScanned: number | null }>(
    direction === 'after' ? LIST_AFTER : LIST_BEFORE,
    [
      tenantId,
      position,
      types,
      limit + 1,
      scanned,
      lowestIdAfter(direction === 'after' ? id : null),
    ],
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

// By subselects the planner does not see how few marks there are, for which it would plan anew each time.
const MARKS_WITH_EVENTS = sql(
  'outbox.marks_with_events',
  `select distinct w.tenant_id, w.position
   from unnest((select $1::uuid[]), (select $2::bigint[]), (select $3::uuid[])) w (tenant_id, position, lowest_id)
   where exists (
     select from outbox.event e
     where e.tenant_id = w.tenant_id and e.position > w.position and e.public_id >= w.lowest_id)`,
)
export type Mark = Pick<EventQuery, 'tenantId' | 'position' | 'id'>

/** The marks that have events after them. */
export async function marksWithEvents(db: Queryable, marks: readonly Mark[]): Promise<Mark[]> {
  const rows = await db.query<{ tenant_id: string; position: bigint }>(MARKS_WITH_EVENTS, [
    marks.map(({ tenantId }) => tenantId),
    marks.map(({ position }) => position),
    marks.map(({ id = null }) => lowestIdAfter(id)),
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
  `select e.id, e.public_id "publicId", e.type, e.payload, e.created_at "createdAt", e.dispatched_at "dispatchedAt"
   from unnest($1::text[]) wanted (key)
     join outbox.event_key k on k.dedupe_id = right(wanted.key, 36)::uuid and wanted.key = k.type || ':' || k.dedupe_id
     join outbox.event e on e.public_id = k.public_id
   union
   select id, public_id, type, payload, created_at, dispatched_at from outbox.event
   where dedupe_key = any ($1) and exists (select from outbox.unkeyed)
   order by 1 limit 1000`,
)

export interface RecordedEvent {
  readonly id: bigint
  readonly publicId: string
  readonly type: string
  readonly payload: Readonly<Record<string, unknown>>
  readonly createdAt: Date
  readonly dispatchedAt: Date | null
}

/** The events under these deduplication keys that are still kept, oldest first. */
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
