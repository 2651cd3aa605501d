// SQL of endpoints: where a tenant receives its events, and how healthy that is.
import { bool, columns, int, json, type Row, text, time } from '#infra/database/columns'
import { type Queryable, sql, type Tx } from '#infra/database/db'
import { assertDefined } from '#kernel/assert'
import type { DialectName, SignatureForm } from '../ports.ts'

export interface Endpoint {
  readonly id: string
  /** The account whose it is. */
  readonly tenantId: string
  /** The partner of a child. */
  readonly parentId: string | null
  readonly dialect: DialectName
  readonly url: string
  readonly description: string
  /** The types that it receives, as its dialect names them; null: all, also those that are new. */
  readonly events: readonly string[] | null
  readonly signature: SignatureForm
  /** False: a member who may not move money has set its address while it was not the oldest. */
  readonly mayApprove: boolean
  /** The first success at this address. */
  readonly provenAt: Date | null
  readonly status: 'enabled' | 'disabled'
  readonly disabledReason: string | null
  readonly secretSealed: string
  readonly previousSecretSealed: string | null
  readonly previousSecretUntil: Date | null
  readonly failingSince: Date | null
  readonly createdAt: Date
  /** Its tenant has removed it: only its deliveries are of use. */
  readonly removedAt: Date | null
}

const ENDPOINT = columns<Endpoint>('', {
  id: text,
  tenantId: ['account_id', text],
  parentId: text,
  dialect: text,
  url: text,
  description: text,
  events: json,
  signature: text,
  mayApprove: bool,
  provenAt: time,
  status: text,
  disabledReason: text,
  secretSealed: text,
  previousSecretSealed: text,
  previousSecretUntil: time,
  failingSince: time,
  createdAt: time,
  removedAt: time,
})

const FIND_ENDPOINT = sql(
  'webhooks.find_endpoint',
  `select ${ENDPOINT.list} from webhooks.endpoint where account_id = $1 and removed_at is null
   order by account_id, created_at, id limit 1`,
)
/** The oldest, which approvals go to. Null also for a tenant that has removed it. */
export async function findEndpoint(db: Queryable, tenantId: string): Promise<Endpoint | null> {
  return ENDPOINT.first(db, FIND_ENDPOINT, [tenantId])
}

const FIND_ENDPOINT_ID = sql(
  'webhooks.find_endpoint_id',
  `select id from webhooks.endpoint where account_id = $1
   order by removed_at is not null, case when removed_at is null then created_at end, removed_at desc, id limit 1`,
)
/** Of the oldest, else of the one that was removed last: what was sent to it stays readable. */
export async function findEndpointId(db: Queryable, tenantId: string): Promise<string | null> {
  const [row] = await db.query<{ id: string }>(FIND_ENDPOINT_ID, [tenantId])
  return row?.id ?? null
}

const ENDPOINTS_OF = sql(
  'webhooks.endpoints_of',
  `select distinct on (account_id) ${ENDPOINT.list} from webhooks.endpoint
   where account_id = any ($1::uuid[]) and removed_at is null order by account_id, created_at, id`,
)
/** The oldest endpoint of each tenant, in their order. */
export async function readEndpointsOf(
  db: Queryable,
  tenantIds: readonly string[],
): Promise<(Endpoint | null)[]> {
  const endpoints = await ENDPOINT.all(db, ENDPOINTS_OF, [[...new Set(tenantIds)]])
  const found = new Map(endpoints.map((endpoint) => [endpoint.tenantId, endpoint]))
  return tenantIds.map((id) => found.get(id) ?? null)
}

const LIST_ENDPOINTS = sql(
  'webhooks.list_endpoints',
  `select ${ENDPOINT.list} from webhooks.endpoint where account_id = $1 and removed_at is null
   order by account_id, created_at, id limit 100`,
)
/** Of one tenant, the oldest first. */
export const listEndpoints = (db: Queryable, tenantId: string): Promise<Endpoint[]> =>
  ENDPOINT.all(db, LIST_ENDPOINTS, [tenantId])

const FIND_OWN = sql(
  'webhooks.find_own_endpoint',
  `select ${ENDPOINT.list} from webhooks.endpoint where account_id = $1 and id = $2 and removed_at is null`,
)
/** A tenant's endpoint by its id, else the oldest; null for another tenant's, and for a removed one. */
export const findEndpointOf = (
  db: Queryable,
  { tenantId, endpointId = null }: EndpointName,
): Promise<Endpoint | null> =>
  endpointId === null
    ? findEndpoint(db, tenantId)
    : ENDPOINT.first(db, FIND_OWN, [tenantId, endpointId])

export interface EndpointName {
  readonly tenantId: string
  /** Null: the oldest. */
  readonly endpointId?: string | null
}

const ENDPOINT_IDS = sql(
  'webhooks.endpoint_ids',
  `select id from webhooks.endpoint where account_id = $1
   order by removed_at is not null, removed_at desc, created_at limit $2`,
)
/** How many endpoints of an account a list of deliveries looks at, those included that were removed last. */
const MOST_LISTED = 50
export async function readEndpointIds(db: Queryable, tenantId: string): Promise<string[]> {
  const rows = await db.query<{ id: string }>(ENDPOINT_IDS, [tenantId, MOST_LISTED])
  return rows.map(({ id }) => id)
}

/** An endpoint with what a claim divides among those of its account. */
export interface ServedEndpoint extends Endpoint {
  /** How many enabled endpoints its account has, this one included; at least one. */
  readonly siblings: number
}

const SIBLINGS = columns<{ siblings: number }>('', {
  siblings: [
    `(select greatest(1, count(*))::int from webhooks.endpoint s
      where s.account_id = endpoint.account_id and s.status = 'enabled')`,
    int,
  ],
})
const ENDPOINTS_BY_ID = sql(
  'webhooks.endpoints_by_id',
  `select ${ENDPOINT.list}, ${SIBLINGS.list} from webhooks.endpoint where id = any ($1::uuid[])`,
)
export async function readEndpoints(
  db: Queryable,
  ids: readonly string[],
): Promise<Map<string, ServedEndpoint>> {
  const rows = await db.query<Row<Endpoint> & Row<{ siblings: number }>>(ENDPOINTS_BY_ID, [ids])
  return new Map(
    rows
      .map((row) => ({ ...ENDPOINT.of(row), ...SIBLINGS.of(row) }))
      .map((endpoint) => [endpoint.id, endpoint]),
  )
}

const SAVE_ENDPOINT = sql(
  'webhooks.save_endpoint',
  `insert into webhooks.endpoint as known (tenant_id, account_id, url, secret_sealed, created_at, updated_at, dialect, parent_id)
   values ($1, $1, $2, $3, $4, $4, $5, $6)
   on conflict (tenant_id) do update set url = excluded.url, status = 'enabled', disabled_reason = null, removed_at = null,
     secret_sealed = case when known.removed_at is null then known.secret_sealed else excluded.secret_sealed end,
     previous_secret_sealed = case when known.removed_at is null then known.previous_secret_sealed end,
     previous_secret_until = case when known.removed_at is null then known.previous_secret_until end,
     proven_at = case when known.url = excluded.url then known.proven_at end,
     created_at = case when known.removed_at is null then known.created_at else excluded.created_at end,
     failing_since = null, failed_attempts = 0, exhausted_deliveries = 0, updated_at = excluded.updated_at
   returning ${ENDPOINT.list}`,
)
/**
 * The endpoint of a tenant that has none: its first, or the first again with a new secret. One that was set
 * meanwhile keeps its secret, gets the new address and is enabled.
 */
export async function saveEndpoint(
  db: Queryable,
  endpoint: {
    tenantId: string
    url: string
    secretSealed: string
    at: Date
    dialect: DialectName
    parentId: string | null
  },
): Promise<Endpoint> {
  const saved = await ENDPOINT.first(db, SAVE_ENDPOINT, [
    endpoint.tenantId,
    endpoint.url,
    endpoint.secretSealed,
    endpoint.at,
    endpoint.dialect,
    endpoint.parentId,
  ])
  return assertDefined(saved, 'the endpoint')
}

const INSERT_ENDPOINT = sql(
  'webhooks.insert_endpoint',
  `insert into webhooks.endpoint (tenant_id, account_id, parent_id, dialect, url, description, events, signature, may_approve,
     secret_sealed, created_at, updated_at)
   select case when exists (select from webhooks.endpoint where tenant_id = $1) then null else $1 end,
     $1, $2, $3, $4, $5, $6, $7, $8, $9, greatest($10::timestamptz, (
       select max(created_at) + interval '1 microsecond' from webhooks.endpoint where account_id = $1 and removed_at is null)),
     $10
   returning ${ENDPOINT.list}`,
)
/**
 * Another endpoint of an account, its youngest also where the clock is late: approvals go to the oldest. How
 * many there are is for the caller to bound, under a lock.
 */
export async function insertEndpoint(
  tx: Tx,
  endpoint: Pick<Endpoint, 'tenantId' | 'parentId' | 'dialect' | 'secretSealed'> &
    EndpointFields & { readonly at: Date },
): Promise<Endpoint> {
  const { tenantId, parentId, dialect, url, description, events, signature, mayApprove } = endpoint
  const values = [
    ...[tenantId, parentId, dialect, url, description, events, signature, mayApprove],
    ...[endpoint.secretSealed, endpoint.at],
  ]
  return assertDefined(await ENDPOINT.first(tx, INSERT_ENDPOINT, values), 'the endpoint')
}

/** What its account decides of an endpoint. */
export type EndpointFields = Pick<
  Endpoint,
  'url' | 'description' | 'events' | 'signature' | 'mayApprove'
>

const EVENT_NAMES = sql(
  'webhooks.event_names',
  'select distinct name from webhooks.event_name where dialect = $1',
)
/** The types that a dialect has names of its own for; of the merchant's none. */
export async function readEventNames(db: Queryable, dialect: DialectName): Promise<string[]> {
  return (await db.query<{ name: string }>(EVENT_NAMES, [dialect])).map(({ name }) => name)
}

/** What failed before does not count for an endpoint that gets another address or is enabled, again. */
const HEALED = "(e.url <> $2 or $7 = 'enabled')"
const UPDATE_ENDPOINT = sql(
  'webhooks.update_endpoint',
  `update webhooks.endpoint e set url = $2, description = $3, events = $4, signature = $5, may_approve = $6,
     status = coalesce($7, e.status), updated_at = $9,
     disabled_reason = case when $7 = 'enabled' then null when e.status = 'enabled' then $8 else e.disabled_reason end,
     proven_at = case when e.url = $2 then e.proven_at end,
     failing_since = case when ${HEALED} then null else e.failing_since end,
     failed_attempts = case when ${HEALED} then 0 else e.failed_attempts end,
     exhausted_deliveries = case when ${HEALED} then 0 else e.exhausted_deliveries end
   where id = $1 returning ${ENDPOINT.list}`,
)
/**
 * Without a status it keeps the one that it has now, which may be another than its reader has seen: a failure
 * may have disabled it since.
 */
export async function updateEndpoint(
  db: Queryable,
  endpoint: Pick<Endpoint, 'id'> &
    EndpointFields & {
      readonly status: Endpoint['status'] | null
      /** Where the status is `disabled`. */
      readonly disabledReason: string | null
      readonly at: Date
    },
): Promise<Endpoint> {
  const { id, url, description, events, signature, mayApprove, status, disabledReason } = endpoint
  const values = [
    ...[id, url, description, events, signature, mayApprove, status, disabledReason],
    endpoint.at,
  ]
  return assertDefined(await ENDPOINT.first(db, UPDATE_ENDPOINT, values), 'the endpoint')
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

const RECORD_SUCCESS = sql(
  'webhooks.record_success',
  `update webhooks.endpoint set failing_since = null, failed_attempts = 0, exhausted_deliveries = 0, updated_at = $2,
     proven_at = coalesce(proven_at, $2)
   where id = any ($1::uuid[]) and (failing_since is not null or proven_at is null)`,
)
export async function recordSuccess(
  tx: Tx,
  endpointIds: readonly string[],
  at: Date,
): Promise<void> {
  await tx.query(RECORD_SUCCESS, [endpointIds, at])
}

interface Failing {
  readonly tenantId: string
  readonly url: string
  readonly failingSince: Date
  readonly failedAttempts: number
  readonly exhaustedDeliveries: number
  readonly status: Endpoint['status']
}

const FAILING = columns<Failing>('', {
  tenantId: ['account_id', text],
  url: text,
  failingSince: time,
  failedAttempts: int,
  exhaustedDeliveries: int,
  status: text,
})

const RECORD_FAILURE = sql(
  'webhooks.record_failure',
  `update webhooks.endpoint set failing_since = coalesce(failing_since, $4), failed_attempts = failed_attempts + $2,
     exhausted_deliveries = exhausted_deliveries + $3, updated_at = $4
   where id = $1 returning ${FAILING.list}`,
)
export const recordFailure = (
  tx: Tx,
  failure: { endpointId: string; attempts: number; exhausted: number; at: Date },
): Promise<Failing | null> =>
  FAILING.first(tx, RECORD_FAILURE, [
    failure.endpointId,
    failure.attempts,
    failure.exhausted,
    failure.at,
  ])

const DISABLE = sql(
  'webhooks.disable',
  `update webhooks.endpoint set status = 'disabled', disabled_reason = $2, updated_at = $3
   where id = $1 and status = 'enabled'`,
)
/**
 * Only the state: no delivery of a disabled endpoint is claimed, and `skipOpenDeliveries` moves them in
 * batches. A backlog of a million rows would otherwise be one statement, under this endpoint's row lock.
 */
export async function disableEndpoint(
  tx: Tx,
  { id, reason, at }: { id: string; reason: string; at: Date },
): Promise<void> {
  await tx.query(DISABLE, [id, reason, at])
}

const CLOSE = sql(
  'webhooks.close',
  `update webhooks.endpoint set status = 'disabled', disabled_reason = $2, updated_at = $3
   where account_id = $1 and status = 'enabled'`,
)
/** The endpoints of an account that sends nothing any more; as `disableEndpoint`. */
export const closeEndpoints = async (
  tx: Tx,
  tenantId: string,
  { reason, at }: { readonly reason: string; readonly at: Date },
): Promise<void> => {
  await tx.query(CLOSE, [tenantId, reason, at])
}

const REMOVE = sql(
  'webhooks.remove_endpoint',
  `update webhooks.endpoint set status = 'disabled', disabled_reason = 'it was removed', removed_at = $2, updated_at = $2,
     description = '', events = null, signature = 'service'
   where id = $1 and removed_at is null`,
)
/**
 * No event goes to it from now on; as `disableEndpoint`. Set again, it begins without a filter.
 */
export const removeEndpoint = async (tx: Tx, id: string, at: Date): Promise<void> => {
  await tx.query(REMOVE, [id, at])
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
