import { BREAKER_DEFAULTS, type BreakerSettings } from '../shared/breaker.ts'

export interface MarketASettings {
  /** Without a trailing slash: everything below `/api` is added to it. */
  readonly baseUrl: string
  /** Centrifugo, JSON protocol. */
  readonly socketUrl: string
  readonly apiKey: string
  /** Ours, by the name under which its calls are counted. */
  readonly account: string
  readonly keyVersion: number
  /**
   * Between two calls with the key, over all processes. The market deletes a key for good that calls
   * more than `CALL_WINDOW` allows. 0 sets no limit: for a sandbox that sets none.
   */
  readonly callSpacingMs: number
  readonly buyDeadlineMs: number
  readonly callDeadlineMs: number
  /** How long a purchase may wait for its turn before it is handed back unsent. */
  readonly buyPatienceMs: number
  readonly lookUpPatienceMs: number
  readonly lookUpSettleMs: number
  readonly pollMs: number
  /** While an order's offer is still to come: the market shows an offer only until it is answered. */
  readonly offerPollMs: number
  /** The age at which an order can be canceled. The market's documents know no such call: null. */
  readonly cancelAfterMs: number | null
  readonly resyncMs: number
  /** Re-reads of listings take one turn in so many milliseconds, whatever is waiting. */
  readonly reReadSpacingMs: number
  readonly balanceMaxAgeMs: number
  /** For so long the history or the balance may lag behind what happened. */
  readonly statementSettleMs: number
  /** Percent: sellers that deliver less often are not bought from; 0 takes all. */
  readonly leastChance: number
  readonly breaker: BreakerSettings
}

/** What the market counts, by its own clock and at the moment when it reads a call. */
export const CALL_WINDOW = { calls: 5, ms: 1000 } as const

export const MARKET_A_DEFAULTS = {
  account: 'main',
  keyVersion: 1,
  callSpacingMs: 260,
  buyDeadlineMs: 30_000,
  callDeadlineMs: 15_000,
  buyPatienceMs: 8_000,
  lookUpPatienceMs: 3_000,
  lookUpSettleMs: 120_000,
  pollMs: 10_000,
  offerPollMs: 2_000,
  cancelAfterMs: null,
  resyncMs: 600_000,
  reReadSpacingMs: 1_000,
  balanceMaxAgeMs: 60_000,
  statementSettleMs: 900_000,
  leastChance: 0,
  breaker: BREAKER_DEFAULTS,
} as const satisfies Omit<MarketASettings, 'baseUrl' | 'socketUrl' | 'apiKey'>
