import assert from 'node:assert/strict'
import { after, before, test as it } from 'node:test'
import { manualClock } from '../../infra/testing/clock.ts'
import { type TestDatabase, testDatabase } from '../../infra/testing/database.ts'
import { createGlobalDefaultReader, writeGlobalDefaultBps } from './index.ts'

let test: TestDatabase
before(async () => {
  test = await testDatabase()
})
after(() => test.close())

it('the global default is 500 bps, and a change is seen within a second', async () => {
  const { db } = test
  const clock = manualClock()
  const read = createGlobalDefaultReader({ db, clock })
  assert.equal(await read(), 500)
  await db.transaction((tx) => writeGlobalDefaultBps(tx, 450, clock.now()))
  clock.advance(1000)
  assert.equal(await read(), 450)
})

it('an impossible default is refused by the database', async () => {
  for (const bps of [-1, 10_001]) {
    await assert.rejects(
      test.db.transaction((tx) => writeGlobalDefaultBps(tx, bps, new Date())),
      /setting_default_in_range/,
    )
  }
})
