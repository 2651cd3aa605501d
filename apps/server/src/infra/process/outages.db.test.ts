import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openDb, sql } from '../database/db.ts'
import { type Job, startJobs } from '../jobs/jobs.ts'
import { manualClock } from '../testing/clock.ts'
import { testDatabase } from '../testing/database.ts'
import { until } from '../testing/until.ts'
import { openWire } from '../testing/wire.ts'
import { systemClock } from './clock.ts'
import { createLog } from './log.ts'
import { createMetrics } from './metrics.ts'
import { createOutages } from './outages.ts'

const database = await testDatabase()
after(() => database.close())

interface Line {
  readonly level: string
  readonly msg: string
  readonly [detail: string]: unknown
}

const PING = sql('', 'select 1')

/** A process with a wire to its database, which writes its log here. */
async function aProcess(clock = systemClock) {
  const wire = await openWire(database.url)
  after(() => wire.close())
  const lines: Line[] = []
  const outages = createOutages(clock)
  const log = createLog({
    level: 'info',
    isCovered: outages.covers,
    destination: { write: (line) => lines.push(JSON.parse(line)) },
  })
  const db = openDb({
    url: wire.url,
    poolSize: 4,
    onConnectionError: (err) => log.warn({ err }, 'a database connection was lost'),
  })
  const metrics = createMetrics()
  outages.watch({ log, metrics, probe: () => db.query(PING) })
  after(() => db.close())
  const lossesOf = async (what: string) =>
    Number(
      new RegExp(`^tradepost_db_losses_total{what="${what}"} (\\d+)$`, 'm').exec(
        await metrics.text(),
      )?.[1] ?? 0,
    )
  return { wire, lines, log, db, metrics, lossesOf, said: () => lines.map(({ msg }) => msg) }
}

const LOST = 'the database is lost: what fails is counted until it is back'
const BACK = 'the database is back'

test('an outage is one line when the database is lost and one when it is back, whatever failed', async () => {
  const { wire, lines, log, db, metrics, lossesOf, said } = await aProcess()
  const job = (name: string): Job => ({
    name,
    everyMs: 10,
    work: async () => {
      await db.transaction((tx) => tx.query(PING))
      return false
    },
  })
  const names = ['one', 'two', 'three']
  const jobs = await startJobs(names.map(job), {
    ...{ db, log, metrics, clock: systemClock, processId: 'p' },
  })
  await wire.cut()
  await until('jobs fail again and again', async () => (await lossesOf('job')) >= 12)
  for (let i = 0; i < 20; i++) {
    const err = await db.query(PING).catch((error: Error) => error)
    log.warn({ requestId: `r${i}`, err }, 'database connection lost during a request')
  }
  assert.deepEqual(said(), [LOST])
  await wire.restore()
  await until('it is back', () => said().includes(BACK))
  await jobs.stop()
  assert.deepEqual(said(), [LOST, BACK])
  const [lost, back] = lines
  assert.deepEqual([lost?.level, back?.level], ['error', 'warn'])
  assert.ok(typeof lost?.reason === 'string' && lost.reason !== '')
  assert.deepEqual([back?.jobs, back?.requests], [3, 20])
  assert.ok(Number(back?.seconds) >= 1)
  assert.equal(await lossesOf('request'), 20)
})

test('a long outage is said once a minute', async () => {
  const clock = manualClock()
  const { wire, log, db, said } = await aProcess(clock)
  await wire.cut()
  const err = await db.query(PING).catch((error: Error) => error)
  const fail = () => log.error({ job: 'one', err }, 'job failed')
  fail()
  const still = 'the database is still lost'
  for (const count of [1, 2]) {
    clock.advance(60_000)
    await until('it is said', () => said().filter((line) => line === still).length === count)
    for (let i = 0; i < 5; i++) fail()
  }
  assert.deepEqual(said(), [LOST, still, still])
  await wire.restore()
  await until('it is back', () => said().at(-1) === BACK)
})

test('what is no loss of the database has its line, also during an outage, and an alarm always', async () => {
  const { wire, log, db, said } = await aProcess()
  const elsewhere = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
  log.error({ job: 'sign', err: elsewhere }, 'job failed')
  const refused = await db.query(sql('', 'select 1/0')).catch((error: Error) => error)
  log.error({ job: 'divide', err: refused }, 'job failed')
  await wire.cut()
  const err = await db.query(PING).catch((error: Error) => error)
  log.error({ job: 'one', err }, 'not written')
  log.error({ job: 'sign', err: elsewhere }, 'job failed')
  log.error({ err: new Error('wrapped', { cause: err }) }, 'not written')
  log.error({ err, alarm: 'books_broken' }, 'an alarm')
  const expected = ['job failed', 'job failed', LOST, 'job failed', 'an alarm']
  assert.deepEqual(
    said().filter((line) => line !== 'a database connection was lost'),
    expected,
  )
  await wire.restore()
  await until('it is back', () => said().at(-1) === BACK)
})
