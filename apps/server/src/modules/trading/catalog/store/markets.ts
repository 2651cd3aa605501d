// SQL of the markets' switches and health.

import { bool, columns, text, time } from '#infra/database/columns'
import { type Queryable, sql, type Tx } from '#infra/database/db'
import { type Mills, mills } from '#kernel/money'
import type { MarketId } from '../ports.ts'

export interface MarketState {
  readonly id: MarketId
  readonly enabled: boolean
  readonly online: boolean
  readonly detail: string
  readonly balanceMills: Mills | null
  /** The most that may be bought there now; 0: our account is closed; null: no bound is known. */
  readonly coverMills: Mills | null
  readonly checkedAt: Date | null
  readonly snapshotAt: Date | null
  /** The number of the change by which it last went or came back. */
  readonly changedSeq: bigint
}

const MARKET = columns<MarketState>('', {
  id: text,
  enabled: bool,
  online: bool,
  detail: text,
  balanceMills: mills,
  coverMills: mills,
  checkedAt: time,
  snapshotAt: time,
  changedSeq: BigInt,
})

const MARKETS = sql(
  'catalog_markets',
  `select ${MARKET.list} from catalog.market order by id limit 100`,
)

/** Whether its listings are shown: switched on, answering, and our account there open. */
export const isForSale = ({ enabled, online, coverMills }: MarketState): boolean =>
  enabled && online && coverMills !== 0n

export const listMarkets = (db: Queryable): Promise<MarketState[]> => MARKET.all(db, MARKETS)

const LISTED = sql(
  'catalog_listed',
  `select market, sum(standard_count + instant_count)::integer listings from catalog.stock group by market`,
)
/** How many listings of each market are for sale, while the market is. */
export async function countListed(db: Queryable): Promise<ReadonlyMap<MarketId, number>> {
  const rows = await db.query<{ market: MarketId; listings: number }>(LISTED)
  return new Map(rows.map(({ market, listings }) => [market, listings]))
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
