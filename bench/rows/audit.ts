// The audit of the books over half a million trades: what the worker does every minute, every hour and
// every night, beside the same promises in one statement over everything.

import { auditParts } from '../../apps/server/src/edges/jobs/audit-books.ts'
import { type Db, openDb, sql } from '../../apps/server/src/infra/database/db.ts'
import { systemClock } from '../../apps/server/src/infra/process/clock.ts'
import { createAudit } from '../../apps/server/src/modules/money/ledger/index.ts'
import { findAccountsWithOpenTrades } from '../../apps/server/src/modules/trading/trades/index.ts'
import { seedTrades } from '../installation/trades.ts'
import { buyersDatabase } from './buyers-database.ts'
import type { Line, RunRow } from './row.ts'

const TRADES = 500_000
/** The audit of everything must end within a night: six hours for a hundred million trades. */
const MAX_EVERYTHING_SECONDS = (6 * 3600 * TRADES) / 100_000_000
const MAX_SLICE_SECONDS = 5

export const runAudit: RunRow = async (bench) => {
  const { installation, isQuick, say } = bench
  const count = isQuick ? 30_000 : TRADES
  const name = `bench_audit_${count}`
  const url = await installation.clone(await buyersDatabase(bench), name)
  say(`writing ${count.toLocaleString('en')} trades`)
  await seedTrades(url, { count, say })
  const db = openDb({ url, poolSize: 2, statementTimeoutMs: 900_000, applicationName: name })
  try {
    return [await measure(db, count)]
  } finally {
    await db.close()
    await installation.drop(name)
  }
}

async function measure(db: Db, count: number): Promise<Line> {
  let longestSlice = 0
  const parts = auditParts([findAccountsWithOpenTrades]).map((part) => ({
    ...part,
    audit: async (...[tx, after]: Parameters<typeof part.audit>) => {
      const startedAt = performance.now()
      const result = await part.audit(tx, after)
      longestSlice = Math.max(longestSlice, (performance.now() - startedAt) / 1000)
      return result
    },
  }))
  const audit = createAudit({ db, clock: systemClock }, { parts })
  const recent = await secondsOf(audit.recent)
  const day = await secondsOf(audit.day)
  const everything = await secondsOf(() => audit.everything())
  const atOnce = await secondsOf(() => db.query(AT_ONCE))
  return {
    path: `audit of the books over ${count.toLocaleString('en')} trades`,
    ours: `recent ${text(recent)}, day ${text(day)}, everything ${text(everything)}`,
    peer: `every promise in one statement ${text(atOnce)}`,
    ratio: '',
    aim: `everything ≤ ${MAX_EVERYTHING_SECONDS} s (six hours at 100 million), no slice of trades over ${MAX_SLICE_SECONDS} s`,
    reached: everything <= MAX_EVERYTHING_SECONDS && longestSlice <= MAX_SLICE_SECONDS,
    scatter: null,
    note: `the longest slice of trades took ${text(longestSlice)}`,
    rounds: null,
  }
}

const AT_ONCE = sql(
  'bench.audit_at_once',
  `select invariant, detail from ledger.audit() union all select invariant, detail from trades.audit()
   union all select invariant, detail from buying.audit() union all select invariant, detail from selling.audit()`,
)

async function secondsOf(work: () => Promise<readonly object[]>): Promise<number> {
  const startedAt = performance.now()
  const violations = await work()
  if (violations.length > 0)
    throw new Error(`the books are broken: ${JSON.stringify(violations[0])}`)
  return (performance.now() - startedAt) / 1000
}

const text = (seconds: number): string => `${seconds.toFixed(seconds < 10 ? 2 : 1)} s`
