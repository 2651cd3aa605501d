// The entry point: the client, its errors, and the verification of webhooks.
export { Tradepost } from './client.ts'
export {
  type CallDetails,
  type ErrorMeta,
  type ErrorMetas,
  TradepostError,
  type TradepostErrorOf,
  TransportError,
  type TransportReason,
} from './errors.ts'
export { ERROR_MESSAGES } from './generated/error-keys.ts'
export type * from './generated/index.ts'
export { readPayoutBatchCsv } from './generated/payout-batch-csv.ts'
export { TRADE_FAILURES } from './generated/trade-failures.ts'
export type {
  Attempt,
  CallOptions,
  Fetch,
  MoneyOptions,
  Runtime,
  TradepostOptions,
} from './options.ts'
export type { CursorPage, List, NumberedPage } from './pages.ts'
export type { Account, LiveAccess, TradeUrls, Transactions, Wallet } from './resources/account.ts'
export type { EventPosition, Events, EventsPage } from './resources/events.ts'
export type { Market } from './resources/market.ts'
export type { MarketOrders } from './resources/market-orders.ts'
export type { Merchant, Trades } from './resources/merchant.ts'
export type { ItemToSell, Selling, SellRequest } from './resources/selling.ts'
export type { Users } from './resources/users.ts'
export { VERSION } from './version.ts'
export * from './webhooks/index.ts'
