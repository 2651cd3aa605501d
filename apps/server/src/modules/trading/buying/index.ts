// Buying: supplier orders, and everything that leads to one.

export { type ClosedBecause, coverDaysOf, isBuying, type MarketAccount } from './account.ts'
export type { Adopted } from './adopt.ts'
export {
  type Bought,
  type Buy,
  type BuyDeps,
  type Buyer,
  type BuyLine,
  type BuyOrder,
  createBuy,
  type ListingForSale,
  type PriceLimit,
} from './buy.ts'
export { type CancelBuy, type CancelOutcome, createCancelBuy } from './cancel.ts'
export { decideContested, OUTCOMES, type Outcome } from './decide.ts'
export type { FillDeps } from './fill.ts'
export { createFinishCancels, type FinishCancelsDeps } from './finish-cancels.ts'
export { createFollowing, type FollowingDeps } from './follow.ts'
export {
  type AccountChanges,
  changeAccount,
  type KeptAccount,
  noteReading,
} from './keep-account.ts'
export { createMatching, type Matching, type MatchingDeps } from './match.ts'
export { createMoving, type MovingDeps } from './move.ts'
export { createPlacing, type OrderIntent, type PlacingDeps } from './place.ts'
export type {
  AccountRef,
  CallContext,
  CancelAnswer,
  LookUpAnswer,
  Market,
  MarketId,
  MarketTraits,
  OrderQuery,
  OrderUpdate,
  Purchase,
  PurchaseAnswer,
} from './ports.ts'
export { createPreflight, type Preflight, type TriedLine, type TryBuy } from './preflight.ts'
export {
  chooseItem,
  createQuickBuy,
  type ItemForSale,
  type QuickBuy,
  type QuickBuyDeps,
  type QuickOrder,
} from './quick-buy.ts'
export { type ResumingDeps, resumeMarketOrders } from './resume.ts'
export {
  type AccountKey,
  countSpent,
  findAccount,
  hashKey,
  hasOpenOrders,
  insertAccount,
  keyContext,
  listAccounts,
  listKeys,
  listOpenOrders,
  lockAccount,
  lockKeys,
  MAIN,
  type NewAccount,
  nameAccounts,
  noteKeyOfMain,
  readFigures,
  rotateKey,
} from './store/accounts.ts'
export { type BoughtItem, readBought, readMarketsOfItems } from './store/bought.ts'
export { findUndecided } from './store/contested.ts'
export {
  CANCELS_DUE,
  dueKeyOf,
  LOOK_UPS_DUE,
  PLACEMENTS_DUE,
  PLACEMENTS_WAIT,
} from './store/due.ts'
export { findItemsOfOrder } from './store/find.ts'
export { type HeldOrder, listHeldOrders } from './store/held-orders.ts'
export { expediteHolds, expediteItems } from './store/holds.ts'
export {
  type BuyInspection,
  type InspectedItem,
  type InspectedOrder,
  readBuyInspection,
} from './store/inspection.ts'
export {
  closeLostOrders,
  findRestore,
  insertLostOrders,
  type LostOrder,
  listLostOrders,
  listRestores,
  listUnadopted,
  type NewLostOrder,
  noteRestore,
  type Restore,
  type UnadoptedOrder,
} from './store/lost-orders.ts'
export {
  listMarketQueues,
  listPlaced,
  type MarketQueue,
  measureQueue,
} from './store/market-queue.ts'
export { auditBuys } from './store/orders.ts'
export {
  countOpen,
  countQueues,
  listWaitingItems,
  type OpenItems,
  type QueueState,
  readOldest,
} from './store/queues.ts'
export {
  findLostOrders,
  holdBackPlacements,
  type ListedItem,
  releasePlacements,
} from './store/recovery.ts'
export { readWaitingLimit, setWaitingLimit } from './store/waiting.ts'
export { createUnmatchedWatch, type UnmatchedWatchDeps } from './unmatched-purchase.ts'
