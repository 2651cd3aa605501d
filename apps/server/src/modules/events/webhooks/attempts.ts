// SQL of attempts: written once, read by operators, removed by the day.
import { type Queryable, sql, type Tx } from '#infra/database/db'
import type { PartitionedTable } from '#infra/database/partitions'
import { packRequest, unpackRequest } from './request.ts'
import { OF_DELIVERY } from './store/deliveries.ts'

export const ATTEMPTS_BY_DAY: PartitionedTable = {
  table: 'webhooks.attempt',
  column: 'started_at',
  type: 'timestamptz',
  span: 'day',
}

export interface AttemptRecord {
  readonly deliveryId: string
  readonly number: number
  readonly manual: boolean
  readonly startedAt: Date
  readonly durationMs: number
  readonly requestHeaders: Readonly<Record<string, string>>
  readonly requestBody: string
  readonly responseStatus: number | null
  readonly responseBody: string | null
  readonly error: string | null
}

const INSERT_ATTEMPTS = sql(
  'webhooks.insert_attempts',
  `insert into webhooks.attempt (delivery_id, number, manual, started_at, duration_ms, request, response_status,
     response_body, error)
   select * from unnest($1::uuid[], $2::smallint[], $3::boolean[], $4::timestamptz[], $5::integer[], $6::bytea[],
     $7::smallint[], $8::text[], $9::text[])`,
)
export async function insertAttempts(tx: Tx, attempts: readonly AttemptRecord[]): Promise<void> {
  const column = <T>(of: (attempt: AttemptRecord) => T): T[] => attempts.map(of)
  await tx.query(INSERT_ATTEMPTS, [
    column((attempt) => attempt.deliveryId),
    column((attempt) => attempt.number),
    column((attempt) => attempt.manual),
    column((attempt) => attempt.startedAt),
    column((attempt) => attempt.durationMs),
    column(({ requestHeaders, requestBody }) =>
      packRequest({ headers: requestHeaders, body: requestBody }),
    ),
    column((attempt) => attempt.responseStatus),
    column((attempt) => attempt.responseBody),
    column((attempt) => attempt.error),
  ])
}

const NEWEST_ATTEMPT = sql('webhooks.newest_attempt', 'select max(id) id from webhooks.attempt')

/** Rises with each attempt of any account; 0 without one. */
export async function newestAttemptId(db: Queryable): Promise<bigint> {
  const [row] = await db.query<{ id: bigint | null }>(NEWEST_ATTEMPT)
  return row?.id ?? 0n
}

const ATTEMPTS_OF_EVENTS = sql(
  'webhooks.attempts_of_events',
  `select d.id "deliveryId", d.tenant_id "tenantId", d.event_type "eventType", d.status, a.number, a.manual, a.started_at "startedAt",
     a.duration_ms "durationMs", a.response_status "responseStatus", a.error
   from webhooks.endpoint e
     join webhooks.delivery d on d.endpoint_id = e.id and d.event_id = any ($2::bigint[])
     join webhooks.attempt a on ${OF_DELIVERY}
   where e.account_id = any ($1::uuid[]) order by a.id limit 1000`,
)

export interface AttemptOfEvent {
  readonly deliveryId: string
  /** The account whose endpoint it goes to. */
  readonly tenantId: string
  readonly eventType: string
  readonly status: string
  readonly number: number
  readonly manual: boolean
  readonly startedAt: Date
  readonly durationMs: number
  readonly responseStatus: number | null
  readonly error: string | null
}

/**
 * Every attempt to deliver these events to endpoints of these accounts that is still kept, oldest first.
 */
export const listAttemptsOfEvents = (
  db: Queryable,
  accountIds: readonly string[],
  eventIds: readonly bigint[],
): Promise<AttemptOfEvent[]> => db.query<AttemptOfEvent>(ATTEMPTS_OF_EVENTS, [accountIds, eventIds])

const ATTEMPTS_OF_DELIVERY = sql(
  'webhooks.attempts_of_delivery',
  `select a.delivery_id "deliveryId", a.number, a.manual, a.started_at "startedAt", a.duration_ms "durationMs",
     a.request, a.request_headers "requestHeaders", a.request_body "requestBody",
     a.response_status "responseStatus", a.response_body "responseBody", a.error
   from webhooks.delivery d join webhooks.attempt a on ${OF_DELIVERY}
   where d.id = $1 and d.tenant_id = $2 order by a.id limit 100`,
)
/** Oldest first, with what was sent and answered. */
export async function listAttempts(
  db: Queryable,
  { deliveryId, tenantId }: { readonly deliveryId: string; readonly tenantId: string },
): Promise<AttemptRecord[]> {
  const rows = await db.query<AttemptRecord & { readonly request: Buffer | null }>(
    ATTEMPTS_OF_DELIVERY,
    [deliveryId, tenantId],
  )
  return rows.map(({ request, ...attempt }) => {
    if (request === null) return attempt
    const { headers, body } = unpackRequest(request)
    return { ...attempt, requestHeaders: headers, requestBody: body }
  })
}

const COUNT_ATTEMPTS = sql(
  'webhooks.count_attempts',
  `select date_trunc('hour', a.started_at, 'UTC') "at", coalesce(e.parent_id, e.account_id) "tenantId",
     a.response_status is not null and a.response_status between 200 and 299 "isSuccess", count(*)::int "count"
   from webhooks.attempt a join webhooks.delivery d on d.id = a.delivery_id
     join webhooks.endpoint e on e.id = d.endpoint_id
   where a.started_at >= $1 and a.started_at < $2 and not a.manual group by 1, 2, 3`,
)
export interface AttemptsOfHour {
  /** The start of the hour. */
  readonly at: Date
  /** The merchant or partner; of the endpoint of a child, its partner. */
  readonly tenantId: string
  /** The endpoint answered 2xx. */
  readonly isSuccess: boolean
  readonly count: number
}
/** Attempts that started from `from` on and before `to`, without those that a person sent. */
export const countAttempts = (
  db: Queryable,
  { from, to }: { readonly from: Date; readonly to: Date },
): Promise<AttemptsOfHour[]> => db.query<AttemptsOfHour>(COUNT_ATTEMPTS, [from, to])
