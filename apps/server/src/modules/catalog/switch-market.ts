// A market is for sale when the operator has it on and it answers.
import type { Db } from '#platform/db'
import type { MarketId } from './ports.ts'
import { changeCatalog } from './store/change.ts'
import { enableMarket, type Health, noteHealth, writeHealth } from './store/markets.ts'

export type { Health } from './store/markets.ts'

/** Keeps the latest health; true when the market went on or off line by it. */
export async function markMarket(db: Db, market: MarketId, health: Health): Promise<boolean> {
  // Nearly always nothing changes; then nobody needs to hear of it.
  if (await noteHealth(db, market, health)) return false
  await changeCatalog(db, (tx, seq) => writeHealth(tx, seq, market, health))
  return true
}

export const setMarketEnabled = (db: Db, market: MarketId, enabled: boolean): Promise<void> =>
  changeCatalog(db, (tx, seq) => enableMarket(tx, seq, market, enabled))
