// SQL of deliveries: created from events, claimed under a lease, finished, read by operators.
import { columns, int, json, text, time } from '#infra/database/columns'
import { type Queryable, sql, type Tx } from '#infra/database/db'
import { type DueQuestion, dueWhere } from '#infra/jobs/due-watch'
import type { Capacity } from '#infra/jobs/permits'
import { assertDefined } from '#kernel/assert'
import type { WaitingRow } from '#kernel/waiting'
import type { DispatchedEvent } from '#outbox'

export interface Delivery {
  readonly id: string
  /** Of its event, or of a test: says in which month it is. */
  readonly number: bigint
  /** The same on every attempt, in the body and the header: the id of the event. */
  readonly webhookId: string
  readonly endpointId: string
  readonly eventType: string
  readonly tenantId: string
  readonly accountId: string
  readonly subjectId: string
  readonly payload: Readonly<Record<string, unknown>>
  readonly status: 'pending' | 'retrying' | 'delivered' | 'exhausted' | 'skipped' | 'parked'
  /** Attempts that have ended, manual ones aside. */
  readonly attempts: number
  readonly createdAt: Date
}

const DELIVERY_COLUMNS = {
  id: text,
  number: ['d.event_id', BigInt],
  webhookId: ['coalesce(d.webhook_id, d.id)', text],
  endpointId: text,
  eventType: text,
  tenantId: text,
  accountId: text,
  subjectId: text,
  payload: json,
  status: text,
  attempts: int,
  createdAt: time,
} as const
export const DELIVERY = columns<Delivery>('d.', DELIVERY_COLUMNS)

const INSERT = sql(
  'webhooks.insert_deliveries',
  `insert into webhooks.delivery (endpoint_id, event_id, webhook_id, event_type, tenant_id, account_id, subject_id,
     payload, status, due_at, created_at, finished_at)
   select e.id, n.id, n.public_id, coalesce(named.name, n.type), e.account_id, n.account_id, n.subject_id, n.payload,
     case e.status when 'enabled' then 'pending' else 'skipped' end, $9::timestamptz, n.created_at,
     case e.status when 'enabled' then null else $9::timestamptz end
   from unnest($1::bigint[], $2::uuid[], $3::text[], $4::uuid[], $5::uuid[], $6::uuid[], $7::jsonb[], $8::timestamptz[])
       n (id, public_id, type, tenant_id, account_id, subject_id, payload, created_at)
     join webhooks.endpoint e on e.removed_at is null and e.account_id = case
       when exists (select from webhooks.endpoint own where own.account_id = n.account_id and own.removed_at is null)
       then n.account_id else n.tenant_id end
     left join webhooks.event_name named on named.dialect = e.dialect and named.event_type = n.type
   where (e.dialect = 'merchant' or named.name is not null)
     and (e.events is null or coalesce(named.name, n.type) = any (e.events))
   order by n.id
   on conflict (endpoint_id, event_id) do nothing`,
)
/**
 * A delivery of each event for each endpoint of its account, or else of its tenant, that has a name for it
 * and wants it; skipped at once while that endpoint is disabled.
 */
export async function insertDeliveries(
  tx: Tx,
  events: readonly DispatchedEvent[],
  at: Date,
): Promise<void> {
  const column = <T>(of: (event: DispatchedEvent) => T): T[] => events.map(of)
  await tx.query(INSERT, [
    column(({ id }) => id),
    column(({ publicId }) => publicId),
    column(({ type }) => type),
    column(({ tenantId }) => tenantId),
    column(({ accountId }) => accountId),
    column(({ subjectId }) => subjectId),
    column(({ payload }) => JSON.stringify(payload)),
    column(({ createdAt }) => createdAt),
    at,
  ])
}

const INSERT_TEST = sql(
  'webhooks.insert_test',
  `insert into webhooks.delivery (id, endpoint_id, event_id, event_type, tenant_id, account_id, subject_id, payload,
     status, attempts, due_at, created_at, finished_at)
   values ($1, $2, $3, $4, $5, $5, $5, '{}', $6, 1, $7, $7, $8)`,
)
/** A test that was sent. It is no event: its webhook-id is its own. */
export async function insertTest(tx: Tx, test: Delivery, finishedAt: Date): Promise<void> {
  const { id, endpointId, number, eventType, tenantId, status, createdAt } = test
  const values = [id, endpointId, number, eventType, tenantId, status, createdAt, finishedAt]
  await tx.query(INSERT_TEST, values)
}

const NEXT_NUMBER = sql('webhooks.next_number', 'select outbox.next_number() "number"')
/** For a test: one among those of events. */
export async function nextNumber(db: Queryable): Promise<bigint> {
  const [row] = await db.query<{ number: bigint }>(NEXT_NUMBER)
  return assertDefined(row, 'a number').number
}

/** Whether there is an endpoint to look at. */
export const DELIVERIES_DUE: DueQuestion = dueWhere(
  'webhooks.deliveries',
  `exists (select from webhooks.due_endpoint where not is_news and due_at <= $1)
    or exists (select from webhooks.due_endpoint where is_news and due_at <= $1)`,
)

const CLAIM = sql(
  'webhooks.claim',
  `select ${DELIVERY.list} from webhooks.claim_next($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) d`,
)
/**
 * Takes deliveries that are due until `leaseUntil`, as many as there is capacity for at each endpoint, and a
 * first attempt only when every earlier event of the same subject has had its own.
 */
export async function claimDeliveries(
  db: Queryable,
  {
    at,
    leaseUntil,
    capacity,
  }: { readonly at: Date; readonly leaseUntil: Date; readonly capacity: Capacity },
): Promise<Delivery[]> {
  const values = [
    at,
    leaseUntil,
    capacity.limit,
    capacity.perKey,
    capacity.perUnhealthyKey,
    capacity.slow,
    capacity.unproven,
    capacity.perOwner,
    JSON.stringify(capacity.heldByOwner),
    capacity.slowKeys,
    capacity.busyKeys,
    capacity.broadcasts,
  ]
  return DELIVERY.all(db, CLAIM, values)
}

export interface Verdict {
  readonly deliveryId: string
  readonly number: bigint
  /** `deferred`: the attempt does not count, the delivery keeps its status. */
  readonly status: 'delivered' | 'retrying' | 'exhausted' | 'deferred'
  readonly dueAt: Date
}

const FINISH = sql(
  'webhooks.finish',
  `update webhooks.delivery d set due_at = v.due_at, leased_until = null,
     status = case v.status when 'deferred' then d.status else v.status end,
     attempts = d.attempts + case v.status when 'deferred' then 0 else 1 end,
     finished_at = case when v.status in ('retrying', 'deferred') then null else $4::timestamptz end
   from unnest($1::uuid[], $2::text[], $3::timestamptz[], $5::bigint[]) v (id, status, due_at, number)
   where d.id = v.id and d.event_id = v.number and d.status in ('pending', 'retrying')`,
)
export async function finishDeliveries(
  tx: Tx,
  verdicts: readonly Verdict[],
  at: Date,
): Promise<void> {
  await tx.query(FINISH, [
    verdicts.map((verdict) => verdict.deliveryId),
    verdicts.map((verdict) => verdict.status),
    verdicts.map((verdict) => verdict.dueAt),
    at,
    verdicts.map((verdict) => verdict.number),
  ])
}

export interface DeliveryRecord extends Delivery {
  readonly dueAt: Date
  readonly lastStatus: number | null
  readonly lastError: string | null
}

/** Of a delivery `d` and its `last` attempt. */
export const DELIVERY_RECORD = columns<DeliveryRecord>('d.', {
  ...DELIVERY_COLUMNS,
  dueAt: time,
  lastStatus: ['last.response_status', int],
  lastError: ['last.error', text],
})

/**
 * The attempts `a` of a delivery `d`: none is older than its event, but by a clock that is late. PostgreSQL
 * looks at no partition that is.
 */
export const OF_DELIVERY = `a.delivery_id = d.id and a.started_at >= d.created_at - interval '1 day'`

const LIST_ALL = sql(
  'webhooks.list_all',
  `select ${DELIVERY_RECORD.list}
   from webhooks.delivery d left join lateral (
     select response_status, error from webhooks.attempt a where ${OF_DELIVERY} order by a.id desc limit 1) last on true
   where ($1::text is null or d.status = any (string_to_array($1, ','))) and ($2::uuid is null or d.id < $2)
     and ($4::uuid[] is null or d.id = any ($4))
   order by d.id desc limit $3`,
)
/** Of all tenants, newest first. */
export async function listAllDeliveries(
  db: Queryable,
  query: {
    readonly status: string | null
    readonly cursor: string | null
    readonly limit: number
    readonly ids?: readonly string[]
  },
): Promise<DeliveryRecord[]> {
  const { status, cursor, limit, ids = null } = query
  return DELIVERY_RECORD.all(db, LIST_ALL, [status, cursor, limit, ids])
}

const OF_EVENT = sql(
  'webhooks.deliveries_of_event',
  `select ${DELIVERY_RECORD.list}
   from webhooks.endpoint e join webhooks.delivery d on d.endpoint_id = e.id and d.event_id = $2
   left join lateral (
     select response_status, error from webhooks.attempt a where ${OF_DELIVERY} order by a.id desc limit 1) last on true
   where e.account_id = any ($1::uuid[]) order by d.id limit 100`,
)
/** To the endpoints of these accounts, by the number of the event. */
export const listDeliveriesOfEvent = (
  db: Queryable,
  { accountIds, number }: { readonly accountIds: readonly string[]; readonly number: bigint },
): Promise<DeliveryRecord[]> => DELIVERY_RECORD.all(db, OF_EVENT, [accountIds, number])

const FIND_RECORD = sql(
  'webhooks.find_record',
  `select ${DELIVERY_RECORD.list}
   from webhooks.delivery d left join lateral (
     select response_status, error from webhooks.attempt a where ${OF_DELIVERY} order by a.id desc limit 1) last on true
   where d.id = $1 and d.tenant_id = $2`,
)
/** A tenant's own delivery; null for another's. */
export async function findDeliveryRecord(
  db: Queryable,
  { id, tenantId }: { readonly id: string; readonly tenantId: string },
): Promise<DeliveryRecord | null> {
  return DELIVERY_RECORD.first(db, FIND_RECORD, [id, tenantId])
}

const FIND_DELIVERY = sql(
  'webhooks.find_delivery',
  `select ${DELIVERY.list} from webhooks.delivery d where d.id = $1`,
)
export async function findDelivery(db: Queryable, id: string): Promise<Delivery | null> {
  return DELIVERY.first(db, FIND_DELIVERY, [id])
}

const EVENT_OF_DELIVERY = sql(
  'webhooks.event_of_delivery',
  'select event_id "number" from webhooks.delivery where id = $1 and tenant_id = $2',
)
/** The number of a delivery's event, when the delivery is this tenant's; null otherwise. */
export async function findEventOfDelivery(
  db: Queryable,
  { id, tenantId }: { readonly id: string; readonly tenantId: string },
): Promise<bigint | null> {
  const [row] = await db.query<{ number: bigint }>(EVENT_OF_DELIVERY, [id, tenantId])
  return row?.number ?? null
}

const MARK_DELIVERED = sql(
  'webhooks.mark_delivered',
  `update webhooks.delivery set status = 'delivered', finished_at = $2, parked_reason = null
   where id = $1 and event_id = $3 and status <> 'delivered'`,
)
export async function markDelivered(
  tx: Tx,
  { id, number }: Pick<Delivery, 'id' | 'number'>,
  at: Date,
): Promise<void> {
  await tx.query(MARK_DELIVERED, [id, at, number])
}

const PARK = sql(
  'webhooks.park',
  `update webhooks.delivery d set status = 'parked', parked_reason = v.reason, leased_until = null
   from unnest($1::uuid[], $2::text[], $3::bigint[]) v (id, reason, number)
   where d.id = v.id and d.event_id = v.number and d.status in ('pending', 'retrying')`,
)
/** Sets deliveries aside that cannot be rendered, until an operator has them tried again. */
export async function addDeadLetters(
  db: Queryable,
  deadLetters: readonly (Pick<Delivery, 'id' | 'number'> & { readonly reason: string })[],
): Promise<void> {
  await db.query(PARK, [
    deadLetters.map(({ id }) => id),
    deadLetters.map(({ reason }) => reason),
    deadLetters.map(({ number }) => number),
  ])
}

const COUNT_DEAD_LETTERS = sql(
  'webhooks.count_parked',
  `select event_type "eventType", parked_reason reason, count(*)::int count, min(created_at) oldest
   from webhooks.delivery where status = 'parked' group by 1, 2 order by 3 desc limit 100`,
)
export interface DeadLetters {
  readonly eventType: string
  readonly reason: string
  readonly count: number
  readonly oldest: Date
}
export const countDeadLetters = (db: Queryable): Promise<DeadLetters[]> =>
  db.query<DeadLetters>(COUNT_DEAD_LETTERS)

const REQUEUE_DEAD_LETTERS = sql(
  'webhooks.retry_parked',
  `with parked as (
     select id, event_id from webhooks.delivery where status = 'parked' order by id limit 10000)
   update webhooks.delivery d set status = 'retrying', due_at = $1, parked_reason = null
   from parked where d.id = parked.id and d.event_id = parked.event_id
   returning d.id`,
)
/** Makes dead letters due again; how many. Those that still cannot be rendered become dead letters again. */
export const requeueDeadLetters = async (db: Queryable, at: Date): Promise<number> =>
  (await db.query(REQUEUE_DEAD_LETTERS, [at])).length

const SKIP_OPEN = sql('webhooks.skip_open', 'select webhooks.skip_open($1, $2) skipped')
/** Moves open deliveries of one disabled endpoint to skipped, at most `limit`; how many there were. */
export async function skipOpenDeliveries(
  db: Queryable,
  { at, limit }: { readonly at: Date; readonly limit: number },
): Promise<number> {
  const [row] = await db.query<{ skipped: number }>(SKIP_OPEN, [at, limit])
  return row?.skipped ?? 0
}

const RECOVER = sql('webhooks.recover', 'select webhooks.recover($1, $2, $3, $4) recovered')
/**
 * Puts up to `limit` deliveries back, what waits for its next attempt included, oldest first, due from `at`
 * on at ten a second, after those that were put back before; how many. Null while another call for the
 * endpoint is under way.
 */
export async function recoverDeliveries(
  db: Queryable,
  query: { endpointId: string; since: Date; at: Date; limit: number },
): Promise<number | null> {
  const { endpointId, since, at, limit } = query
  const [row] = await db.query<{ recovered: number | null }>(RECOVER, [
    endpointId,
    since,
    at,
    limit,
  ])
  return row?.recovered ?? null
}

/** When a delivery `d` is tried next; one whose attempt is under way is so once its lease is over. */
const TRIED_AT = 'greatest(d.due_at, d.leased_until)'

const BACKLOG = sql(
  'webhooks.backlog',
  `select count(*)::int count, (count(*) filter (where ${TRIED_AT} <= $1))::int due, min(${TRIED_AT}) oldest
    from webhooks.delivery d where status in ('pending', 'retrying')`,
)

export interface Backlog {
  readonly count: number
  /** Of them: to be sent now. The others were tried, and wait for their next attempt. */
  readonly due: number
  /** Since when the first has been due; in the future when none is. */
  readonly oldest: Date | null
}

export async function readBacklog(db: Queryable, at: Date): Promise<Backlog> {
  const [row] = await db.query<Backlog>(BACKLOG, [at])
  return row ?? { count: 0, due: 0, oldest: null }
}

const WAITING = `select d.id, d.id "refId", concat_ws(' ', d.event_type, 'of', d.tenant_id, d.parked_reason) what, d.created_at since,
  case d.status when 'parked' then null else ${TRIED_AT} end "dueAt", (count(*) over ())::int count,
  (count(*) filter (where ${TRIED_AT} <= $1) over ())::int due from webhooks.delivery d`
const LIST_WAITING = sql(
  'webhooks.list_waiting',
  `${WAITING} where d.status in ('pending', 'retrying') order by d.due_at, d.id limit $2`,
)
const LIST_DEAD_LETTERS = sql(
  'webhooks.list_parked',
  `${WAITING} where d.status = 'parked' order by d.id limit $2`,
)
/** Deliveries that are sent or tried again, or those that could not be rendered; the oldest first. */
export const listWaitingDeliveries = (
  db: Queryable,
  query: { readonly areDeadLetters: boolean; readonly at: Date; readonly limit: number },
): Promise<WaitingRow[]> =>
  db.query<WaitingRow>(query.areDeadLetters ? LIST_DEAD_LETTERS : LIST_WAITING, [
    query.at,
    query.limit,
  ])
