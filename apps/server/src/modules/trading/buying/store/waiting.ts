// SQL of the limit of items that wait to be placed.
import { type Queryable, sql } from '#infra/database/db'
import type { MarketId } from '../ports.ts'

const FULL_MARKETS = sql(
  'buying.full_markets',
  `select market from buying.full_markets($1, $2, $3, 1)
   union select market from buying.crowded_markets($1, $3, 1) order by market`,
)

/** Where one item more for each entry of `markets` is more than may wait, of the tenant or of all. */
export async function findFullMarkets(
  db: Queryable,
  { tenantId, accountId }: { readonly tenantId: string; readonly accountId: string },
  markets: readonly MarketId[],
): Promise<MarketId[]> {
  const rows = await db.query<{ market: MarketId }>(FULL_MARKETS, [tenantId, accountId, markets])
  return rows.map(({ market }) => market)
}

const READ_LIMIT = sql('buying.read_waiting_limit', 'select waiting_limit from buying.setting')

/** Null: any number. */
export async function readWaitingLimit(db: Queryable): Promise<number | null> {
  const [row] = await db.query<{ waiting_limit: number | null }>(READ_LIMIT)
  return row?.waiting_limit ?? null
}

const SET_LIMIT = sql(
  'buying.set_waiting_limit',
  'update buying.setting set waiting_limit = $1, changed_at = $2',
)

/** Items of one tenant that may wait at one market; null: any number. At least a quick-buy's. */
export async function setWaitingLimit(
  tx: Queryable,
  { limit, at }: { readonly limit: number | null; readonly at: Date },
): Promise<void> {
  await tx.query(SET_LIMIT, [limit, at])
}
