// Trading: what it does for the rest of the house.
export {
  type Buy,
  type BuyDeps,
  type Buyer,
  type BuyLine,
  type BuyOrder,
  createBuy,
  type ListingForSale,
} from './buy.ts'
export { type CancelBuy, type CancelOutcome, createCancelBuy } from './cancel.ts'
export { createFollowing, createOrphanWatch, type FollowingDeps, type OnCase } from './follow.ts'
export { createPlacing, type PlacingDeps } from './place.ts'
export type {
  CallContext,
  FailureCode,
  LookUpAnswer,
  Market,
  MarketId,
  MarketTraits,
  OrderNews,
  OrderQuestion,
  Purchase,
  PurchaseAnswer,
} from './ports.ts'
export { createPreflight, type Preflight, type TriedLine, type TryBuy } from './preflight.ts'
export {
  createQuickBuy,
  type ItemForSale,
  type QuickBuy,
  type QuickBuyDeps,
  type QuickOrder,
} from './quick-buy.ts'
export { findReplay, type Receipt } from './store/buys.ts'
export { findTradeHead, type TradeHead } from './store/cancel.ts'
export { type Dossier, type DossierItem, type DossierOrder, readDossier } from './store/dossier.ts'

export { type HeldOrder, listHeldOrders } from './store/held-orders.ts'

export { hastenHolds } from './store/holds.ts'

export { auditTrades, countOpen, type OpenItems } from './store/orders.ts'
export { countQueues, type QueueState } from './store/queues.ts'
export { type ItemStep, listSteps, newsKeysOf } from './store/steps.ts'
export {
  hasOpenTrades,
  listTrades,
  lookUpTrades,
  readFigures,
  readTrades,
  type TradeFigures,
  type TradeFilter,
} from './store/trades.ts'
export { createPauseReader, pauseTrading, resumeTrading } from './switch.ts'
export {
  type ItemDescription,
  type ItemRefund,
  isTerminal,
  STATUSES,
  type Status,
  TRANSITIONS,
  type Trade,
  type TradeItem,
} from './trade.ts'
