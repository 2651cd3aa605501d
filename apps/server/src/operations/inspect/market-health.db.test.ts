import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { createCatalog } from '#catalog'
import { sql } from '#infra/database/db'
import { type ManualClock, manualClock } from '#infra/testing/clock'
import { type TestDatabase, testDatabase } from '#infra/testing/database'
import { assertDefined } from '#kernel/assert'
import { mills } from '#kernel/money'
import { queueOf, readMarketHealth, STALE_MS } from './market-health.ts'
import { forgetWorker, type WorkerBeat, writeBeat } from './store.ts'

let database: TestDatabase
let clock: ManualClock

before(async () => {
  database = await testDatabase()
})
after(() => database.close())
beforeEach(async () => {
  clock = manualClock(new Date('2026-11-21T12:00:00.000Z'))
  await database.db.query(sql('test.no_workers', 'delete from operations.market_worker'))
  await database.db.query(sql('test.no_beats', 'delete from infra.heartbeat'))
  await database.db.query(sql('test.online', 'update catalog.market set online = true'))
})

const BEAT_JOB = sql(
  'test.beat_job',
  `insert into infra.heartbeat (job, process_id, started_at, beat_at) values ($1, $2, $3, $3)`,
)
/** A process that takes orders of market A. */
const consumes = (workerId: string) =>
  database.db.query(BEAT_JOB, [queueOf('market_a'), workerId, clock.now()])

const beats = (workerId: string, breaker: WorkerBeat['breaker'] = 'closed') =>
  writeBeat(database.db, {
    market: 'market_a',
    workerId,
    beatAt: clock.now(),
    balanceMills: mills(1_234_500n),
    breaker,
  })

async function health() {
  const { db } = database
  const { listMarkets } = createCatalog({ db, clock })
  const whole = await readMarketHealth({ db, clock, listMarkets })
  return { whole, a: assertDefined(whole.markets.market_a, 'market A') }
}
const statuses = async () =>
  (await health()).a.workers.map(({ workerId, status }) => `${workerId} ${status}`)

describe('the health of a market', () => {
  it('is well while a worker beats and takes orders, and says what it knows of our money', async () => {
    await consumes('w-1')
    await beats('w-1')
    clock.advance(9000)
    const { a, whole } = await health()
    assert.deepEqual([a.status, a.commonConsumers, a.staleMs], ['ok', 1, STALE_MS])
    assert.deepEqual(a.workers[0]?.heartbeat, {
      at: new Date('2026-11-21T12:00:00.000Z'),
      ageMs: 9000,
      balanceMills: 1_234_500n,
    })
    assert.deepEqual(whole.service, { market_a: true, market_b: true })
    assert.equal(whole.status, 'degraded', 'no worker serves the other one')
  })

  it('takes what one of its sets of jobs does for what the process does', async () => {
    await consumes('w-1 account market_a main')
    await beats('w-1')
    assert.deepEqual(await statuses(), ['w-1 ok'])
  })

  it('distinguishes the four states of a worker', async () => {
    await consumes('w-stale')
    await beats('w-stale')
    clock.advance(STALE_MS + 1)
    await consumes('w-ok')
    await beats('w-ok')
    await consumes('w-mute')
    await beats('w-idle')
    assert.deepEqual(await statuses(), [
      'w-idle no-consumer',
      'w-mute no-heartbeat',
      'w-ok ok',
      'w-stale stale-heartbeat',
    ])
    assert.equal((await health()).a.status, 'degraded')
  })

  it('counts no consumer whose breaker is open', async () => {
    await consumes('w-1')
    await beats('w-1', 'open')
    assert.deepEqual(await statuses(), ['w-1 no-consumer'])
    assert.equal((await health()).a.status, 'down')
    await beats('w-1', 'half-open')
    assert.deepEqual(await statuses(), ['w-1 ok'])
  })

  it('is down without workers, and when the market does not answer', async () => {
    assert.equal((await health()).a.status, 'down')
    assert.equal((await health()).whole.status, 'down')
    await consumes('w-1')
    await beats('w-1')
    await database.db.query(sql('test.offline', 'update catalog.market set online = false'))
    const { a, whole } = await health()
    assert.deepEqual([a.status, whole.service.market_a], ['down', false])
  })

  it('is degraded while our balance there is empty', async () => {
    await consumes('w-1')
    await beats('w-1')
    const { db } = database
    const setBalance = async (balanceMills: bigint) => {
      const catalog = createCatalog({ db, clock })
      const report = { online: true, balanceMills: mills(balanceMills), detail: '' }
      await catalog.markMarket('market_a', report)
      return (await health()).a.status
    }
    assert.equal(await setBalance(0n), 'degraded')
    assert.equal(await setBalance(1n), 'ok')
  })

  it('is down while our account there is closed', async () => {
    await consumes('w-1')
    await beats('w-1')
    const cover = (amount: number | null) =>
      database.db.query(sql('test.cover', 'update catalog.market set cover_mills = $1'), [amount])
    await cover(0)
    const { a, whole } = await health()
    assert.deepEqual([a.status, whole.service.market_a], ['down', false])
    await cover(1)
    assert.equal((await health()).a.status, 'ok')
    await cover(null)
  })

  it('forgets workers that stopped in good order at once, and killed ones after an hour', async () => {
    await beats('w-1')
    await beats('w-2')
    await forgetWorker(database.db, { market: 'market_a', workerId: 'w-1', at: clock.now() })
    assert.deepEqual(await statuses(), ['w-2 no-consumer'])
    clock.advance(3_600_001)
    await beats('w-3')
    assert.deepEqual(await statuses(), ['w-3 no-consumer'])
  })
})
