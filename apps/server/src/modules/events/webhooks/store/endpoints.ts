// SQL of endpoints: where a tenant receives its events, and how healthy that is.
import { columns, int, text, time } from '#infra/database/columns'
import { type Queryable, sql, type Tx } from '#infra/database/db'
import { assertDefined } from '#kernel/assert'
import type { DialectName } from '../ports.ts'

export interface Endpoint {
  readonly id: string
  readonly tenantId: string
  /** The partner of a child. */
  readonly parentId: string | null
  readonly dialect: DialectName
  readonly url: string
  /** The first success at this address. */
  readonly provenAt: Date | null
  readonly status: 'enabled' | 'disabled'
  readonly disabledReason: string | null
  readonly secretSealed: string
  readonly previousSecretSealed: string | null
  readonly previousSecretUntil: Date | null
  readonly failingSince: Date | null
  /** Its tenant has removed it: only its deliveries are of use. */
  readonly removedAt: Date | null
}

const ENDPOINT = columns<Endpoint>('', {
  id: text,
  tenantId: text,
  parentId: text,
  dialect: text,
  url: text,
  provenAt: time,
  status: text,
  disabledReason: text,
  secretSealed: text,
  previousSecretSealed: text,
  previousSecretUntil: time,
  failingSince: time,
  removedAt: time,
})

const FIND_ENDPOINT = sql(
  'webhooks.find_endpoint',
  `select ${ENDPOINT.list} from webhooks.endpoint where tenant_id = $1 and removed_at is null`,
)
/** Null also for a tenant that has removed it. */
export async function findEndpoint(db: Queryable, tenantId: string): Promise<Endpoint | null> {
  return ENDPOINT.first(db, FIND_ENDPOINT, [tenantId])
}

const FIND_ENDPOINT_ID = sql(
  'webhooks.find_endpoint_id',
  'select id from webhooks.endpoint where tenant_id = $1',
)
/** Also of one that was removed: what was sent to it stays readable. */
export async function findEndpointId(db: Queryable, tenantId: string): Promise<string | null> {
  const [row] = await db.query<{ id: string }>(FIND_ENDPOINT_ID, [tenantId])
  return row?.id ?? null
}

const ENDPOINTS_OF = sql(
  'webhooks.endpoints_of',
  `select ${ENDPOINT.list} from webhooks.endpoint where tenant_id = any ($1::uuid[]) and removed_at is null`,
)
/** The endpoint of each tenant, in their order. */
export async function readEndpointsOf(
  db: Queryable,
  tenantIds: readonly string[],
): Promise<(Endpoint | null)[]> {
  const endpoints = await ENDPOINT.all(db, ENDPOINTS_OF, [[...new Set(tenantIds)]])
  const found = new Map(endpoints.map((endpoint) => [endpoint.tenantId, endpoint]))
  return tenantIds.map((id) => found.get(id) ?? null)
}

const ENDPOINTS_BY_ID = sql(
  'webhooks.endpoints_by_id',
  `select ${ENDPOINT.list} from webhooks.endpoint where id = any ($1::uuid[])`,
)
export async function readEndpoints(
  db: Queryable,
  ids: readonly string[],
): Promise<Map<string, Endpoint>> {
  const endpoints = await ENDPOINT.all(db, ENDPOINTS_BY_ID, [ids])
  return new Map(endpoints.map((endpoint) => [endpoint.id, endpoint]))
}

const SAVE_ENDPOINT = sql(
  'webhooks.save_endpoint',
  `insert into webhooks.endpoint as known (tenant_id, url, secret_sealed, created_at, updated_at, dialect, parent_id)
   values ($1, $2, $3, $4, $4, $5, $6)
   on conflict (tenant_id) do update set url = excluded.url, status = 'enabled', disabled_reason = null, removed_at = null,
     secret_sealed = case when known.removed_at is null then known.secret_sealed else excluded.secret_sealed end,
     previous_secret_sealed = case when known.removed_at is null then known.previous_secret_sealed end,
     previous_secret_until = case when known.removed_at is null then known.previous_secret_until end,
     proven_at = case when known.url = excluded.url then known.proven_at end,
     failing_since = null, failed_attempts = 0, exhausted_deliveries = 0, updated_at = excluded.updated_at
   returning ${ENDPOINT.list}`,
)
/**
 * A known endpoint keeps its secret, gets the new address and is enabled again; one that was removed gets the
 * new secret, too.
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
  tenantId: text,
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
   where tenant_id = $1 and status = 'enabled'`,
)
/** The endpoint of an account that sends nothing any more; as `disableEndpoint`. */
export const closeEndpoint = async (
  tx: Tx,
  tenantId: string,
  { reason, at }: { readonly reason: string; readonly at: Date },
): Promise<void> => {
  await tx.query(CLOSE, [tenantId, reason, at])
}

const REMOVE = sql(
  'webhooks.remove_endpoint',
  `update webhooks.endpoint set status = 'disabled', disabled_reason = 'it was removed', removed_at = $2, updated_at = $2
   where tenant_id = $1 and removed_at is null`,
)
/** No event goes to it from now on; as `disableEndpoint`. */
export const removeEndpoint = async (tx: Tx, tenantId: string, at: Date): Promise<void> => {
  await tx.query(REMOVE, [tenantId, at])
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
