import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { silentLog } from '#infra/process/log'
import { createMetrics } from '#infra/process/metrics'
import { newId } from '#kernel/id'
import { manualClock } from '../../infra/testing/clock.ts'
import { type TestDatabase, testDatabase } from '../../infra/testing/database.ts'
import { givenDeposits } from '../../modules/crypto/deposits/testing/depositors.ts'
import { createReporter } from '../../modules/trading/reconciliation/report.ts'
import { createCompareStatements } from './compare-statements.ts'

let database: TestDatabase
before(async () => {
  database = await testDatabase()
})
after(() => database.close())

const RUN = { signal: new AbortController().signal, processId: 'test' }

test('a payment that names no deposit of ours is unclaimed, and one that names one differs', async () => {
  const { db } = database
  const clock = manualClock(new Date('2026-11-22T00:00:00.000Z'))
  const { gateway, onramp } = givenDeposits(db, clock)
  const opened: string[] = []
  const onCase = createReporter({
    ...{ db, clock, source: 'statement' },
    onOpened: (kind, { ref }) => opened.push(`${kind} ${ref}`),
  })
  const deps = { db, clock, log: silentLog, metrics: createMetrics(), gateway, onramp, onCase }
  const line = { kind: 'payment', currency: 'USDT', amountToken: '77', at: clock.now() } as const
  gateway.extraLines.push(
    { ...line, ref: 'unnamed', providerOrderId: '7', orderId: null },
    { ...line, ref: 'named', providerOrderId: '8', orderId: newId() },
  )
  for (let comparison = 0; comparison < 3; comparison += 1) {
    clock.advance(3_600_000)
    for (const job of createCompareStatements(deps)) await job.work(RUN)
  }
  assert.deepEqual(opened.sort(), ['deposit_statement_differs named', 'payment_unclaimed unnamed'])
})
