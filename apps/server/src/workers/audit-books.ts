// Audits the books for as long as the service runs: what is new every minute, everything every hour, the
// trades' agreement with the books included.

import { auditBuys } from '#buying'
import type { Clock } from '#infra/clock'
import type { Db } from '#infra/db'
import type { Job } from '#infra/jobs'
import type { Log } from '#infra/log'
import type { Metrics } from '#infra/metrics'
import { type Audit, createAudit, type Violation } from '#ledger'
import { auditSells } from '#selling'
import { auditTrades } from '#trades'

export interface AuditBooksDeps {
  readonly db: Db
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
  readonly audit?: Audit
}

const EVERY_MS = 60_000
const EVERYTHING_EVERY_MS = 3_600_000
/** A broken ledger has few causes and many symptoms. */
const MAX_LOGGED = 100

export function createAuditBooks({
  db,
  clock,
  log,
  metrics,
  audit = createAudit(db, { others: [auditTrades, auditBuys, auditSells] }),
}: AuditBooksDeps): Job {
  const broken = metrics.gauge(
    'books_audit_violations',
    'Broken promises of the books that the last audit found',
    ['scope'],
  )
  const seconds = metrics.histogram('books_audit_seconds', 'Time of one audit', {
    labels: ['scope'],
  })
  const finished = metrics.gauge(
    'books_audit_last_seconds',
    'Unix time of the last finished audit',
    ['scope'],
  )
  let everythingDueMs = 0

  const run = async (
    scope: 'news' | 'everything',
    look: () => Promise<Violation[]>,
  ): Promise<void> => {
    const startedAt = performance.now()
    const violations = await look()
    seconds.labels(scope).observe((performance.now() - startedAt) / 1000)
    finished.labels(scope).set(clock.now().getTime() / 1000)
    broken.labels(scope).set(violations.length)
    for (const violation of violations.slice(0, MAX_LOGGED)) {
      log.error({ alarm: 'books_broken', scope, ...violation }, 'ledger audit failed')
    }
  }

  return {
    name: 'audit-books',
    everyMs: EVERY_MS,
    singleton: true,
    work: async () => {
      await run('news', audit.news)
      const nowMs = clock.now().getTime()
      if (nowMs < everythingDueMs) return false
      // Set before: an audit that fails for want of time must not be tried every minute.
      everythingDueMs = nowMs + EVERYTHING_EVERY_MS
      await run('everything', audit.everything)
      return false
    },
  }
}
