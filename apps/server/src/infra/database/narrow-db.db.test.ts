import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { testDatabase } from '../testing/database.ts'
import { until } from '../testing/until.ts'
import { sql } from './db.ts'
import { narrowDb } from './narrow-db.ts'

const { db, close } = await testDatabase()
after(close)

const PID = sql('', 'select pg_backend_pid() pid')

test('work of one kind holds its connections only, whatever fails, and the rest of the pool serves others', async () => {
  const narrow = narrowDb(db, 2)
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>()
  let begun = 0
  const works = Array.from({ length: 6 }, (_, i) =>
    narrow.transaction(async (tx) => {
      begun++
      await tx.query(PID)
      await mayEnd
      if (i % 2 === 0) throw new Error('no such item')
      return i
    }),
  )
  const settled = Promise.allSettled(works)
  const waiting = [narrow.query(PID), narrow.snapshot((at) => at.query(PID))]
  await until('two have begun', () => begun === 2)
  for (let i = 0; i < 3; i++) assert.equal((await db.query(PID)).length, 1)
  assert.equal(begun, 2)
  end()
  assert.deepEqual(
    (await settled).map(({ status }) => status),
    ['rejected', 'fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled'],
  )
  for (const rows of await Promise.all(waiting)) assert.equal(rows.length, 1)
})
