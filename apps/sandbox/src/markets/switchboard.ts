import type { MarketId } from '../dataset/types.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Store } from '../store/store.ts'
import { PLAIN_PURCHASE, type PurchaseScript, parseScriptEntry } from './script.ts'

export const MARKET_IDS: readonly MarketId[] = ['market_a', 'market_b']

export type PartyId = MarketId | 'platform'

export interface PartyState {
  readonly online: boolean
  readonly latencyMs: number
}

/** What the control interface has set, for everybody who has to obey it. Survives a restart. */
export interface Switchboard {
  party(party: PartyId): PartyState
  setParty(party: PartyId, change: Partial<PartyState>): PartyState
  /** Entries that wait for a purchase call, first to last. */
  script(market: MarketId): readonly string[]
  appendScript(market: MarketId, entries: readonly string[]): void
  clearScript(market: MarketId): void
  /** The script of the purchase call that has just come in; it is used up. */
  takeScript(market: MarketId): PurchaseScript
  areLookupsBlind(market: MarketId): boolean
  blindLookups(market: MarketId, durationMs: number): void
  /** The answer to the next cancel at this market is lost. */
  loseNextCancel(market: MarketId, effect: 'done' | 'not_done'): void
  /** Of the cancel that has just come in; null when its answer arrives. */
  takeLostCancel(market: MarketId): 'done' | 'not_done' | null
  onOffline(listener: (party: PartyId) => void): void
}

interface Stored {
  readonly parties: Record<PartyId, PartyState>
  readonly scripts: Record<MarketId, string[]>
}

export function createSwitchboard(store: Store, clock: Clock): Switchboard {
  const stored = store.readSetting('switchboard')
  const state: Stored = stored === null ? initialState() : (JSON.parse(stored) as Stored)
  const blindUntilMs: Record<MarketId, number> = { market_a: 0, market_b: 0 }
  const lostCancels: Record<MarketId, ('done' | 'not_done')[]> = { market_a: [], market_b: [] }
  const listeners: ((party: PartyId) => void)[] = []
  const save = (): void => store.writeSetting('switchboard', JSON.stringify(state))

  return {
    party: (party) => state.parties[party],
    setParty(party, change) {
      const before = state.parties[party]
      const after = { ...before, ...change }
      state.parties[party] = after
      save()
      if (before.online && !after.online) for (const listener of listeners) listener(party)
      return after
    },
    script: (market) => state.scripts[market],
    appendScript(market, entries) {
      state.scripts[market].push(...entries)
      save()
    },
    clearScript(market) {
      state.scripts[market] = []
      save()
    },
    takeScript(market) {
      const entry = state.scripts[market].shift()
      if (entry === undefined) return PLAIN_PURCHASE
      save()
      const parsed = parseScriptEntry(market, entry)
      return parsed?.kind === 'purchase' ? parsed.script : PLAIN_PURCHASE
    },
    areLookupsBlind: (market) => clock.nowMs() < blindUntilMs[market],
    blindLookups(market, durationMs) {
      blindUntilMs[market] = clock.nowMs() + durationMs
    },
    loseNextCancel: (market, effect) => void lostCancels[market].push(effect),
    takeLostCancel: (market) => lostCancels[market].shift() ?? null,
    onOffline: (listener) => void listeners.push(listener),
  }
}

function initialState(): Stored {
  const normal: PartyState = { online: true, latencyMs: 0 }
  return {
    parties: { market_a: normal, market_b: normal, platform: normal },
    scripts: { market_a: [], market_b: [] },
  }
}
