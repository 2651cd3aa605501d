import { type Db, type Queryable, sql } from '#infra/db'
import { auditEverything, auditSince, lastPostingId, type Violation } from './store.ts'

export type { Violation }

export interface Audit {
  /** Every promise of the books over all of them: its cost grows with the books. */
  everything(): Promise<Violation[]>
  /**
   * The promises that the postings since the last call but one can have broken: its cost grows with the
   * traffic. Two calls back, because ids are handed out before they commit: with a minute between calls
   * every transaction of then has ended by now.
   */
  news(): Promise<Violation[]>
}

export interface AuditOptions {
  /** What other modules have to compare with the books; runs with everything. */
  readonly others?: readonly ((db: Queryable) => Promise<Violation[]>)[]
}

export function createAudit(db: Db, { others = [] }: AuditOptions = {}): Audit {
  let previous: bigint | undefined
  let beforePrevious: bigint | undefined
  return {
    everything: () =>
      db.transaction(async (tx) => {
        // The limit that protects requests would forbid reading large books at all.
        await tx.query(ALLOW_LONG_STATEMENTS)
        const violations = await auditEverything(tx)
        for (const other of others) violations.push(...(await other(tx)))
        return violations
      }),
    news: async () => {
      const last = await lastPostingId(db)
      const violations = await auditSince(db, beforePrevious ?? last - FIRST_LOOK)
      beforePrevious = previous ?? last - FIRST_LOOK
      previous = last
      return violations
    },
  }
}

const FIRST_LOOK = 10_000n
const ALLOW_LONG_STATEMENTS = sql(
  'ledger.allow_long_statements',
  "set local statement_timeout = '15min'",
)
