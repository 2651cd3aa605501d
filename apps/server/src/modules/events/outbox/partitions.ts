// How events are partitioned, the keys of those from before there were keys, and the numbers of a month.
import { type Db, type Queryable, sql } from '#infra/database/db'
import { firstNumberOf, type PartitionedTable } from '#infra/database/partitions'

export const EVENTS_BY_MONTH: PartitionedTable = {
  table: 'outbox.event',
  column: 'public_id',
  type: 'uuid',
  span: 'month',
  keptWhile: ({ name }) => [
    [sql(`outbox.waits ${name}`, `select from ${name} where dispatched_at is null limit 1`)],
  ],
}

/** Of one transaction: 10,000 keys are written in about 0.2 s, and nothing waits for them. */
const SLICE = 10_000

const FILL = sql(
  'outbox.fill_keys',
  `with slice as materialized (
     select id, public_id, type, right(dedupe_key, 36)::uuid dedupe_id from outbox.event
     where id > (select after_id from outbox.unkeyed) order by id limit $1),
   keyed as (
     insert into outbox.event_key (dedupe_id, type, public_id)
     select dedupe_id, type, public_id from slice on conflict do nothing),
   went_on as (
     update outbox.unkeyed set after_id = (select max(id) from slice) where exists (select from slice)),
   ended as (
     delete from outbox.unkeyed where not exists (select from slice))
   select count(*)::int count from slice`,
)

/**
 * Writes the keys of all events from before the keys; false when the signal ended it sooner. It goes on where
 * an earlier call ended. The first partition holds those events and refuses a second one of each, so it may
 * be closed only afterwards.
 */
export async function fillKeys(
  db: Db,
  { signal, slice = SLICE }: { readonly signal: AbortSignal; readonly slice?: number },
): Promise<boolean> {
  while (!signal.aborted) {
    const [filled] = await db.query<{ count: number }>(FILL, [slice])
    if (!filled?.count) return true
  }
  return false
}

const BEGIN_NUMBERS = sql('outbox.begin_numbers', 'select outbox.begin_numbers($1)')

/**
 * Numbers of events begin with this month from now on, for consumers that are partitioned by them. They only
 * rise: an earlier month than the last changes nothing.
 */
export const beginNumbersOf = async (db: Queryable, month: Date): Promise<void> => {
  await db.query(BEGIN_NUMBERS, [firstNumberOf(month)])
}
