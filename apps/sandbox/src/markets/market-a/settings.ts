/** What market A's documents leave open. The defaults are the worst case for a client. */
export interface MarketASettings {
  /** What a second purchase under one custom id does. */
  readonly repeatedCustomId: 'buys_again' | 'refused'
  /** Most custom ids in one look-up. */
  readonly lookupBatchMost: number
  /** What a download of the export before finds; kept: it stays, index and files, until the next is whole. */
  readonly oldExportFiles: 'gone' | 'kept'
  readonly exportMaxAgeMs: number
  readonly pricesMaxAgeMs: number
  /** Withheld when the recipient reverses: 20 for the seller, 10 for the market. */
  readonly keptForSellerPercent: number
  readonly keptForMarketPercent: number
  readonly reversalChecksADay: number
  /** The age at which an order may be canceled; the call is an extension of the sandbox. */
  readonly cancelAfterMs: number
  readonly tokenLifeMs: number
  readonly socketPingMs: number
}

export const MARKET_A_DEFAULTS: MarketASettings = {
  repeatedCustomId: 'buys_again',
  lookupBatchMost: 50,
  oldExportFiles: 'gone',
  exportMaxAgeMs: 30_000,
  pricesMaxAgeMs: 5_000,
  keptForSellerPercent: 20,
  keptForMarketPercent: 10,
  reversalChecksADay: 100,
  cancelAfterMs: 3_000,
  tokenLifeMs: 600_000,
  socketPingMs: 25_000,
}

/** The settings with named values; all others are whole numbers. */
export const MARKET_A_CHOICES = {
  repeatedCustomId: ['buys_again', 'refused'],
  oldExportFiles: ['gone', 'kept'],
} as const
