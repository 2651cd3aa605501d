// SQL of the baselines of our accounts.

import { type AccountRef, MAIN } from '#buying'
import { type Queryable, sql } from '#infra/database/db'
import type { Baseline, Bounds } from '../baseline.ts'

interface BaselineRow {
  since: Date
  baseline_mills: bigint
  baseline_span_mills: bigint
  candidate_mills: bigint | null
  candidate_span_mills: bigint
  candidate_since: Date | null
}

const FIND = sql(
  'reconciliation.find_baseline',
  `select since, baseline_mills, baseline_span_mills, candidate_mills, candidate_span_mills, candidate_since
   from reconciliation.baseline where market = $1 and scope = $2`,
)
/** A market's other accounts have windows of their own. */
const scopeOf = ({ account }: AccountRef, scope: string): string =>
  account === MAIN ? scope : `${account} ${scope}`

/** Each scope, a window of statements, keeps a baseline of its own. */
export async function findBaseline(
  db: Queryable,
  of: AccountRef,
  scope: string,
): Promise<Baseline | null> {
  const [row] = await db.query<BaselineRow>(FIND, [of.market, scopeOf(of, scope)])
  if (!row) return null
  const { candidate_mills: low, candidate_span_mills: span, candidate_since: since } = row
  return {
    since: row.since,
    mills: boundsOf(row.baseline_mills, row.baseline_span_mills),
    candidate: low === null || since === null ? null : { mills: boundsOf(low, span), since },
  }
}

const boundsOf = (low: bigint, span: bigint): Bounds => ({ low, high: low + span })

const SAVE = sql(
  'reconciliation.save_baseline',
  `insert into reconciliation.baseline
     (market, scope, since, baseline_mills, baseline_span_mills, candidate_mills, candidate_span_mills,
      candidate_since, balance_mills, read_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
   on conflict (market, scope) do update set since = excluded.since, baseline_mills = excluded.baseline_mills,
     baseline_span_mills = excluded.baseline_span_mills, candidate_mills = excluded.candidate_mills,
     candidate_span_mills = excluded.candidate_span_mills, candidate_since = excluded.candidate_since,
     balance_mills = excluded.balance_mills, read_at = excluded.read_at`,
)
export async function saveBaseline(
  db: Queryable,
  of: AccountRef,
  scope: string,
  { baseline, balanceMills, at }: { baseline: Baseline; balanceMills: bigint; at: Date },
): Promise<void> {
  const { since, mills, candidate } = baseline
  await db.query(SAVE, [
    of.market,
    scopeOf(of, scope),
    since,
    mills.low,
    mills.high - mills.low,
    candidate?.mills.low ?? null,
    candidate === null ? 0n : candidate.mills.high - candidate.mills.low,
    candidate?.since ?? null,
    balanceMills,
    at,
  ])
}
