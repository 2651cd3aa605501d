import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { createCatalog } from '#catalog'
import { haltChain } from '#chains'
import { sql } from '#infra/database/db'
import { type ManualClock, manualClock } from '#infra/testing/clock'
import { type TestDatabase, testDatabase } from '#infra/testing/database'
import { pauseTrading } from '#trades'
import { queueOf, STALE_MS } from './market-health.ts'
import { judgeParty, readServiceStatus, type ServiceParts } from './service-status.ts'
import { writeBeat } from './store.ts'

const PARTS: ServiceParts = {
  ...{ chains: ['ethereum', 'base'], hasGateway: true, hasOnramp: false },
  ...{ hasAddresses: true, paysOut: true },
}

let database: TestDatabase
let clock: ManualClock

before(async () => {
  database = await testDatabase()
})
after(() => database.close())
beforeEach(async () => {
  clock = manualClock(new Date('2026-11-21T12:00:00.000Z'))
  for (const text of [
    'delete from operations.market_worker',
    'delete from infra.heartbeat',
    `update outbound.wallet set state = 'open', halted_reason = null`,
    'update chains.chain set halted_reason = null, halted_by = null, halted_at = null',
    'update trades.switch set paused = false',
  ]) {
    await run(text)
  }
  await run(
    'update catalog.market set enabled = true, online = true, cover_mills = null, checked_at = $1',
    [clock.now()],
  )
  for (const workerId of ['w-1', 'w-2']) await beats(workerId)
})

let statements = 0
const run = (text: string, values: unknown[] = []) =>
  database.db.query(sql(`test.status_${++statements}`, text), values)

const BEAT = sql(
  'test.beat_job_of_status',
  `insert into infra.heartbeat (job, process_id, started_at, beat_at, succeeded_at, error)
   values ($1, $2, $3, $3, $4, $5)
   on conflict (job, process_id) do update set beat_at = excluded.beat_at,
     succeeded_at = excluded.succeeded_at, error = excluded.error`,
)
const job = (name: string, { error = null as string | null, processId = 'w-1', ago = 0 } = {}) => {
  const at = clock.now()
  return database.db.query(BEAT, [name, processId, at, new Date(at.getTime() - ago), error])
}
/** A worker takes orders of market A. */
async function beats(workerId: string, breaker: 'open' | 'closed' = 'closed'): Promise<void> {
  const beatAt = clock.now()
  await writeBeat(database.db, {
    ...{ market: 'market_a', workerId, beatAt, balanceMills: 1_000_000n, breaker },
  })
  await job(queueOf('market_a'), { processId: workerId })
}

async function statusOf(component: string, name = '', parts = PARTS) {
  const { db } = database
  const { listMarkets } = createCatalog({ db, clock })
  const { readings } = await readServiceStatus({ db, clock, parts, listMarkets })
  return readings.find((one) => one.component === component && one.name === name)?.status
}

describe('a market', () => {
  const market = () => statusOf('market', 'market_a')
  it('is operational while it answers, sells to us and a worker takes its orders', async () => {
    assert.equal(await market(), 'operational')
  })
  it('is disabled when an operator has switched it off, whatever else', async () => {
    await run('update catalog.market set enabled = false, online = false')
    assert.equal(await market(), 'disabled')
  })
  it('is down when it does not answer', async () => {
    await run('update catalog.market set online = false')
    assert.equal(await market(), 'down')
  })
  it('is down when all our accounts there are closed', async () => {
    await run('update catalog.market set cover_mills = 0')
    assert.equal(await market(), 'down')
  })
  it('is down when no worker takes its orders', async () => {
    clock.advance(STALE_MS + 1)
    await run('update catalog.market set checked_at = $1', [clock.now()])
    assert.equal(await market(), 'down')
  })
  it('stays operational when one of several workers was killed', async () => {
    clock.advance(STALE_MS + 1)
    await run('update catalog.market set checked_at = $1', [clock.now()])
    await beats('w-2')
    assert.equal(await market(), 'operational')
  })
  it('is degraded while a worker leaves it alone after faults', async () => {
    await beats('w-1', 'open')
    assert.equal(await market(), 'degraded')
  })
  it('is degraded while no worker has asked it for a minute', async () => {
    clock.advance(STALE_MS + 1)
    await beats('w-1')
    assert.equal(await market(), 'degraded')
  })
  it('that was never asked is not there yet', async () => {
    await run('update catalog.market set checked_at = null, online = false')
    assert.equal(await market(), undefined)
  })
})

describe('trading', () => {
  it('is paused with the reason of the pause, from its moment on', async () => {
    await pauseTrading(database.db, clock, 'Maintenance of the database')
    const since = clock.now()
    clock.advance(10_000)
    const { db } = database
    const { listMarkets } = createCatalog({ db, clock })
    const { readings } = await readServiceStatus({ db, clock, parts: PARTS, listMarkets })
    assert.deepEqual(readings[0], {
      ...{ component: 'trading', name: '', status: 'paused' },
      ...{ reason: 'Maintenance of the database', since },
    })
  })
})

describe('a chain', () => {
  const both = async (parts = PARTS) => [
    await statusOf('deposit', 'base', parts),
    await statusOf('payout', 'base', parts),
  ]
  beforeEach(async () => {
    await job('scan-base')
    await job('send-outbound-base')
    await run(
      `insert into outbound.wallet (chain, key_ref, address, next_nonce, changed_at)
       values ('base', 'hot', '0x00000000000000000000000000000000000000a1', 0, $1) on conflict do nothing`,
      [clock.now()],
    )
  })
  const halt = (by: string) =>
    haltChain(database.db, 'base', { reason: 'a test', by, at: clock.now() })

  it('is operational while it is scanned and paid on', async () => {
    assert.deepEqual(await both(), ['operational', 'operational'])
  })
  it('without a node, or switched off by an operator, is disabled for deposits and payouts', async () => {
    assert.deepEqual(await both({ ...PARTS, chains: [] }), ['disabled', 'disabled'])
    await halt('an administrator')
    assert.deepEqual(await both(), ['disabled', 'disabled'])
  })
  it('that the scanner has halted is down', async () => {
    await halt('scanner')
    assert.deepEqual(await both(), ['down', 'down'])
  })
  it('without a key of addresses takes no deposit, without a signer pays nothing', async () => {
    assert.deepEqual(await both({ ...PARTS, hasAddresses: false }), ['disabled', 'operational'])
    assert.deepEqual(await both({ ...PARTS, paysOut: false }), ['operational', 'disabled'])
  })
  it('is paid on before the first transaction of its hot wallet, which makes the wallet known', async () => {
    await job('send-outbound-ethereum')
    assert.equal(await statusOf('payout', 'ethereum'), 'operational')
  })
  it('whose hot wallet is halted pays nothing', async () => {
    await run(`update outbound.wallet set state = 'halted', halted_reason = 'a test'`)
    assert.deepEqual(await both(), ['operational', 'down'])
  })
  it('is degraded when its job has failed, down when it has for a minute', async () => {
    await job('scan-base', { error: 'no node answers' })
    assert.deepEqual(await both(), ['degraded', 'operational'])
    await job('scan-base', { error: 'no node answers', ago: STALE_MS + 1 })
    assert.deepEqual(await both(), ['down', 'operational'])
  })
  it('is judged by the process that has done the job last', async () => {
    await job('scan-base', { processId: 'w-2', error: 'the lease was lost', ago: 5000 })
    assert.deepEqual(await both(), ['operational', 'operational'])
  })
})

describe('a party outside', () => {
  const at = new Date('2026-11-21T12:00:00.000Z')
  const ago = (ms: number): Date => new Date(at.getTime() - ms)
  const caller = (change: Partial<Parameters<typeof judgeParty>[0][number]> = {}) => ({
    ...{ party: 'gateway' as const, workerId: 'w-1', notedAt: at },
    ...{ answeredAt: at, failedAt: null, failures: 0, callsOfMinute: 10, failuresOfMinute: 0 },
    ...change,
  })
  const failing = { failedAt: ago(1000), failures: 3, failuresOfMinute: 3 }

  it('that is switched off is disabled, and one that was not called is not judged', async () => {
    assert.equal(await statusOf('deposit', 'onramp'), 'disabled')
    assert.equal(await statusOf('deposit', 'gateway'), null)
    assert.equal(judgeParty([], at), null)
    assert.equal(judgeParty([caller({ notedAt: ago(STALE_MS + 1), ...failing })], at), null)
  })
  it('is down after three failures in a row when no process has an answer of it', () => {
    const silent = { answeredAt: null, ...failing }
    assert.equal(judgeParty([caller(silent)], at), 'down')
    const one = caller({ answeredAt: null, failedAt: at, failures: 1, failuresOfMinute: 1 })
    assert.equal(judgeParty([one, one, one], at), 'down')
    assert.equal(judgeParty([one, one], at), 'operational')
    const other = caller({ workerId: 'w-2', callsOfMinute: 0 })
    assert.equal(judgeParty([caller({ ...silent, callsOfMinute: 3 }), other], at), 'degraded')
  })
  it('is degraded when a fifth of the calls of a minute failed', () => {
    const some = (failuresOfMinute: number, callsOfMinute: number) =>
      judgeParty([caller({ failuresOfMinute, callsOfMinute })], at)
    assert.deepEqual(
      [some(2, 10), some(3, 15), some(3, 16), some(20, 100)],
      ['operational', 'degraded', 'operational', 'degraded'],
    )
  })
  it('that was not called for five minutes is no longer known to fail', () => {
    const old = { ...failing, failedAt: ago(300_001), failuresOfMinute: 0, callsOfMinute: 0 }
    assert.equal(judgeParty([caller({ answeredAt: null, ...old })], at), 'operational')
  })
})
