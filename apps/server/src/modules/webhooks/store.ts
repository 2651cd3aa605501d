// All SQL of webhooks.
import { type Queryable, sql, type Tx } from '#infra/db'

// ---------------------------------------------------------------- endpoints

export interface Endpoint {
  readonly id: string
  readonly merchantId: string
  readonly url: string
  readonly status: 'enabled' | 'disabled'
  readonly disabledReason: string | null
  readonly secretSealed: string
  readonly previousSecretSealed: string | null
  readonly previousSecretUntil: Date | null
  readonly failingSince: Date | null
}

interface EndpointRow {
  id: string
  tenant_id: string
  url: string
  status: Endpoint['status']
  disabled_reason: string | null
  secret_sealed: string
  previous_secret_sealed: string | null
  previous_secret_until: Date | null
  failing_since: Date | null
}

const endpointOf = (row: EndpointRow): Endpoint => ({
  id: row.id,
  merchantId: row.tenant_id,
  url: row.url,
  status: row.status,
  disabledReason: row.disabled_reason,
  secretSealed: row.secret_sealed,
  previousSecretSealed: row.previous_secret_sealed,
  previousSecretUntil: row.previous_secret_until,
  failingSince: row.failing_since,
})

const ENDPOINT_COLUMNS = `id, tenant_id, url, status, disabled_reason, secret_sealed, previous_secret_sealed,
  previous_secret_until, failing_since`

const FIND_ENDPOINT = sql(
  'webhooks.find_endpoint',
  `select ${ENDPOINT_COLUMNS} from webhooks.endpoint where tenant_id = $1`,
)
export async function findEndpoint(db: Queryable, merchantId: string): Promise<Endpoint | null> {
  const [row] = await db.query<EndpointRow>(FIND_ENDPOINT, [merchantId])
  return row ? endpointOf(row) : null
}

const ENDPOINTS_BY_ID = sql(
  'webhooks.endpoints_by_id',
  `select ${ENDPOINT_COLUMNS} from webhooks.endpoint where id = any ($1::uuid[])`,
)
export async function readEndpoints(
  db: Queryable,
  ids: readonly string[],
): Promise<Map<string, Endpoint>> {
  const rows = await db.query<EndpointRow>(ENDPOINTS_BY_ID, [ids])
  return new Map(rows.map((row) => [row.id, endpointOf(row)]))
}

const SAVE_ENDPOINT = sql(
  'webhooks.save_endpoint',
  `insert into webhooks.endpoint (tenant_id, url, secret_sealed, created_at, updated_at) values ($1, $2, $3, $4, $4)
   on conflict (tenant_id) do update set url = excluded.url, status = 'enabled', disabled_reason = null,
     failing_since = null, failed_attempts = 0, exhausted_deliveries = 0, updated_at = excluded.updated_at
   returning ${ENDPOINT_COLUMNS}`,
)
/** A known endpoint keeps its secret, gets the new address and is enabled again. */
export async function saveEndpoint(
  db: Queryable,
  endpoint: { merchantId: string; url: string; secretSealed: string; at: Date },
): Promise<Endpoint> {
  const rows = await db.query<EndpointRow>(SAVE_ENDPOINT, [
    endpoint.merchantId,
    endpoint.url,
    endpoint.secretSealed,
    endpoint.at,
  ])
  return endpointOf(rows[0] as EndpointRow)
}

const ROTATE_SECRET = sql(
  'webhooks.rotate_secret',
  `update webhooks.endpoint set
     previous_secret_sealed = case when $3::timestamptz is null then null else secret_sealed end,
     previous_secret_until = $3, secret_sealed = $2, updated_at = $4
   where id = $1`,
)
export async function rotateEndpointSecret(
  db: Queryable,
  change: { id: string; secretSealed: string; previousUntil: Date | null; at: Date },
): Promise<void> {
  await db.query(ROTATE_SECRET, [change.id, change.secretSealed, change.previousUntil, change.at])
}

// ---------------------------------------------------------------- fan-out

// The key of the advisory lock under which news is taken: any number that nobody else uses.
const LOCK_DISPATCH = sql(
  'webhooks.lock_dispatch',
  'select pg_try_advisory_xact_lock(7430226) "locked"',
)
const DISPATCH = sql(
  'webhooks.dispatch',
  `with news as materialized (select * from outbox.dispatch($1, $2)),
   made as (
     insert into webhooks.delivery (endpoint_id, event_id, event_type, tenant_id, account_id, subject_id, payload,
         status, due_at, created_at, finished_at)
     select e.id, n.id, n.type, n.tenant_id, n.account_id, n.subject_id, n.payload,
       case e.status when 'enabled' then 'pending' else 'skipped' end, $2, n.created_at,
       case e.status when 'enabled' then null else $2 end
     from news n join webhooks.endpoint e on e.tenant_id = n.tenant_id
     order by n.id
     on conflict (endpoint_id, event_id) do nothing)
   select count(*)::int "count" from news`,
)
/** Turns news into deliveries, in order; how many events were taken, or null when another process does it. */
export async function dispatchNews(
  tx: Tx,
  { limit, at }: { limit: number; at: Date },
): Promise<number | null> {
  const [lock] = await tx.query<{ locked: boolean }>(LOCK_DISPATCH)
  if (!lock?.locked) return null
  const [row] = await tx.query<{ count: number }>(DISPATCH, [limit, at])
  return row?.count ?? 0
}

// ---------------------------------------------------------------- deliveries

export interface Delivery {
  readonly id: string
  readonly endpointId: string
  readonly eventType: string
  readonly merchantId: string
  readonly accountId: string
  readonly subjectId: string
  readonly payload: Readonly<Record<string, unknown>>
  readonly status: 'pending' | 'retrying' | 'delivered' | 'exhausted' | 'skipped'
  /** Attempts that have ended, manual ones aside. */
  readonly attempts: number
  readonly createdAt: Date
}

interface DeliveryRow {
  id: string
  endpoint_id: string
  event_type: string
  tenant_id: string
  account_id: string
  subject_id: string
  payload: Record<string, unknown>
  status: Delivery['status']
  attempts: number
  created_at: Date
}

const deliveryOf = (row: DeliveryRow): Delivery => ({
  id: row.id,
  endpointId: row.endpoint_id,
  eventType: row.event_type,
  merchantId: row.tenant_id,
  accountId: row.account_id,
  subjectId: row.subject_id,
  payload: row.payload,
  status: row.status,
  attempts: row.attempts,
  createdAt: row.created_at,
})

const DELIVERY_COLUMNS =
  'd.id, d.endpoint_id, d.event_type, d.tenant_id, d.account_id, d.subject_id, d.payload, d.status, d.attempts, d.created_at'

const CLAIM = sql(
  'webhooks.claim',
  `select ${DELIVERY_COLUMNS} from webhooks.claim($1, $2, $3, $4, $5, $6, $7) d`,
)
/**
 * Takes deliveries that are due until `leaseUntil`: at most `perEndpoint` of one endpoint, fewer of the
 * slow ones, none of the busy ones, and a first attempt only when every earlier event of the same subject
 * has had its own.
 */
export async function claimDeliveries(
  db: Queryable,
  claim: {
    at: Date
    leaseUntil: Date
    busyEndpoints: readonly string[]
    slowEndpoints: readonly string[]
    perEndpoint: number
    perSlowEndpoint: number
    limit: number
  },
): Promise<Delivery[]> {
  const rows = await db.query<DeliveryRow>(CLAIM, [
    claim.at,
    claim.busyEndpoints,
    claim.slowEndpoints,
    claim.perEndpoint,
    claim.perSlowEndpoint,
    claim.limit,
    claim.leaseUntil,
  ])
  return rows.map(deliveryOf)
}

export interface Verdict {
  readonly deliveryId: string
  readonly status: 'delivered' | 'retrying' | 'exhausted' | 'skipped'
  readonly dueAt: Date
}

const FINISH = sql(
  'webhooks.finish',
  `update webhooks.delivery d set status = v.status, due_at = v.due_at, attempts = d.attempts + 1,
     finished_at = case when v.status = 'retrying' then null else $4::timestamptz end
   from unnest($1::uuid[], $2::text[], $3::timestamptz[]) v (id, status, due_at)
   where d.id = v.id and d.status in ('pending', 'retrying')`,
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
  ])
}

const RECORD_SUCCESS = sql(
  'webhooks.record_success',
  `update webhooks.endpoint set failing_since = null, failed_attempts = 0, exhausted_deliveries = 0, updated_at = $2
   where id = any ($1::uuid[]) and failing_since is not null`,
)
export async function recordSuccess(
  tx: Tx,
  endpointIds: readonly string[],
  at: Date,
): Promise<void> {
  await tx.query(RECORD_SUCCESS, [endpointIds, at])
}

const RECORD_FAILURE = sql(
  'webhooks.record_failure',
  `update webhooks.endpoint set failing_since = coalesce(failing_since, $4), failed_attempts = failed_attempts + $2,
     exhausted_deliveries = exhausted_deliveries + $3, updated_at = $4
   where id = $1 returning failing_since, failed_attempts, exhausted_deliveries, status`,
)
export async function recordFailure(
  tx: Tx,
  failure: { endpointId: string; attempts: number; exhausted: number; at: Date },
): Promise<{
  failingSince: Date
  failedAttempts: number
  exhaustedDeliveries: number
  status: Endpoint['status']
} | null> {
  const [row] = await tx.query<{
    failing_since: Date
    failed_attempts: number
    exhausted_deliveries: number
    status: Endpoint['status']
  }>(RECORD_FAILURE, [failure.endpointId, failure.attempts, failure.exhausted, failure.at])
  return row
    ? {
        failingSince: row.failing_since,
        failedAttempts: row.failed_attempts,
        exhaustedDeliveries: row.exhausted_deliveries,
        status: row.status,
      }
    : null
}

const DISABLE = sql(
  'webhooks.disable',
  `update webhooks.endpoint set status = 'disabled', disabled_reason = $2, updated_at = $3
   where id = $1 and status = 'enabled'`,
)
const SKIP_OPEN = sql(
  'webhooks.skip_open',
  `update webhooks.delivery set status = 'skipped', finished_at = $2
   where endpoint_id = $1 and status in ('pending', 'retrying')`,
)
/** What had not arrived is kept as skipped, to be recovered when the endpoint is well again. */
export async function disableEndpoint(
  tx: Tx,
  { id, reason, at }: { id: string; reason: string; at: Date },
): Promise<void> {
  await tx.query(DISABLE, [id, reason, at])
  await tx.query(SKIP_OPEN, [id, at])
}

const INSERT_NOTICE = sql(
  'webhooks.insert_notice',
  `insert into webhooks.notice (endpoint_id, failing_since, kind, created_at) values ($1, $2, $3, $4)
   on conflict do nothing returning kind`,
)
/** True the first time. */
export async function insertNotice(
  tx: Tx,
  notice: { endpointId: string; failingSince: Date; kind: string; at: Date },
): Promise<boolean> {
  const rows = await tx.query(INSERT_NOTICE, [
    notice.endpointId,
    notice.failingSince,
    notice.kind,
    notice.at,
  ])
  return rows.length > 0
}

// ---------------------------------------------------------------- looking, sending again, tidying up

export interface DeliveryRecord extends Delivery {
  readonly dueAt: Date
  readonly lastStatus: number | null
  readonly lastError: string | null
}

const LIST = sql(
  'webhooks.list',
  `select ${DELIVERY_COLUMNS}, d.due_at, last.response_status, last.error
   from webhooks.delivery d left join lateral (
     select response_status, error from webhooks.attempt a where a.delivery_id = d.id order by a.id desc limit 1) last on true
   where d.endpoint_id = $1 and ($2::text is null or d.status = $2) and d.id < $3 order by d.id desc limit $4`,
)
export async function listDeliveries(
  db: Queryable,
  query: { endpointId: string; status: string | null; cursor: string | null; limit: number },
): Promise<DeliveryRecord[]> {
  const rows = await db.query<
    DeliveryRow & { due_at: Date; response_status: number | null; error: string | null }
  >(LIST, [
    query.endpointId,
    query.status,
    query.cursor ?? 'ffffffff-ffff-ffff-ffff-ffffffffffff',
    query.limit,
  ])
  return rows.map((row) => ({
    ...deliveryOf(row),
    dueAt: row.due_at,
    lastStatus: row.response_status,
    lastError: row.error,
  }))
}

const FIND_DELIVERY = sql(
  'webhooks.find_delivery',
  `select ${DELIVERY_COLUMNS} from webhooks.delivery d where d.id = $1`,
)
export async function findDelivery(db: Queryable, id: string): Promise<Delivery | null> {
  const [row] = await db.query<DeliveryRow>(FIND_DELIVERY, [id])
  return row ? deliveryOf(row) : null
}

const EVENT_OF_DELIVERY = sql(
  'webhooks.event_of_delivery',
  'select event_id "number" from webhooks.delivery where id = $1 and tenant_id = $2',
)
/** The number of the event that a delivery brought, for the merchant that it was for; null otherwise. */
export async function findEventOfDelivery(
  db: Queryable,
  { id, merchantId }: { readonly id: string; readonly merchantId: string },
): Promise<bigint | null> {
  const [row] = await db.query<{ number: bigint }>(EVENT_OF_DELIVERY, [id, merchantId])
  return row?.number ?? null
}

const MARK_DELIVERED = sql(
  'webhooks.mark_delivered',
  `update webhooks.delivery set status = 'delivered', finished_at = $2 where id = $1 and status <> 'delivered'`,
)
export async function markDelivered(tx: Tx, id: string, at: Date): Promise<void> {
  await tx.query(MARK_DELIVERED, [id, at])
}

const RECOVER = sql(
  'webhooks.recover',
  `with lost as (
     select id, row_number() over (order by event_id) nth from webhooks.delivery
     where endpoint_id = $1 and status in ('skipped', 'exhausted') and created_at >= $2 order by event_id limit 100000)
   update webhooks.delivery d set status = 'retrying', attempts = 0, finished_at = null,
     due_at = $3::timestamptz + lost.nth * interval '100 milliseconds'
   from lost where d.id = lost.id returning d.id`,
)
/** Oldest first, ten a second. */
export async function recoverDeliveries(
  db: Queryable,
  query: { endpointId: string; since: Date; at: Date },
): Promise<number> {
  return (await db.query(RECOVER, [query.endpointId, query.since, query.at])).length
}

const BACKLOG = sql(
  'webhooks.backlog',
  `select count(*)::int count, min(due_at) oldest from webhooks.delivery where status in ('pending', 'retrying')`,
)
export async function readBacklog(db: Queryable): Promise<{ count: number; oldest: Date | null }> {
  const [row] = await db.query<{ count: number; oldest: Date | null }>(BACKLOG)
  return row ?? { count: 0, oldest: null }
}
