// SQL of attempts as an operator looks at them.
import { type Queryable, sql } from '#platform/db'

const ATTEMPTS_OF_EVENTS = sql(
  'webhooks.attempts_of_events',
  `select d.id "deliveryId", d.event_type "eventType", d.status, a.number, a.manual, a.started_at "startedAt",
     a.duration_ms "durationMs", a.response_status "responseStatus", a.error
   from webhooks.endpoint e
     join webhooks.delivery d on d.endpoint_id = e.id and d.event_id = any ($2::bigint[])
     join webhooks.attempt a on a.delivery_id = d.id
   where e.merchant_id = $1 order by a.id limit 1000`,
)

export interface AttemptOfEvent {
  readonly deliveryId: string
  readonly eventType: string
  readonly status: string
  readonly number: number
  readonly manual: boolean
  readonly startedAt: Date
  readonly durationMs: number
  readonly responseStatus: number | null
  readonly error: string | null
}

/** Every attempt to tell a merchant these events, oldest first; attempts are kept for 30 days. */
export const listAttemptsOfEvents = (
  db: Queryable,
  merchantId: string,
  eventIds: readonly bigint[],
): Promise<AttemptOfEvent[]> => db.query<AttemptOfEvent>(ATTEMPTS_OF_EVENTS, [merchantId, eventIds])
