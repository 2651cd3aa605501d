// What people read for a market: on every page, on the status page and in the sentences about a trade.
// It imports nothing: a browser loads only these names.

export const MARKET_NAMES: Readonly<Record<string, string>> = {
  market_a: 'Market A',
  market_b: 'Market B',
}

/** A market that has no name here is called by its id. */
export const marketName = (market: string): string => MARKET_NAMES[market] ?? market
