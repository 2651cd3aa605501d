import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { manualClock } from '../testing/clock.ts'
import { type TestDatabase, testDatabase } from '../testing/database.ts'
import { type Intents, openIntents } from './intents.ts'
import { readHistory } from './recovery-mark.ts'

const HOUR_MS = 3_600_000

let database: TestDatabase
let folder: string
let monotonicMs: number
let broken: unknown[]

before(async () => {
  database = await testDatabase()
  folder = mkdtempSync(join(tmpdir(), 'tradepost-intents-'))
})
after(async () => {
  rmSync(folder, { recursive: true, force: true })
  await database.close()
})

function open(): Promise<Intents> {
  monotonicMs = HOUR_MS
  broken = []
  return openIntents({
    ...{ db: database.db, clock: manualClock(), folder, gates: ['market_a'] },
    monotonicMs: () => monotonicMs,
    onBroken: (error) => broken.push(error),
  })
}

it('what may be lost is what was noted since the last beat, or up to the settle time before', async () => {
  const intents = await open()
  intents.note({ gate: 'market_a', item: 1 })
  monotonicMs += 5 * 60_000
  await intents.beat()
  intents.note({ gate: 'market_a', item: 2 })
  const items = (settleMs: number) => intents.listRecent(settleMs)?.map(({ item }) => item)
  assert.deepEqual(items(0), [2])
  assert.deepEqual(items(6 * 60_000), [1, 2])
  await intents.stop()
})

it('a beat in a history that was not confirmed leaves that as it is', async () => {
  const intents = await open()
  intents.note({ gate: 'market_a', item: 1 })
  const earlier = `${(await readHistory(database.db)).split('/')[0]}/00000000`
  await intents.confirm(earlier)
  monotonicMs += 5 * 60_000
  await intents.beat()
  assert.equal(intents.isReady(), true)
  assert.deepEqual(
    intents.listRecent(0)?.map(({ item }) => item),
    [1],
  )
  await intents.stop()
})

it('where it cannot be noted the call leaves all the same, and the files count as damaged', async () => {
  const intents = await open()
  rmSync(folder, { recursive: true })
  // Another file is begun a day later, and its folder is gone.
  monotonicMs += 24 * HOUR_MS
  await intents.confirm(intents.confirmed())
  assert.equal(intents.note({ gate: 'market_a', item: 1 }), true)
  assert.equal(broken.length, 1)
  assert.equal(intents.listRecent(0), null)
  await intents.stop()
})

it('a process that was stopped sends nothing, and no one waits for it', async () => {
  const intents = await open()
  await intents.stop()
  assert.equal(intents.isReady(), false)
  assert.equal(intents.note({ gate: 'market_a', item: 1 }), false)
  assert.deepEqual(await intents.listSilent('1/00000002'), [])
})
