// SQL of the baselines of our accounts.

import type { MarketId } from '#buying'
import { type Queryable, sql } from '#infra/database/db'
import type { Baseline } from '../baseline.ts'

interface BaselineRow {
  since: Date
  baseline_mills: bigint
  candidate_mills: bigint | null
  candidate_since: Date | null
}

const FIND = sql(
  'reconciliation.find_baseline',
  `select since, baseline_mills, candidate_mills, candidate_since
   from reconciliation.baseline where market = $1 and scope = $2`,
)
/** Each scope, a window of statements, keeps a baseline of its own. */
export async function findBaseline(
  db: Queryable,
  market: MarketId,
  scope: string,
): Promise<Baseline | null> {
  const [row] = await db.query<BaselineRow>(FIND, [market, scope])
  if (!row) return null
  const { candidate_mills: mills, candidate_since: since } = row
  return {
    since: row.since,
    mills: row.baseline_mills,
    candidate: mills === null || since === null ? null : { mills, since },
  }
}

const SAVE = sql(
  'reconciliation.save_baseline',
  `insert into reconciliation.baseline
     (market, scope, since, baseline_mills, candidate_mills, candidate_since, balance_mills, read_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8)
   on conflict (market, scope) do update set since = excluded.since, baseline_mills = excluded.baseline_mills,
     candidate_mills = excluded.candidate_mills, candidate_since = excluded.candidate_since,
     balance_mills = excluded.balance_mills, read_at = excluded.read_at`,
)
export async function saveBaseline(
  db: Queryable,
  market: MarketId,
  scope: string,
  { baseline, balanceMills, at }: { baseline: Baseline; balanceMills: bigint; at: Date },
): Promise<void> {
  const { since, mills, candidate } = baseline
  await db.query(SAVE, [
    market,
    scope,
    since,
    mills,
    candidate?.mills ?? null,
    candidate?.since ?? null,
    balanceMills,
    at,
  ])
}
