import type { MarketId } from '../dataset/types.ts'
import type { Clock } from '../kernel/clock.ts'
import { createFaultScript, type FaultScript } from '../party/fault-script.ts'
import type { Store } from '../store/store.ts'
import { PLAIN_PURCHASE, type PurchaseScript, parseScriptEntry } from './script.ts'

export const MARKET_IDS: readonly MarketId[] = ['market_a', 'market_b']

/** What goes wrong at the markets, as the control interface has set it. */
export interface MarketFaults {
  readonly scripts: Readonly<Record<MarketId, FaultScript>>
  /** The script of the purchase call that has just arrived; it is used up. */
  takePurchase(market: MarketId): PurchaseScript
  areLookupsBlind(market: MarketId): boolean
  blindLookups(market: MarketId, durationMs: number): void
  /** The answer to the next cancel at this market is lost. */
  loseNextCancel(market: MarketId, effect: 'done' | 'not_done'): void
  /** Of the cancel that has just arrived; null when its answer is sent. */
  takeLostCancel(market: MarketId): 'done' | 'not_done' | null
}

export function createMarketFaults(store: Store, clock: Clock): MarketFaults {
  const scripts = {
    market_a: createFaultScript(store, 'market_a'),
    market_b: createFaultScript(store, 'market_b'),
  }
  const blindUntilMs: Record<MarketId, number> = { market_a: 0, market_b: 0 }
  const lostCancels: Record<MarketId, ('done' | 'not_done')[]> = { market_a: [], market_b: [] }
  return {
    scripts,
    takePurchase(market) {
      const entry = scripts[market].take()
      const parsed = entry === null ? null : parseScriptEntry(market, entry)
      return parsed?.kind === 'purchase' ? parsed.script : PLAIN_PURCHASE
    },
    areLookupsBlind: (market) => clock.nowMs() < blindUntilMs[market],
    blindLookups(market, durationMs) {
      blindUntilMs[market] = clock.nowMs() + durationMs
    },
    loseNextCancel: (market, effect) => void lostCancels[market].push(effect),
    takeLostCancel: (market) => lostCancels[market].shift() ?? null,
  }
}
