import { BREAKER_DEFAULTS, type BreakerSettings } from '../shared/breaker.ts'

/** What is made of `penalties` that name the buyer of an accepted trade: no document says what they mean. */
export type Penalties = 'hold' | 'believe'

export interface MarketBSettings {
  /** Without a trailing slash: `/v1/...` is added to it. */
  readonly baseUrl: string
  /** Socket.IO over WebSocket, without its query. */
  readonly socketUrl: string
  readonly apiKey: string
  /** Ours, by the name under which its calls are counted. */
  readonly account: string
  readonly keyVersion: number
  /** The ordinary budget; look-ups have twice as many, searches a third. 0 sets no limit. */
  readonly callsPerMinute: number
  readonly buyDeadlineMs: number
  /** How long a purchase may wait for its turn before it is handed back unsent. */
  readonly buyPatienceMs: number
  readonly callDeadlineMs: number
  readonly lookUpSettleMs: number
  readonly pollMs: number
  readonly penalties: Penalties
  /** Whether listings of sellers who send by hand are for sale. */
  readonly manualSellers: boolean
  /** The age at which an order can be canceled. The market's documents know no such call: null. */
  readonly cancelAfterMs: number | null
  readonly resyncMs: number
  /** Between two searches for details; market B allows 20 in a minute. */
  readonly detailSpacingMs: number
  readonly balanceMaxAgeMs: number
  /** For so long the history or the balance may lag behind what happened. */
  readonly statementSettleMs: number
  readonly breaker: BreakerSettings
  /** Between two probes of health; market B allows 60 price calls in a minute. */
  readonly probeSpacingMs: number
}

export const MARKET_B_DEFAULTS = {
  account: 'main',
  keyVersion: 1,
  callsPerMinute: 60,
  buyDeadlineMs: 20_000,
  buyPatienceMs: 8_000,
  callDeadlineMs: 15_000,
  lookUpSettleMs: 60_000,
  pollMs: 10_000,
  penalties: 'hold',
  manualSellers: false,
  cancelAfterMs: null,
  resyncMs: 600_000,
  detailSpacingMs: 4_000,
  balanceMaxAgeMs: 60_000,
  statementSettleMs: 900_000,
  breaker: BREAKER_DEFAULTS,
  probeSpacingMs: 2_000,
} as const satisfies Omit<MarketBSettings, 'baseUrl' | 'socketUrl' | 'apiKey'>
