// The tables that are removed by the day, as the migrations leave them.
import assert from 'node:assert/strict'
import { afterEach, beforeEach, it } from 'node:test'
import pg from 'pg'
import { KEY_REQUESTS_BY_DAY } from '#identity'
import { sql } from '#infra/database/db'
import { listPartitions, readDatabaseTime } from '#infra/database/partitions'
import type { Clock } from '#infra/process/clock'
import { createMetrics } from '#infra/process/metrics'
import { type ManualClock, manualClock } from '#infra/testing/clock'
import { type TestDatabase, testDatabase } from '#infra/testing/database'
import { recordingDb } from '#infra/testing/recording-db'
import { assertDefined } from '#kernel/assert'
import { newId } from '#kernel/id'
import { CALLS_BY_DAY, createCallLog, listCalls } from '#reconciliation'
import { ATTEMPTS_BY_DAY, DELIVERIES_BY_MONTH, findDeliveryRecord, listAttempts } from '#webhooks'
import { createKeepPartitions } from './keep-partitions.ts'

const DAY_MS = 24 * 3_600_000

let database: TestDatabase
/** Of the process, and of the database until a test moves it on its own. */
let clock: ManualClock
let databaseClock: Clock
beforeEach(async () => {
  database = await testDatabase()
  clock = manualClock(new Date('2026-03-01T12:00:00Z'))
  databaseClock = clock
})
afterEach(() => database.close())

const stop = { signal: new AbortController().signal, processId: 'test' }
function jobs(db = database.db) {
  const metrics = createMetrics()
  const kept = { callsDays: 10, attemptsDays: 30, deliveriesDays: 90, eventsDays: 400 }
  const [keep, measure] = createKeepPartitions({
    ...{ db, clock, metrics, kept },
    ...{ databaseTime: async () => databaseClock.now() },
  })
  return {
    keep: async () => keep?.work(stop),
    measured: async (name: string, table: string): Promise<number> => {
      await measure?.work(stop)
      const line = new RegExp(`^tradepost_${name}\\{table="${table}"\\} (\\d+)$`, 'm')
      return Number(line.exec(await metrics.text())?.[1])
    },
  }
}

/** A delivery of an event of this moment, and an attempt of it. */
async function attempt(): Promise<{ readonly deliveryId: string; readonly tenantId: string }> {
  const sent = { deliveryId: newId(), tenantId: newId() }
  await database.db.query(DELIVERED, [sent.deliveryId, sent.tenantId, clock.now()])
  return sent
}
const DELIVERED = sql(
  'test_delivered',
  `with delivery as (
     insert into webhooks.delivery (id, endpoint_id, event_id, event_type, tenant_id, account_id, subject_id, payload,
       status, attempts, due_at, created_at, finished_at)
     values ($1, $2, 1, 'trade.initiated', $2, $2, $2, '{}', 'delivered', 1, $3::timestamptz, $3, $3))
   insert into webhooks.attempt (delivery_id, number, manual, started_at, duration_ms, request_headers, request_body,
     response_status)
   values ($1, 1, false, $3, 12, '{}', 'sent', 204)`,
)

async function call(customId: string): Promise<void> {
  const log = createCallLog({ db: database.db, onLost: assert.fail })
  log.record({
    ...{ market: 'market_a', customId, operation: 'place', startedAt: clock.now(), durationMs: 12 },
    ...{ outcome: 'accepted', answer: {}, requestId: null },
  })
  await log.flush()
}

it('what was written before and after the first run is read back, until it is older than what is kept', async () => {
  const { keep } = jobs()
  const old = await attempt()
  await call('old')
  await keep()
  // The rows of before share a partition that ends two weeks off.
  clock.advance(20 * DAY_MS)
  await keep()
  const young = await attempt()
  await call('young')

  const seen = async () => ({
    attempts: await Promise.all(
      [old, young].map(async (sent) => (await listAttempts(database.db, sent)).length),
    ),
    calls: (await listCalls(database.db, ['old', 'young'])).map(({ customId }) => customId),
  })
  assert.deepEqual(await seen(), { attempts: [1, 1], calls: ['old', 'young'] })
  clock.advance(8 * DAY_MS)
  await keep()
  assert.deepEqual(await seen(), { attempts: [1, 1], calls: ['young'] })
  clock.advance(20 * DAY_MS)
  await keep()
  assert.deepEqual(await seen(), { attempts: [0, 1], calls: [] })
  const of = ({ deliveryId: id, tenantId }: typeof old) => ({ id, tenantId })
  const known = await Promise.all(
    [old, young].map((sent) => findDeliveryRecord(database.db, of(sent))),
  )
  assert.deepEqual(
    known.map((one) => one?.lastStatus),
    [null, 204],
    'the delivery outlives its attempts',
  )
})

it('a table that is held up is not in the way of another, and its job fails until it is free', async () => {
  const { keep, measured } = jobs()
  const reader = new pg.Client({ connectionString: database.url })
  await reader.connect()
  try {
    await reader.query('begin; select from webhooks.attempt limit 1')
    await assert.rejects(keep, /lock timeout/)
  } finally {
    await reader.end()
  }
  assert.equal(await measured('partitions_ahead', ATTEMPTS_BY_DAY.table), 0)
  for (const { table } of [CALLS_BY_DAY, KEY_REQUESTS_BY_DAY]) {
    assert.equal(await measured('partitions_ahead', table), 7, table)
  }
  await keep()
  assert.equal(await measured('partitions_ahead', ATTEMPTS_BY_DAY.table), 7)
  clock.advance(3 * DAY_MS)
  assert.equal(await measured('partitions_ahead', ATTEMPTS_BY_DAY.table), 4)
})

it('a month in which a delivery waits is kept and counted, and goes when that has ended', async () => {
  const { keep, measured } = jobs()
  const deliveryId = newId(clock.now().getTime())
  await database.db.query(DELIVERED, [deliveryId, newId(), clock.now()])
  await database.db.query(SET_STATUS, [deliveryId, 'retrying'])
  await keep()
  const overdue = () => measured('partitions_overdue', DELIVERIES_BY_MONTH.table)
  clock.advance(89 * DAY_MS)
  assert.equal(await overdue(), 0)
  clock.advance(2 * DAY_MS)
  await keep()
  assert.equal(await overdue(), 1)
  await database.db.query(SET_STATUS, [deliveryId, 'exhausted'])
  await keep()
  assert.equal(await overdue(), 0)
})
const SET_STATUS = sql('test_set_status', 'update webhooks.delivery set status = $2 where id = $1')

it('a run that has nothing to make reads the partitions of each table once', async () => {
  await jobs().keep()
  const recorded = recordingDb(database.db)
  await jobs(recorded).keep()
  const reads = recorded.taken().filter((name) => name === 'infra.list_partitions')
  assert.equal(reads.length, 5)
})

it('the size of a table is that of all of its partitions, and those are named by no other', async () => {
  const { keep, measured } = jobs()
  const before = await measured('table_bytes', 'webhooks.attempt')
  await keep()
  const after = await measured('table_bytes', 'webhooks.attempt')
  const { length } = await listPartitions(database.db, ATTEMPTS_BY_DAY)
  assert.ok(after >= length * 8192 && after > before, `${before} and then ${after} bytes`)
  assert.ok((await measured('table_bytes', 'ledger.posting')) > 0)
  assert.ok(Number.isNaN(await measured('table_bytes', 'webhooks.attempt_first')))
})

it('a clock that is more than a day from that of the database makes and removes nothing, and the job fails', async () => {
  const { keep } = jobs()
  const { deliveryId, tenantId } = await attempt()
  await keep()
  const partitions = await listPartitions(database.db, ATTEMPTS_BY_DAY)
  const right = clock.now()
  databaseClock = { now: () => right }
  for (const days of [400, -400]) {
    clock.set(new Date(right.getTime() + days * DAY_MS))
    await assert.rejects(keep, /clocks are more than a day apart: it is .* here and 2026-03-01T12/)
  }
  assert.deepEqual(await listPartitions(database.db, ATTEMPTS_BY_DAY), partitions)
  assert.equal((await listAttempts(database.db, { deliveryId, tenantId })).length, 1)
})

it('of two clocks that are within a day the earlier says what is old enough', async () => {
  const { keep } = jobs()
  await call('young')
  await keep()
  clock.set(new Date((await endOfFirstCalls()).getTime() + 10 * DAY_MS + 3_600_000))
  const own = clock.now()
  const earlier = manualClock(new Date(own.getTime() - 2 * 3_600_000))
  const kept = async () => (await listCalls(database.db, ['young'])).length
  databaseClock = earlier
  await keep()
  assert.equal(await kept(), 1, 'that of the database is earlier')
  databaseClock = { now: () => own }
  clock.set(earlier.now())
  await keep()
  assert.equal(await kept(), 1, 'that of the process is earlier')
  clock.set(own)
  await keep()
  assert.equal(await kept(), 0)
})

const endOfFirstCalls = async (): Promise<Date> => {
  const [first] = await listPartitions(database.db, CALLS_BY_DAY)
  return assertDefined(first?.to, 'an end of the first partition')
}

it('the time of the database is that of its own clock', async () => {
  const before = Date.now()
  const time = (await readDatabaseTime(database.db)).getTime()
  assert.ok(Math.abs(time - before) < 3_600_000, 'both are of one machine here')
})

it('the attempts of a delivery are looked for in the partitions since its event alone', async () => {
  const { keep } = jobs()
  await keep()
  clock.advance(5 * DAY_MS)
  const { deliveryId: id, tenantId } = await attempt()
  await database.db.transaction(async (tx) => {
    const before = await tx.query<Reads>(READS)
    assert.equal((await findDeliveryRecord(tx, { id, tenantId }))?.lastStatus, 204)
    const after = await tx.query<Reads>(READS)
    const read = after.filter(
      ({ name, count }) => count > (before.find((one) => one.name === name)?.count ?? 0),
    )
    assert.deepEqual(
      read.map(({ name }) => name),
      [
        ...['attempt_20260305', 'attempt_20260306', 'attempt_20260307', 'attempt_20260308'],
        'attempt_20260309',
      ],
    )
  })
})

interface Reads {
  readonly name: string
  readonly count: number
}
/** How often this transaction has read each partition, by an index or without one. */
const READS = sql(
  'test_partitions_read',
  `select relname name, (coalesce(seq_scan, 0) + coalesce(idx_scan, 0))::int count
   from pg_stat_xact_all_tables where relname ~ '^attempt_' order by 1`,
)
