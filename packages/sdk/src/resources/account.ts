import type { WsTokenBody } from '../generated/live.ts'
import type { CreateTradeUrlBody } from '../generated/trade-urls.ts'
import type { ListTransactionsQuery } from '../generated/trades.ts'
import type { ListWalletLedgerQuery } from '../generated/wallet.ts'
import type { CallOptions } from '../options.ts'
import { byCursor } from '../pages.ts'
import type { Call } from '../transport.ts'
import { type Deposits, depositsOf } from './deposits.ts'
import { type Market, marketOf } from './market.ts'
import { type MarketOrders, marketOrdersOf } from './market-orders.ts'
import { type Selling, sellingOf } from './selling.ts'

const walletOf = (call: Call) => ({
  /** The balance of the spot wallet. */
  get: (options?: CallOptions) => call('getWallet', {}, options),

  /** The postings of the wallet, newest first. */
  ledger: (query: ListWalletLedgerQuery = {}, options?: CallOptions) =>
    byCursor(
      query,
      (slice) => call('listWalletLedger', { query: { ...query, ...slice } }, options),
      ({ items }) => items,
    ),
})

export type Wallet = ReturnType<typeof walletOf>

const tradeUrlsOf = (call: Call) => ({
  /** Newest first. The primary one receives what is bought. */
  list: (options?: CallOptions) => call('listTradeUrls', {}, options),

  /** Stores a trade URL. The first one becomes primary and links the platform account. */
  create: (body: CreateTradeUrlBody, options?: CallOptions) =>
    call('createTradeUrl', { body }, options),

  /** The one that was primary no longer is. */
  makePrimary: (id: string, options?: CallOptions) =>
    call('updateTradeUrl', { params: { id }, body: { isPrimary: true } }, options),

  /** When it was the primary one, the newest that is left takes its place. */
  delete: (id: string, options?: CallOptions) =>
    call('deleteTradeUrl', { params: { id } }, options),
})

export type TradeUrls = ReturnType<typeof tradeUrlsOf>

const transactionsOf = (call: Call) => ({
  /** The account's own trades, newest first. */
  list: (query: ListTransactionsQuery = {}, options?: CallOptions) =>
    byCursor(
      query,
      (slice) => call('listTransactions', { query: { ...query, ...slice } }, options),
      ({ transactions }) => transactions,
    ),

  /** One of them, with its items as they are now. */
  get: (tradeId: string, options?: CallOptions) =>
    call('getTransaction', { params: { tradeId } }, options),

  /** Everything that happened to a trade, by rising time. */
  timeline: (tradeId: string, options?: CallOptions) =>
    call('getTradeTimeline', { params: { tradeId } }, options),

  /** Cancels what can still be canceled of a trade; the answer says of each item what came of it. */
  cancel: (tradeId: string, options?: CallOptions) =>
    call('cancelTrade', { params: { tradeId } }, options),

  /** Cancels one item, by its id or by the externalId that it was bought under. */
  cancelItem: (tradeId: string, itemId: string, options?: CallOptions) =>
    call('cancelItem', { params: { tradeId, itemId } }, options),
})

export type Transactions = ReturnType<typeof transactionsOf>

const liveOf = (call: Call, baseUrl: string) => ({
  /** Where the sockets are. */
  baseUrl,

  /** A token that opens the account's sockets for five minutes: with the scope of the market by default. */
  token: (scopes?: WsTokenBody['scopes'], options?: CallOptions) =>
    call('issueWsToken', { body: scopes === undefined ? {} : { scopes } }, options),
})

export type LiveAccess = ReturnType<typeof liveOf>

/** What an account can do for itself: a sub-user, or the merchant. */
export interface Account {
  /** Search, prices, live listings, and buying them. */
  readonly market: Market
  /** Standing orders to buy. */
  readonly marketOrders: MarketOrders
  /** What the bots pay, and selling to them. */
  readonly selling: Selling
  /** The account's own balance and postings. */
  readonly wallet: Wallet
  /** Money into the account's wallet. */
  readonly deposits: Deposits
  /** Where the account receives what it buys. */
  readonly tradeUrls: TradeUrls
  /** The account's own trades. */
  readonly transactions: Transactions
  /** The way to the account's sockets. */
  readonly live: LiveAccess
}

export const accountOf = (call: Call, baseUrl: string): Account => ({
  market: marketOf(call),
  marketOrders: marketOrdersOf(call),
  selling: sellingOf(call),
  wallet: walletOf(call),
  deposits: depositsOf(call),
  tradeUrls: tradeUrlsOf(call),
  transactions: transactionsOf(call),
  live: liveOf(call, baseUrl),
})
