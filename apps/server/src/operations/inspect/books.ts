// What the audits of the books found last, kept so that administrators see it.
import { type Queryable, sql } from '#infra/database/db'
import type { Violation } from '#infra/database/id-slices'

export type AuditScope = 'recent' | 'day' | 'everything'

export interface BooksAuditRun {
  readonly scope: AuditScope
  readonly finishedAt: Date
  readonly seconds: number
  readonly violationCount: number
  /** The first hundred. */
  readonly violations: readonly Violation[]
}

const MAX_KEPT = 100

const WRITE = sql(
  'operations.write_books_audit',
  `insert into operations.books_audit (scope, finished_at, seconds, violation_count, violations)
   values ($1, $2, $3, $4, $5)
   on conflict (scope) do update set finished_at = excluded.finished_at, seconds = excluded.seconds,
     violation_count = excluded.violation_count, violations = excluded.violations`,
)
export async function writeBooksAudit(
  db: Queryable,
  run: Omit<BooksAuditRun, 'violationCount'>,
): Promise<void> {
  const { scope, finishedAt, seconds, violations } = run
  const kept = JSON.stringify(violations.slice(0, MAX_KEPT))
  await db.query(WRITE, [scope, finishedAt, seconds, violations.length, kept])
}

const LIST = sql(
  'operations.list_books_audits',
  `select scope, finished_at "finishedAt", seconds, violation_count "violationCount", violations
   from operations.books_audit order by finished_at desc`,
)
/** The last run of each scope, the newest first. */
export const listBooksAudits = (db: Queryable): Promise<BooksAuditRun[]> =>
  db.query<BooksAuditRun>(LIST)
