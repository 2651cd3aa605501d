// The deliveries of some endpoints, filtered. A tenant may have millions, and few of them may fit a filter:
// one call looks at a bounded number and reports how far it came.
import type { Row } from '#infra/database/columns'
import { type Queryable, sql } from '#infra/database/db'
import type { CursorPage } from '#kernel/page'
import { DELIVERY, DELIVERY_RECORD, type DeliveryRecord, OF_DELIVERY } from './deliveries.ts'

export interface DeliveriesQuery {
  readonly endpointIds: readonly string[]
  /** One or several, separated by commas. */
  readonly status?: string | null
  /** As the endpoint's dialect names it. */
  readonly type?: string | null
  /** The trade, deposit or withdrawal. */
  readonly subjectId?: string | null
  /** The time of the event: from the one on, before the other. */
  readonly from?: Date | null
  readonly to?: Date | null
  /** The id of a delivery: those before it. */
  readonly cursor?: string | null
  readonly limit: number
}

/** How many deliveries one call looks at for those that a filter wants. */
const MOST_SEEN = 10_000

/** Ids of events rise with their times, but for events whose transactions were open side by side. */
const DISORDER = "interval '1 minute'"

const WANTED = `($3::text is null or status = any (string_to_array($3, ','))) and ($4::text is null or event_type = $4)
  and ($5::timestamptz is null or created_at >= $5) and ($6::timestamptz is null or created_at < $6)`
/**
 * The first event of an endpoint that is no longer listed. An event has a delivery for each endpoint: these
 * are in the order of the endpoints' ids.
 */
const BEYOND_CURSOR = `case when $2::uuid is not null then coalesce((
  select c.event_id + (endpoint.id < c.endpoint_id)::integer from webhooks.delivery c
  where c.id = $2 and c.endpoint_id = any ($1::uuid[])), 0) end`
/** Those that are wanted, then the last one that was looked at with the number of all. */
const OF_SEEN = `select ${DELIVERY_RECORD.list}, d.event_id "eventId", null::integer seen
  from (select id, event_id from seen where ${WANTED} order by event_id desc, endpoint_id desc limit $7) w
  join webhooks.delivery d on d.id = w.id and d.event_id = w.event_id
  left join lateral (
    select response_status, error from webhooks.attempt a where ${OF_DELIVERY} order by a.id desc limit 1) last on true
  union all
  select ${DELIVERY.list}, d.due_at, null, null, d.event_id, (select count(*)::integer from seen)
  from (select id, event_id from seen order by event_id, endpoint_id limit 1) e
  join webhooks.delivery d on d.id = e.id and d.event_id = e.event_id`
const LOOKED_AT = 'd.id, d.event_id, d.endpoint_id, d.status, d.event_type, d.created_at'

const seenOf = (condition: string): string => `seen as materialized (
     select one.* from bound cross join lateral (
       select ${LOOKED_AT} from webhooks.delivery d
       where d.endpoint_id = bound.id ${condition}
         and d.event_id >= coalesce(bound.first, 0) and d.event_id < coalesce(bound.beyond, 9223372036854775807)
       order by d.event_id desc limit $8) one
     order by event_id desc, endpoint_id desc limit $8)`

// The bounds are computed once for each endpoint, so that the scan of the index begins and ends at them.
const LIST = sql(
  'webhooks.list',
  `with bound as materialized (
     select id, webhooks.first_event_since(id, $5::timestamptz - ${DISORDER}) first,
       least(webhooks.first_event_since(id, $6::timestamptz + ${DISORDER}), ${BEYOND_CURSOR}) beyond
     from unnest($1::uuid[]) endpoint (id)),
   ${seenOf('')}
   ${OF_SEEN}`,
)
const LIST_OF_SUBJECT = sql(
  'webhooks.list_of_subject',
  `with bound as materialized (
     select id, null::bigint first, ${BEYOND_CURSOR} beyond from unnest($1::uuid[]) endpoint (id)),
   ${seenOf('and d.subject_id = $9')}
   ${OF_SEEN}`,
)

type SeenRow = Row<DeliveryRecord> & {
  readonly id: string
  readonly endpointId: string
  readonly eventId: bigint
  readonly seen: number | null
}

/** Newest first. A page may hold less than `limit`, even nothing, and lead on all the same. */
export async function listDeliveries(
  db: Queryable,
  query: DeliveriesQuery,
): Promise<CursorPage<DeliveryRecord>> {
  const { endpointIds, cursor, status, type, from, to, subjectId = null, limit } = query
  const isFiltered = Boolean(status || type || from || to)
  // One more than is asked for shows whether there is another.
  const most = isFiltered ? MOST_SEEN : limit + 1
  const values = [
    endpointIds,
    cursor ?? null,
    status ?? null,
    type ?? null,
    from ?? null,
    to ?? null,
  ]
  const rows = await (subjectId === null
    ? db.query<SeenRow>(LIST, [...values, limit + 1, most])
    : db.query<SeenRow>(LIST_OF_SUBJECT, [...values, limit + 1, most, subjectId]))
  const wanted = rows
    .filter(({ seen }) => seen === null)
    .sort(
      (one, other) =>
        compare(other.eventId, one.eventId) || compare(other.endpointId, one.endpointId),
    )
  const items = wanted.slice(0, limit).map(DELIVERY_RECORD.of)
  if (wanted.length > limit) return { items, nextCursor: items.at(-1)?.id ?? null }
  const end = rows.find(({ seen }) => seen !== null)
  return { items, nextCursor: end?.seen === most ? end.id : null }
}

/** UUIDs are ordered as their texts are. */
const compare = <T extends bigint | string>(one: T, other: T): number =>
  one === other ? 0 : one < other ? -1 : 1
