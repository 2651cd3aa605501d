// SQL of the levels of our accounts.

import type { MarketId } from '#buying'
import { type Queryable, sql } from '#infra/db'
import type { Level } from '../level.ts'

interface LevelRow {
  since: Date
  level_mills: bigint
  candidate_mills: bigint | null
  candidate_since: Date | null
}

const FIND = sql(
  'reconciliation.find_level',
  `select since, level_mills, candidate_mills, candidate_since
   from reconciliation.level where market = $1 and scope = $2`,
)
/** Each scope, a window of statements, keeps a level of its own. */
export async function findLevel(
  db: Queryable,
  market: MarketId,
  scope: string,
): Promise<Level | null> {
  const [row] = await db.query<LevelRow>(FIND, [market, scope])
  if (!row) return null
  const { candidate_mills: mills, candidate_since: since } = row
  return {
    since: row.since,
    mills: row.level_mills,
    candidate: mills === null || since === null ? null : { mills, since },
  }
}

const SAVE = sql(
  'reconciliation.save_level',
  `insert into reconciliation.level
     (market, scope, since, level_mills, candidate_mills, candidate_since, balance_mills, read_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8)
   on conflict (market, scope) do update set since = excluded.since, level_mills = excluded.level_mills,
     candidate_mills = excluded.candidate_mills, candidate_since = excluded.candidate_since,
     balance_mills = excluded.balance_mills, read_at = excluded.read_at`,
)
export async function saveLevel(
  db: Queryable,
  market: MarketId,
  scope: string,
  { level, balanceMills, at }: { level: Level; balanceMills: bigint; at: Date },
): Promise<void> {
  const { since, mills, candidate } = level
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
