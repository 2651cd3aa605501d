/** What market B's documents leave open. The defaults are the worst case for a client. */
export interface MarketBSettings {
  /** What a second purchase under one project id does. */
  readonly repeatedProjectId: 'refused' | 'buys_again'
  readonly snapshotMaxAgeMs: number
  readonly pricesMaxAgeMs: number
  /** Withheld when the buyer reverses, shown as `penalties`. */
  readonly keptOnBuyerReversalPercent: number
  /** One listing in so many is trade locked (`unlock_at`); 0 for none. */
  readonly lockedOneIn: number
  /** The listing feed loses one of this many changes of the market's own activity; 0 for none. */
  readonly feedGapOneIn: number
  /** The age at which a trade may be canceled; the call is an extension of the sandbox. */
  readonly cancelAfterMs: number
  readonly pingIntervalMs: number
  readonly pingTimeoutMs: number
}

export const MARKET_B_DEFAULTS: MarketBSettings = {
  repeatedProjectId: 'refused',
  snapshotMaxAgeMs: 30_000,
  pricesMaxAgeMs: 5_000,
  keptOnBuyerReversalPercent: 30,
  lockedOneIn: 100,
  feedGapOneIn: 500,
  cancelAfterMs: 3_000,
  pingIntervalMs: 25_000,
  pingTimeoutMs: 20_000,
}

/** The settings with named values; all others are whole numbers. */
export const MARKET_B_CHOICES = {
  repeatedProjectId: ['refused', 'buys_again'],
} as const
