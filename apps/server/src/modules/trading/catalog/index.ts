// Catalog: what it does for the rest of the service.
export type { RejectReason } from './accept-listing.ts'
export { type Catalog, createCatalog } from './catalog.ts'
export type { ChangesFollower } from './follow-changes.ts'
export type {
  ListingEvent,
  ListingMove,
  ListingsFollower,
  ListingsRead,
} from './follow-listings.ts'
export { FIRST_LOOK_BACK_MS } from './follow-listings.ts'
export type { IngestReport, MarketIngest, SnapshotReport } from './ingest.ts'
export { SNAPSHOT_AGE_MS } from './ingest.ts'
export { type CatalogItem, type Delivery, itemIdOf } from './item.ts'
export type { PricePolicy } from './judge-price.ts'
export type { Listing, ListingDescription, ListingForSale } from './listing.ts'
export { createFetchPictures, createPictures, type Pictures } from './pictures.ts'
export type { ImportRules, ItemsPlan } from './plan-items.ts'
export type {
  AccountReading,
  FeedEvent,
  ItemSource,
  MarketFeed,
  MarketId,
  PictureFiles,
  PictureSource,
  PriceList,
  SourceItem,
  SourceListing,
} from './ports.ts'
export { createPriceGuard, type PriceOutlier } from './price-guard.ts'
export type { ItemsReport } from './refresh-items.ts'
export type { PriceDay } from './store/days.ts'
export { STOCK_CHANGED } from './store/due.ts'
export { findItemName } from './store/items.ts'
export type { FittingQuery } from './store/listings.ts'
export { countStubs, type ListState, listStates } from './store/lists.ts'
export { countListed, listMarketIds, listMarkets, type MarketState } from './store/markets.ts'
export { PICTURES_DUE } from './store/pictures.ts'
export { setMarketEnabled } from './switch-market.ts'
export {
  fitsTerms,
  type ItemSelection,
  isSelected,
  type ListingTerms,
  selectedIds,
} from './view/find-listings.ts'
export {
  type CatalogueView,
  CHANGE_CHANNEL,
  type ItemFilter,
  type ListChanges,
  openCatalogueView,
  type ViewDeps,
} from './view/follow.ts'
export type { ListingAttributes } from './view/listing-table.ts'
export { attributesOf, type ListingsView, openListingsView } from './view/listings-view.ts'
export type { Found, Search, SearchSort } from './view/search.ts'
export { type Entry, FACETS, type Facet } from './view/search-index.ts'
export type { Place as ListingPlace } from './view/slot-order.ts'
