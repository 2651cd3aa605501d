import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { silentLog as log } from '#infra/process/log'
import { createMetrics } from '#infra/process/metrics'
import type { StatementAnswer } from '#reconciliation'
import { manualClock } from '../../infra/testing/clock.ts'
import { type TestDatabase, testDatabase } from '../../infra/testing/database.ts'
import { scriptedSupplier } from '../../modules/trading/buying/testing/supplier.ts'
import { createReconcileOrders } from './reconcile-orders.ts'

const HOUR_MS = 3_600_000
const RUN = { signal: new AbortController().signal, processId: 'test' }

let database: TestDatabase
before(async () => {
  database = await testDatabase()
})
after(() => database.close())

it('a statement that is cut counts as read, and not as whole', async () => {
  const clock = manualClock()
  const metrics = createMetrics()
  let answer: StatementAnswer = { kind: 'read', lines: [], isWhole: true }
  const job = createReconcileOrders({
    ...{ db: database.db, clock, log, metrics, everyMs: 60_000 },
    market: scriptedSupplier(),
    statements: {
      id: 'market_b',
      account: 'main',
      traits: { settleMs: 0, keptOnUserReversalBps: 0 },
      read: async () => answer,
    },
    reportStatement: async () => assert.fail('there is no case'),
    reportBalance: async () => assert.fail('there is no case'),
  })
  const secondsOf = async (what: 'read' | 'whole', scope: 'recent' | 'whole') => {
    const name = `tradepost_reconciliation_${what}_seconds{market="market_b",account="main",scope="${scope}"}`
    const line = (await metrics.text()).split('\n').find((one) => one.startsWith(name))
    return line && Number(line.slice(name.length))
  }
  const now = (): number => clock.now().getTime() / 1000
  const start = now()
  // Before the first statement, so that one that never comes is missed.
  assert.deepEqual(
    [await secondsOf('whole', 'recent'), await secondsOf('whole', 'whole')],
    [start, start],
  )
  clock.advance(HOUR_MS)
  await job.work(RUN)
  const good = now()
  assert.deepEqual(
    [await secondsOf('whole', 'recent'), await secondsOf('whole', 'whole')],
    [good, good],
  )
  answer = { kind: 'read', lines: [], isWhole: false }
  clock.advance(6 * HOUR_MS)
  await job.work(RUN)
  for (const scope of ['recent', 'whole'] as const) {
    assert.deepEqual(
      [await secondsOf('read', scope), await secondsOf('whole', scope)],
      [now(), good],
    )
  }
  answer = { kind: 'unavailable', detail: 'away' }
  clock.advance(HOUR_MS)
  await job.work(RUN)
  assert.deepEqual(
    [await secondsOf('read', 'recent'), await secondsOf('whole', 'recent')],
    [now() - HOUR_MS / 1000, good],
  )
})
