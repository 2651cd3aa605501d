import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { createMetrics } from '#infra/metrics'
import type { Audit, Violation } from '#ledger'
import { manualClock } from '../infra/testing/clock.ts'
import { type TestDatabase, testDatabase } from '../infra/testing/database.ts'
import { createAuditBooks } from './audit-books.ts'

let test: TestDatabase
before(async () => {
  test = await testDatabase()
})
after(() => test.close())

const run = { signal: AbortSignal.timeout(60_000), reportLag() {}, processId: 'test' }

function setUp(audit?: Audit) {
  const clock = manualClock()
  const metrics = createMetrics()
  const shouted: object[] = []
  const log = { debug() {}, info() {}, warn() {}, error: (facts: object) => shouted.push(facts) }
  const deps = { db: test.db, clock, log, metrics }
  const job = createAuditBooks(audit ? { ...deps, audit } : deps)
  return { clock, metrics, shouted, job }
}

it('finds nothing in sound books, of the ledger and of trading', async () => {
  const { job, metrics, shouted } = setUp()
  assert.equal(await job.work(run), false)
  assert.deepEqual(shouted, [])
  const text = await metrics.text()
  assert.match(text, /tradepost_books_audit_violations\{scope="news"\} 0/)
  assert.match(text, /tradepost_books_audit_violations\{scope="everything"\} 0/)
})

it('shouts each violation and counts them, news every time and everything once an hour', async () => {
  const violation: Violation = { invariant: 'balance is the sum of its postings', detail: 'x' }
  const calls: string[] = []
  const { clock, metrics, shouted, job } = setUp({
    news: async () => {
      calls.push('news')
      return [violation, violation]
    },
    everything: async () => {
      calls.push('everything')
      return [violation]
    },
  })
  await job.work(run)
  assert.equal(shouted.length, 3)
  assert.deepEqual(shouted[0], { alarm: 'books_broken', scope: 'news', ...violation })
  const text = await metrics.text()
  assert.match(text, /tradepost_books_audit_violations\{scope="news"\} 2/)
  assert.match(text, /tradepost_books_audit_violations\{scope="everything"\} 1/)
  clock.advance(3_599_999)
  await job.work(run)
  clock.advance(1)
  await job.work(run)
  assert.deepEqual(calls, ['news', 'everything', 'news', 'news', 'everything'])
})
