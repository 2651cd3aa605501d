/**
 * An upstream market, by the id that its line in the registry (`adapters/markets.ts`) and its row in
 * `catalog.market` share; a start refuses a difference between the two. The set is open, so that adding a
 * market touches no type. A literal fits as it stands; an id of another kind does not.
 */
export type MarketId = string & { readonly __kind?: 'MarketId' }
