// Bidding: market orders, which the module buying fills.
export { cancelMarketOrder, changeMarketOrder } from './change.ts'
export {
  MARKET_ORDER_STATES,
  type MarketOrder,
  type MarketOrderStatus,
  type OpenOrder,
  PAUSED_REASONS,
  type PausedReason,
} from './market-order.ts'
export {
  createPlaceMarketOrder,
  type PlaceDeps,
  type PlaceMarketOrder,
  type WantedOrder,
} from './place.ts'
export { ORDERS_ALIVE } from './store/due.ts'
export {
  claimToLook,
  claimToMatch,
  expireOrders,
  findWantedItems,
  followAccounts,
  hasDisabled,
  hasOpen,
  type LookedAt,
  listBestOrders,
  listOpenAfter,
  lookAgain,
  noteMatched,
  type PassedOver,
  type Pause,
  pauseOpen,
  pauseOrder,
  pauseOrders,
  resumeDisabled,
  resumeOrder,
} from './store/matching.ts'
export {
  cancelOrdersOf,
  type DepthLevel,
  findOrder,
  findOrderOfTenant,
  listAllOrders,
  listOrders,
  type MarketOrderChange,
  readDepth,
  readOrders,
} from './store/orders.ts'
