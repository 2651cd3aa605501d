// Events of all tenants in the order of dispatch, for what counts each of them once.
import { type Queryable, sql } from '#infra/database/db'

export interface EventInOrder {
  readonly type: string
  readonly tenantId: string
  readonly subjectId: string
  readonly payload: Readonly<Record<string, unknown>>
  readonly createdAt: Date
}

export interface EventsInOrder {
  readonly events: readonly EventInOrder[]
  /** The last position that was read: where to go on. */
  readonly upTo: bigint
  readonly hasMore: boolean
}

// The index of events begins with the tenant: each tenant costs a few probes of it, however many events there
// are. Positions become visible in their order, because one dispatcher gives them under its lock.
const TENANTS = `recursive tenant (id) as (
    (select e.tenant_id from outbox.event e where e.position is not null order by e.tenant_id limit 1)
    union all
    select (select e.tenant_id from outbox.event e where e.position is not null and e.tenant_id > tenant.id
      order by e.tenant_id limit 1)
    from tenant where tenant.id is not null)`
const NEWEST = sql(
  'outbox.newest_position',
  `with ${TENANTS}
   select max(newest.position) "position" from tenant cross join lateral (
     select e.position from outbox.event e where e.tenant_id = tenant.id and e.position is not null
     order by e.position desc limit 1) newest where tenant.id is not null`,
)
const IN_ORDER = sql(
  'outbox.events_in_order',
  `with ${TENANTS}
   select e.type, e.tenant_id "tenantId", e.subject_id "subjectId", e.payload, e.created_at "createdAt"
   from tenant cross join lateral (
     select e.* from outbox.event e
     where e.tenant_id = tenant.id and e.position > $1 and e.position <= $2) e
   where tenant.id is not null and e.subject_type = $3 order by e.position`,
)

/** Events about subjects of a type, of the next `limit` positions after `after`. */
export async function readEventsInOrder(
  db: Queryable,
  {
    after,
    limit,
    subjectType,
  }: { readonly after: bigint; readonly limit: number; readonly subjectType: string },
): Promise<EventsInOrder> {
  const [row] = await db.query<{ position: bigint | null }>(NEWEST)
  const newest = row?.position ?? 0n
  if (newest <= after) return { events: [], upTo: after, hasMore: false }
  const end = after + BigInt(limit)
  const upTo = end < newest ? end : newest
  const events = await db.query<EventInOrder>(IN_ORDER, [after, upTo, subjectType])
  return { events, upTo, hasMore: upTo < newest }
}

const FIRST_EVENT = sql(
  'outbox.first_event',
  'select created_at "createdAt" from outbox.event order by id limit 1',
)
/** Null: there was none yet. */
export async function findFirstEventAt(db: Queryable): Promise<Date | null> {
  const [row] = await db.query<{ createdAt: Date }>(FIRST_EVENT)
  return row?.createdAt ?? null
}
