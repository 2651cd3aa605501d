// The registry of markets. A market is a folder, a line here and a row in `catalog.market`; settings,
// credentials, timing, jobs and health follow from these.
import { assertDefined } from '#kernel/assert'
import type { MarketId } from '#kernel/market-id'
import { marketA } from './market-a/definition.ts'
import { marketB } from './market-b/definition.ts'
import type { MarketDefinition } from './shared/market-definition.ts'

export type {
  MarketDefinition,
  MarketOption,
  MarketOptions,
  MarketTiming,
  Supplier,
  Variables,
} from './shared/market-definition.ts'

export const MARKETS: readonly MarketDefinition[] = [marketA, marketB]

export const definitionOf = (market: MarketId): MarketDefinition =>
  assertDefined(
    MARKETS.find(({ id }) => id === market),
    `the market ${market}`,
  )

/** A value for each market, by its id. */
export const forEachMarket = <Value>(
  pick: (market: MarketDefinition) => Value,
): Readonly<Record<MarketId, Value>> =>
  Object.fromEntries(MARKETS.map((market) => [market.id, pick(market)]))
