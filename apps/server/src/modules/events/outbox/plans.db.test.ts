import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '#kernel/id'
import { sql } from '../../../infra/database/db.ts'
import { testDatabase } from '../../../infra/testing/database.ts'
import { findEvent, listEvents } from './index.ts'
import { marksWithEvents } from './store.ts'

test('reading the feed never reads the events of others', async (t) => {
  const { db, close } = await testDatabase()
  t.after(close)
  await db.query(ADD, [20_000])
  await db.query(DISPATCH, [20_000])
  await db.script('vacuum analyze outbox.event')
  const mine = newId()
  const read = { tenantId: mine, position: 0n, types: null, limit: 10 } as const
  await db.transaction(async (tx) => {
    // More often than a plan made for given values is tried before one for all values is kept.
    for (let i = 0; i < 8; i++) {
      await listEvents(tx, { ...read, direction: 'after' })
      await listEvents(tx, { ...read, direction: 'before', types: ['x'], position: 2n ** 62n })
      await findEvent(tx, { id: mine, tenantId: mine })
      await marksWithEvents(tx, [{ tenantId: mine, position: 0n }])
    }
    const [seen] = await tx.query<{ rows: bigint }>(ROWS_READ)
    assert.equal(seen?.rows, 0n)
  })
})

const ADD = sql(
  'test.add_of_others',
  `select outbox.add('x', 'trade', uuidv7(), uuidv7(), uuidv7(), '{}', uuidv7(), now())
   from generate_series(1, $1::int)`,
)
const DISPATCH = sql('test.dispatch_all', 'select count(*) from outbox.dispatch($1, now())')
const ROWS_READ = sql(
  'test.rows_read',
  `select sum(pg_stat_get_xact_tuples_returned(relid))::bigint "rows" from pg_partition_tree('outbox.event')`,
)
