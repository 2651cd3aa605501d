import { type Queryable, sql, type Tx } from '#infra/database/db'
import { assertDefined } from '#kernel/assert'
import type { Rate } from './rate.ts'

const LATEST = sql(
  'fx.latest',
  'select as_of, usd_per_eur_micros from fx.rate order by as_of desc limit 1',
)

export async function findLatestRate(db: Queryable): Promise<Rate | null> {
  const [row] = await db.query<{ as_of: string; usd_per_eur_micros: bigint }>(LATEST)
  return row ? { asOf: row.as_of, usdPerEurMicros: row.usd_per_eur_micros } : null
}

const SAVE = sql(
  'fx.save',
  `insert into fx.rate (as_of, usd_per_eur_micros, fetched_at) values ($1, $2, $3)
   on conflict (as_of) do update set usd_per_eur_micros = excluded.usd_per_eur_micros, fetched_at = excluded.fetched_at`,
)

export async function saveRate(tx: Tx, rate: Rate, fetchedAt: Date): Promise<void> {
  await tx.query(SAVE, [rate.asOf, rate.usdPerEurMicros, fetchedAt])
}

const ADD_TO_POSITION = sql(
  'fx.add_to_position',
  `insert into fx.position as p (tenant_id, euros) values ($1, $2)
   on conflict (tenant_id) do update set euros = p.euros + excluded.euros returning p.euros`,
)

/** What the conversions of a tenant have brought in euro cents, this one included. */
export async function addToPosition(tx: Tx, tenantId: string, euros: bigint): Promise<bigint> {
  const [row] = await tx.query<{ euros: bigint }>(ADD_TO_POSITION, [tenantId, euros])
  return assertDefined(row, 'the position of a tenant').euros
}
