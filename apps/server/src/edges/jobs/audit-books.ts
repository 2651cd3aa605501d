// Audits the books for as long as the service runs: what is new every minute, what began in the last day
// every hour, and everything once a night, in slices and in the agreement of all modules with the books.

import { auditBuys } from '#buying'
import {
  auditBatches,
  auditChains,
  auditDust,
  auditSweeps,
  auditTransfers,
  endOfBatchSlice,
  endOfDustSlice,
  endOfSweepSlice,
  endOfTransferSlice,
} from '#chains'
import { auditCustodySlice, type CustodyTable, endOfCustodySlice } from '#custody'
import { auditDeposits, endOfDepositSlice } from '#deposits'
import { deletedAccountsPart, type FindOpenBusiness } from '#identity'
import type { Db, Queryable } from '#infra/database/db'
import type { Violation } from '#infra/database/id-slices'
import type { Job } from '#infra/jobs/jobs'
import type { Clock } from '#infra/process/clock'
import type { Log } from '#infra/process/log'
import type { Metrics } from '#infra/process/metrics'
import { type Audit, type AuditPart, createAudit, partOfIds } from '#ledger'
import { type AuditScope, writeBooksAudit } from '#operations'
import { auditOutbound, endOfTransactionSlice } from '#outbound'
import {
  auditCustodyDeposits,
  auditPayouts,
  auditWithdrawals,
  endOfWithdrawalSlice,
} from '#payouts'
import { auditSells } from '#selling'
import { auditFills, auditTrades, endOfSlice } from '#trades'
import { auditCredits } from './audit-credits.ts'

export interface AuditBooksDeps {
  readonly db: Db
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
  readonly openBusiness: readonly FindOpenBusiness[]
  readonly audit?: Audit
}

const EVERY_MS = 60_000
const DAY_EVERY_MS = 3_600_000
/** The audit of everything reads all of the books: at an hour of little traffic. */
const NIGHT_HOURS_UTC = [1, 2, 3, 4]
const NIGHTLY_MS = 20 * 3_600_000
/** However busy the nights were, everything is audited after so long. */
const AT_LATEST_MS = 48 * 3_600_000
const RETRY_EVERYTHING_MS = 3_600_000
/** A broken ledger has few causes and many symptoms. */
const MAX_LOGGED = 100
const TRADES_A_SLICE = 5000
const DEPOSITS_A_SLICE = 5000
const TRANSFERS_A_SLICE = 5000
/** Each has some transfers. */
const SWEEPS_A_SLICE = 2000
const BATCHES_A_SLICE = 1000
/** Of some addresses thousands of transfers wait. */
const SUMS_A_SLICE = 200
const WITHDRAWALS_A_SLICE = 5000
const TRANSACTIONS_A_SLICE = 5000
const CUSTODY_ROWS_A_SLICE = 20_000
/** Each is of some thousand postings. */
const CLOSINGS_A_SLICE = 20

const custodyPart = (table: CustodyTable, limit: number): AuditPart => ({
  name: `custody_${table}`,
  audit: async (db, position) => {
    const after = position ?? '0'
    const upTo = await endOfCustodySlice(db, table, { after, limit })
    if (upTo === null) return { violations: [], next: null }
    return { violations: await auditCustodySlice(db, table, { after, upTo }), next: upTo }
  },
})

/** What all modules promise about trades and the books, slice by slice of the trades. */
export const auditParts = (openBusiness: readonly FindOpenBusiness[]): AuditPart[] => [
  partOfIds({
    name: 'trades',
    endOfSlice: (db, after) => endOfSlice(db, after, TRADES_A_SLICE),
    audits: [auditTrades, auditFills, auditBuys, auditSells],
    isDaily: true,
  }),
  partOfIds({
    name: 'deposits',
    endOfSlice: (db, after) => endOfDepositSlice(db, after, DEPOSITS_A_SLICE),
    audits: [auditDeposits],
    isDaily: true,
  }),
  partOfIds({
    name: 'transfers',
    endOfSlice: (db, after) => endOfTransferSlice(db, after, TRANSFERS_A_SLICE),
    audits: [auditTransfers, auditCredits, auditCustodyDeposits],
    isDaily: true,
  }),
  partOfIds({
    name: 'sweeps',
    endOfSlice: (db, after) => endOfSweepSlice(db, after, SWEEPS_A_SLICE),
    audits: [auditSweeps],
    isDaily: true,
  }),
  partOfIds({
    name: 'batches',
    endOfSlice: (db, after) => endOfBatchSlice(db, after, BATCHES_A_SLICE),
    audits: [auditBatches],
    isDaily: true,
  }),
  // Not daily: what is new changes a sum that may be old.
  partOfIds({
    name: 'dust',
    endOfSlice: (db, after) => endOfDustSlice(db, after, SUMS_A_SLICE),
    audits: [auditDust],
  }),
  partOfIds({
    name: 'withdrawals',
    endOfSlice: (db, after) => endOfWithdrawalSlice(db, after, WITHDRAWALS_A_SLICE),
    audits: [auditWithdrawals],
    isDaily: true,
  }),
  partOfIds({
    name: 'transactions',
    endOfSlice: (db, after) => endOfTransactionSlice(db, after, TRANSACTIONS_A_SLICE),
    audits: [auditOutbound],
    isDaily: true,
  }),
  custodyPart('posting', CUSTODY_ROWS_A_SLICE),
  custodyPart('balance', CUSTODY_ROWS_A_SLICE),
  custodyPart('closing', CLOSINGS_A_SLICE),
  // The newest blocks of chains and what is open or was approved in the last days, each in one statement.
  ...[auditChains, auditPayouts].map((audit) => ({
    name: audit.name,
    audit: async (db: Queryable) => ({ violations: await audit(db), next: null }),
  })),
  deletedAccountsPart(openBusiness),
]

export function createAuditBooks({
  db,
  clock,
  log,
  metrics,
  openBusiness,
  audit = createAudit({ db, clock }, { parts: auditParts(openBusiness) }),
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
    'Unix time of the last finished audit, or of the start of the process before the first one',
    ['scope'],
  )
  // Without a first audit there would be no series, and no alert that none was finished.
  finished.labels('recent').set(clock.now().getTime() / 1000)
  let dayDueMs = 0
  let everythingNotBeforeMs = 0

  const run = async (scope: AuditScope, look: () => Promise<Violation[]>): Promise<void> => {
    const startedAt = performance.now()
    const violations = await look()
    const took = (performance.now() - startedAt) / 1000
    const finishedAt = clock.now()
    seconds.labels(scope).observe(took)
    finished.labels(scope).set(finishedAt.getTime() / 1000)
    await writeBooksAudit(db, { scope, finishedAt, seconds: took, violations })
    broken.labels(scope).set(violations.length)
    for (const violation of violations.slice(0, MAX_LOGGED)) {
      log.error({ alarm: 'books_broken', scope, ...violation }, 'ledger audit failed')
    }
  }

  return {
    name: 'audit-books',
    everyMs: EVERY_MS,
    singleton: true,
    figures: [broken],
    work: async ({ signal }) => {
      await run('recent', audit.recent)
      const now = clock.now()
      // Set before: an audit that fails for want of time must not be tried every minute.
      if (now.getTime() >= dayDueMs) {
        dayDueMs = now.getTime() + DAY_EVERY_MS
        await run('day', audit.day)
      }
      const finishedAt = await audit.everythingFinishedAt()
      if (now.getTime() >= everythingNotBeforeMs && isEverythingDue(now, finishedAt)) {
        everythingNotBeforeMs = now.getTime() + RETRY_EVERYTHING_MS
        await run('everything', () => audit.everything(signal))
      }
      return false
    },
  }
}

function isEverythingDue(now: Date, finishedAt: Date | null): boolean {
  if (finishedAt === null) return true
  const ageMs = now.getTime() - finishedAt.getTime()
  const isNight = NIGHT_HOURS_UTC.includes(now.getUTCHours())
  return ageMs >= AT_LATEST_MS || (isNight && ageMs >= NIGHTLY_MS)
}
