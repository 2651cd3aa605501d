// A market is for sale when the operator has it on, it answers, and our account there is open.
import type { Db, Tx } from '#infra/database/db'
import type { MarketId } from './ports.ts'
import { changeCatalog, changeCatalogIn, noteListingChange } from './store/change.ts'
import { enableMarket, type Health, noteHealth, writeHealth } from './store/markets.ts'

export type { Health } from './store/markets.ts'

/** Keeps the latest health; true when the market went on or off line by it. */
export async function markMarket(db: Db, market: MarketId, health: Health): Promise<boolean> {
  // Nearly always nothing changes; then no event is due.
  if (await noteHealth(db, market, health)) return false
  await changeCatalog(db, async (tx, seq) => {
    await writeHealth(tx, seq, market, health)
    await noteListingChange(tx, { seq, at: health.at }, { appeared: [], changed: [], market })
  })
  return true
}

/** The operator's switch. */
export const setMarketEnabled = (
  tx: Tx,
  {
    market,
    enabled,
    at,
  }: { readonly market: MarketId; readonly enabled: boolean; readonly at: Date },
): Promise<void> =>
  changeCatalogIn(tx, async (seq) => {
    await enableMarket(tx, seq, market, enabled)
    await noteListingChange(tx, { seq, at }, { appeared: [], changed: [], market })
  })
