// Selling: sells to our bots, quotes, offers and stock.
export { type CanceledItem, cancelSell } from './cancel.ts'
export { createLostOfferWatch, createSellFollowing, type SellFollowingDeps } from './follow.ts'
export { type AssetName, encodeAsset, type StockItem } from './item.ts'
export { createSellPlacing, type OfferIntent, type SellPlacingDeps } from './place.ts'
export {
  createPolicyReader,
  readPolicy,
  writeBand,
  writeItemPolicy,
  writePolicy,
} from './policy.ts'
export type { Bots, ExchangeSnapshot, Inventories, PlatformItem, SentOffer } from './ports.ts'
export { type Band, type ItemPolicy, type Policy, quoteOf } from './quote.ts'
export {
  type AppraisalDeps,
  type CatalogMatch,
  type Offered,
  readOffers,
} from './read-inventory.ts'
export {
  createSell,
  type Sell,
  type SellDeps,
  type Seller,
  type SellLine,
  type SellOrder,
} from './sell.ts'
export { findSellsOfOffer } from './store/find.ts'
export { type HeldOffer, type HeldOfferItem, listHeldOffers } from './store/held.ts'
export {
  countOpenSells,
  findSellOf,
  listOpenSells,
  readSellInspection,
  type SellInspection,
} from './store/inspection.ts'
export { findLostOffers, hasIntent } from './store/intents.ts'
export { expediteOffer, OFFERS_DUE, SELLS_WAIT } from './store/offers.ts'
export {
  type HeldBackItem,
  holdBackOffers,
  type LostOffer,
  listHeldBack,
  releaseOffers,
} from './store/recovery.ts'
export { auditSells } from './store/sells.ts'
export { listStock } from './store/stock.ts'
