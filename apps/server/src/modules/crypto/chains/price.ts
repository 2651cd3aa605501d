// The price at which a transfer is credited, within bounds. No price is better than a wrong one: what cannot
// be priced stays pending.
import type { Clock } from '#infra/process/clock'
import type { PricedAsset } from './chain.ts'
import type { PriceSource } from './ports.ts'

export type PriceReading =
  | { readonly kind: 'price'; readonly usdE8: bigint; readonly sources: readonly string[] }
  | { readonly kind: 'none'; readonly reason: 'too_few' | 'divergent' | 'off_parity' }

export interface Quote {
  readonly source: string
  readonly usdE8: bigint
}

const ONE_DOLLAR_E8 = 100_000_000n
/** Basis points: how far a stable coin may be from one dollar, and two sources from each other. */
const BOUND_BPS = 100n
const MAX_AGE_MS = 60_000
/** A source that is ahead of our clock by more is not believed. */
const MAX_AHEAD_MS = 5_000
const LEAST_SOURCES = { native: 2, stable: 1 } as const

const isStable = (asset: PricedAsset): boolean => asset === 'USDT' || asset === 'USDC'

/** A stable coin is one dollar while every source is within 1 % of it; else the median of two or more. */
export function decidePrice(asset: PricedAsset, quotes: readonly Quote[]): PriceReading {
  const none = (reason: 'too_few' | 'divergent' | 'off_parity'): PriceReading => ({
    kind: 'none',
    reason,
  })
  const prices = quotes.map(({ usdE8 }) => usdE8).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  const [lowest] = prices
  const highest = prices.at(-1)
  const least = isStable(asset) ? LEAST_SOURCES.stable : LEAST_SOURCES.native
  if (prices.length < least || lowest === undefined || highest === undefined || lowest <= 0n) {
    return none('too_few')
  }
  const sources = quotes.map(({ source }) => source).sort()
  if (isStable(asset)) {
    const isNear = (price: bigint): boolean => isWithin(price, ONE_DOLLAR_E8, ONE_DOLLAR_E8)
    if (!isNear(lowest) || !isNear(highest)) return none('off_parity')
    return { kind: 'price', usdE8: ONE_DOLLAR_E8, sources }
  }
  if (!isWithin(highest, lowest, lowest)) return none('divergent')
  const middle = prices.length / 2
  const low = prices[Math.ceil(middle) - 1] ?? lowest
  const high = prices[Math.floor(middle)] ?? highest
  return { kind: 'price', usdE8: (low + high) / 2n, sources }
}

/** Less than 1 % of `base` between the two. */
function isWithin(a: bigint, b: bigint, base: bigint): boolean {
  const apart = a < b ? b - a : a - b
  return apart * 10_000n < base * BOUND_BPS
}

export type ReadPrice = (asset: PricedAsset) => Promise<PriceReading>

export interface PriceReaderDeps {
  readonly sources: readonly PriceSource[]
  readonly clock: Clock
  /** A source did not answer, or its answer was not used. */
  onUnused?(source: string, asset: PricedAsset, why: string): void
}

/** Asks all sources at once. Nothing is remembered: a price is read for each round of credits. */
export function createPriceReader({ sources, clock, onUnused }: PriceReaderDeps): ReadPrice {
  const ask = async (source: PriceSource, asset: PricedAsset): Promise<Quote | null> => {
    try {
      const price = await source.read(asset)
      if (price === null) return null
      const ageMs = clock.now().getTime() - price.at.getTime()
      if (price.usdE8 > 0n && ageMs <= (source.maxAgeMs ?? MAX_AGE_MS) && ageMs >= -MAX_AHEAD_MS) {
        return { source: source.id, usdE8: price.usdE8 }
      }
      onUnused?.(source.id, asset, price.usdE8 > 0n ? 'stale' : 'not_positive')
    } catch (error) {
      onUnused?.(source.id, asset, error instanceof Error ? error.message : String(error))
    }
    return null
  }
  return async (asset) => {
    const quotes = await Promise.all(sources.map((source) => ask(source, asset)))
    return decidePrice(
      asset,
      quotes.filter((quote) => quote !== null),
    )
  }
}
