// Trades: what buying, selling and the edges share of every trade.
export type { OnCase } from './case.ts'
export { tradeEventKeys } from './event-keys.ts'
export { type NewTrade, newTradeValues } from './new-trade.ts'
export { auditFills, auditTrades, endOfSlice } from './store/audit.ts'
export { EXPORT_TRADES, tradeIdOf } from './store/export.ts'
export {
  type AccountFigures,
  keepFigures,
  readFigures,
  readTotals,
  type TradeTotals,
} from './store/figures.ts'
export { type FoundTrade, findTrades, readTradesOfRefs } from './store/find.ts'
export { findTradeHead, readRequestIds, type TradeHead } from './store/heads.ts'
export { type LimitUse, readLimitUse } from './store/limit-use.ts'
export {
  type AccountOfTenant,
  countTrades,
  type NumberedPage,
  type OrderFigures,
  pageMovements,
  pageTrades,
  readChildFigures,
  readOrderFigures,
  type TradeMovement,
} from './store/orders.ts'
export { type ItemOutcome, readOutcomes, type TradeOutcome } from './store/outcomes.ts'
export { findReplay, type Receipt, type ReceiptRow, receiptOf } from './store/receipts.ts'
export { readSeries, type TradeBucket } from './store/series.ts'
export { type ItemStep, listSteps } from './store/steps.ts'
export { findPause, findPausedSince, type Pause } from './store/switch.ts'
export {
  findAccountsWithOpenTrades,
  lastMoveOf,
  listTrades,
  lookUpTrades,
  readTrades,
  type TradeFilter,
} from './store/trades.ts'
export { createPauseReader, pauseTrading, resumeTrading } from './switch.ts'
export {
  declinePenalty,
  type FailureCode,
  type ItemDescription,
  type ItemRefund,
  isTerminal,
  PLACING_LIMIT_MINUTES,
  penaltyOf,
  STATUSES,
  type Status,
  TRANSITIONS,
  type Trade,
  type TradeItem,
} from './trade.ts'
