// SQL of the markets' switches and health.

import { type Queryable, sql, type Tx } from '#infra/database/db'
import { type Mills, mills } from '#kernel/money'
import type { MarketId } from '../ports.ts'

const MARKETS = sql(
  'catalog_markets',
  `select id, enabled, online, detail, balance_mills, checked_at, snapshot_at, changed_seq
   from catalog.market order by id limit 100`,
)

export interface MarketState {
  readonly id: MarketId
  readonly enabled: boolean
  readonly online: boolean
  readonly detail: string
  readonly balanceMills: Mills | null
  readonly checkedAt: Date | null
  readonly snapshotAt: Date | null
}

export async function listMarkets(db: Queryable): Promise<MarketState[]> {
  const rows = await db.query<MarketRow>(MARKETS)
  return rows.map((row) => ({
    id: row.id,
    enabled: row.enabled,
    online: row.online,
    detail: row.detail,
    balanceMills: row.balance_mills === null ? null : mills(row.balance_mills),
    checkedAt: row.checked_at,
    snapshotAt: row.snapshot_at,
  }))
}

const MARKET_IDS = sql('catalog_market_ids', 'select id from catalog.market order by id limit 100')

export const listMarketIds = async (db: Queryable): Promise<MarketId[]> =>
  (await db.query<{ id: MarketId }>(MARKET_IDS)).map(({ id }) => id)

const MARK_MARKET = sql(
  'catalog_mark_market',
  `update catalog.market set online = $3, detail = $4, balance_mills = coalesce($5, balance_mills),
     checked_at = $6, changed_seq = $2
   where id = $1`,
)

const NOTE_HEALTH = sql(
  'catalog_note_health',
  `update catalog.market set detail = $2, balance_mills = coalesce($3, balance_mills), checked_at = $4
   where id = $1 and online = $5 returning id`,
)

export interface Health {
  readonly online: boolean
  readonly detail: string
  readonly balanceMills: Mills | null
  readonly at: Date
}

/** Keeps the latest answer while `online` stays as it is; false when it is not as it was. */
export async function noteHealth(
  db: Queryable,
  market: MarketId,
  health: Health,
): Promise<boolean> {
  const { online, detail, balanceMills, at } = health
  return (await db.query(NOTE_HEALTH, [market, detail, balanceMills, at, online])).length > 0
}

export async function writeHealth(
  tx: Tx,
  seq: bigint,
  market: MarketId,
  { online, detail, balanceMills, at }: Health,
): Promise<void> {
  await tx.query(MARK_MARKET, [market, seq, online, detail, balanceMills, at])
}

const ENABLE_MARKET = sql(
  'catalog_enable_market',
  'update catalog.market set enabled = $3, changed_seq = $2 where id = $1',
)

export async function enableMarket(
  tx: Tx,
  seq: bigint,
  market: MarketId,
  enabled: boolean,
): Promise<void> {
  await tx.query(ENABLE_MARKET, [market, seq, enabled])
}

const NOTE_SNAPSHOT = sql(
  'catalog_note_snapshot',
  'update catalog.market set snapshot_at = $2 where id = $1',
)

export async function noteSnapshot(db: Queryable, market: MarketId, at: Date): Promise<void> {
  await db.query(NOTE_SNAPSHOT, [market, at])
}

interface MarketRow {
  id: MarketId
  enabled: boolean
  online: boolean
  detail: string
  balance_mills: bigint | null
  checked_at: Date | null
  snapshot_at: Date | null
}
