// Lets statements meet where they read the same table.
import { type Db, sql } from '../database/db.ts'
import { until } from './until.ts'

const COUNT_HELD_UP = sql(
  'test.held_up',
  `select count(*)::int count from pg_stat_activity
   where wait_event_type = 'Lock' and datname = current_database() and query like '%' || $1 || '%'`,
)

/**
 * Lets so many statements that name a function begin, and holds them all up at the table; then they go on at
 * the same moment. Each has a connection of the pool, and two more are needed.
 */
export async function whileHeldUp<T>(
  db: Db,
  {
    table,
    named,
    count,
  }: { readonly table: string; readonly named: string; readonly count: number },
  begin: () => Promise<T>,
): Promise<T> {
  let begun: Promise<T> | undefined
  await db.transaction(async (tx) => {
    await tx.query(sql('test.hold_table', `lock table ${table} in access exclusive mode`))
    begun = begin()
    await until(`${count} statements wait for ${table}`, async () => {
      const [row] = await db.query<{ count: number }>(COUNT_HELD_UP, [named])
      return row?.count === count
    })
  })
  return begun as Promise<T>
}
