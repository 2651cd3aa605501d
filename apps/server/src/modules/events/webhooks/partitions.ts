// How deliveries are partitioned: by the number of their event, of which each month has its own.
import { type Db, sql } from '#infra/database/db'
import { type Partition, type PartitionedTable, SPANS } from '#infra/database/partitions'
import { firstUuidOf } from '#kernel/id'
import { beginNumbersOf } from '#outbox'

// A month may have numbers of a later time, when the job that begins the next was late: so its youngest
// row counts, by its id, which says when it was written. An event that waits must find a place.
export const DELIVERIES_BY_MONTH: PartitionedTable = {
  table: 'webhooks.delivery',
  column: 'event_id',
  type: 'bigint',
  span: 'month',
  // An attempt that is claimed or ends changes its row in place.
  fillfactor: 80,
  keptWhile: ({ name, end, before }) => [
    [sql(`webhooks.open ${name}`, `select from ${name} where ${OPEN} limit 1`)],
    [sql(`webhooks.parked ${name}`, `select from ${name} where status = 'parked' limit 1`)],
    [
      sql(`webhooks.young ${name}`, `select from ${name} where id >= $1 limit 1`),
      firstUuidOf(before),
    ],
    [sql('webhooks.events_below', 'select where outbox.waits_below($1)'), end],
  ],
}

const OPEN = "status in ('pending', 'retrying')"

/**
 * Has the events of this month numbered by it, once a partition for their deliveries has an end:
 * one without may still be given an end before them. `partitions` are those of deliveries.
 */
export async function beginMonth(
  db: Db,
  { partitions, at }: { readonly partitions: readonly Partition[]; readonly at: Date },
): Promise<void> {
  const month = SPANS.month.startOf(at)
  const isMade = partitions.some(
    ({ from, to }) => from !== null && from <= month && to !== null && to > month,
  )
  if (isMade) await beginNumbersOf(db, month)
}
