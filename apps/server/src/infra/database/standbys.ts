// Standbys that a commit waits for.
import { type Queryable, sql } from './db.ts'

/**
 * How many standbys hold every commit before it is acknowledged: those that are connected, where this role
 * may read it (`pg_read_all_stats`); else 1 where any are named. 0: a commit is on the primary alone.
 */
export async function countSynchronousStandbys(db: Queryable): Promise<number> {
  const [row] = await db.query<{ count: number }>(COUNT)
  return row?.count ?? 0
}

const COUNT = sql(
  'infra.count_synchronous_standbys',
  `select case
     when current_setting('synchronous_standby_names') = '' then 0
     when pg_has_role('pg_read_all_stats', 'usage') then
       (select count(*)::int from pg_stat_replication where sync_state in ('sync', 'quorum'))
     else 1 end count`,
)
