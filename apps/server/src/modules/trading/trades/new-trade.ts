// What every request to trade has, whichever way the trade goes.
import type { Currency } from '#kernel/money'

export interface NewTrade {
  readonly tenantId: string
  readonly accountId: string
  readonly platformId: string
  readonly tradeUrl: string
  readonly externalId: string | null
  readonly requestHash: Buffer
  readonly game: string
  readonly currency: Currency
  readonly usdPerEurMicros: bigint | null
  readonly requestId: string
  readonly at: Date
}

/** The first eleven values of each function that begins a trade, in their order. */
export const newTradeValues = (trade: NewTrade): unknown[] => [
  trade.tenantId,
  trade.accountId,
  trade.platformId,
  trade.tradeUrl,
  trade.externalId,
  trade.requestHash,
  trade.game,
  trade.currency,
  trade.usdPerEurMicros,
  trade.requestId,
  trade.at,
]
