// Dispatch: takes committed events, oldest first, and hands each batch to every consumer in the transaction
// that marks it as dispatched. One process at a time does it; the others find the lock held.

import { type Db, sql, type Tx } from '#infra/database/db'
import { type DueQuestion, dueWhere } from '#infra/jobs/due-watch'
import type { Clock } from '#infra/process/clock'

export interface DispatchedEvent {
  /** The number under which consumers refer to the event. */
  readonly id: bigint
  /** The id that tenants see. */
  readonly publicId: string
  readonly type: string
  readonly tenantId: string
  readonly accountId: string
  readonly subjectId: string
  readonly payload: Readonly<Record<string, unknown>>
  readonly createdAt: Date
}

/** Stores what it needs of a batch; must not call anything but the database. */
export type EventConsumer = (tx: Tx, events: readonly DispatchedEvent[], at: Date) => Promise<void>

/** Whether committed events wait to be dispatched. */
export const EVENTS_WAIT: DueQuestion = dueWhere(
  'outbox.events',
  'exists (select from outbox.event where dispatched_at is null)',
)

const BEHIND = sql(
  'outbox.is_dispatch_behind',
  `select exists (
     select from outbox.event where dispatched_at is null order by id offset $1 limit 1) "isBehind"`,
)
/** Whether more than so many committed events wait to be dispatched. */
export async function isDispatchBehind(db: Db, count: number): Promise<boolean> {
  const [row] = await db.query<{ isBehind: boolean }>(BEHIND, [count])
  return row?.isBehind ?? false
}

const BATCH = 500

// The key of the advisory lock of the dispatcher: any number that no other lock uses.
const LOCK = sql('outbox.lock_dispatch', 'select pg_try_advisory_xact_lock(7430226) "locked"')

const DISPATCH = sql(
  'outbox.dispatch',
  `select id, public_id "publicId", type, tenant_id "tenantId", account_id "accountId", subject_id "subjectId",
     payload, created_at "createdAt" from outbox.dispatch($1, $2) order by id`,
)

/** Dispatches one batch; true when there may be more to do at once. */
export const createDispatch =
  ({
    db,
    clock,
    consumers,
  }: {
    readonly db: Db
    readonly clock: Clock
    readonly consumers: readonly EventConsumer[]
  }): (() => Promise<boolean>) =>
  () =>
    db.transaction(async (tx) => {
      const [lock] = await tx.query<{ locked: boolean }>(LOCK)
      if (!lock?.locked) return false
      const at = clock.now()
      const events = await tx.query<DispatchedEvent>(DISPATCH, [BATCH, at])
      if (events.length > 0) for (const consume of consumers) await consume(tx, events, at)
      return events.length === BATCH
    })
