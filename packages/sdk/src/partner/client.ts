import {
  type CallOptions,
  type MoneyOptions,
  settingsOf,
  type TradepostOptions,
} from '../options.ts'
import { type Call, createCall } from '../transport.ts'
import type {
  BuyBody,
  CreateChildBody,
  CryptoDepositBody,
  GetStatementQuery,
  GetWalletQuery,
  ListCryptoChainsQuery,
  ListItemsQuery,
  ListingReference,
  ListLedgerQuery,
  ListListingsQuery,
  ListOrdersQuery,
  ListTransactionsQuery,
  ListWithdrawFeesQuery,
  OnrampQuoteBody,
  OnrampSessionBody,
  SearchQuery,
  TransferBody,
  WithdrawBody,
} from './generated/index.ts'
import type { Operations } from './generated/operations.ts'
import { PARTNER } from './partner-service.ts'

/**
 * The partner interface behind one API key: a partner's own, or a child's. It uses the v2 routes; v1 routes
 * that v2 replaces have no method here.
 *
 * Calls reject with a `TradepostError` when the service refuses, with a `TransportError` when there is no
 * response of the service, and with the reason of your signal when you abort them.
 */
export class TradepostPartner {
  readonly market: PartnerMarket
  readonly account: PartnerAccount
  readonly wallet: PartnerWallet
  /** FORBIDDEN for a child's key. */
  readonly children: PartnerChildren

  constructor(options: TradepostOptions) {
    const call = createCall<Operations>(settingsOf(options), PARTNER, undefined)
    this.market = marketOf(call)
    this.account = accountOf(call)
    this.wallet = walletOf(call)
    this.children = childrenOf(call)
  }
}

type PartnerCall = Call<Operations>

const marketOf = (call: PartnerCall) => ({
  /** What is for sale; `start` and `end` are counted from 1, at most 100 items apart. */
  search: (query: SearchQuery = {}, options?: CallOptions) => call('search', { query }, options),

  /** Suggestions for an incomplete query. */
  suggest: async (q: string, options?: CallOptions) =>
    (await call('suggest', { query: { q } }, options)).items,

  /** What is for sale of an item, the cheapest first, 25 a page. */
  listings: (query: ListListingsQuery, options?: CallOptions) =>
    call('listListings', { query }, options),

  /** The cheapest listing of each of the most traded items, the most traded first. */
  live: async (options?: CallOptions) => (await call('listLiveListings', {}, options)).listings,

  /** Up to 10 listings as they are now; one that is gone is an entry with an error. */
  details: async (items: ListingReference[], options?: CallOptions) =>
    (await call('getListingDetails', { body: { items } }, options)).items,

  /** One item, with its lowest price with and without fees. */
  item: async (id: string, options?: CallOptions) =>
    (await call('getItem', { params: { id } }, options)).item,

  /** Every exterior and category of an item. FORBIDDEN for a child's key. */
  overview: (id: string, options?: CallOptions) =>
    call('getItemOverview', { params: { id } }, options),

  /** Every item by its market hash name, in one answer. */
  items: (query: ListItemsQuery = {}, options?: CallOptions) =>
    call('listItems', { query }, options),

  /**
   * Buys a listing at its base price of now; any other is PRICE_MISMATCH. It is retried after a lost
   * response under the same `idempotencyKey`: money moves once.
   */
  buy: (body: BuyBody, options?: MoneyOptions) => call('buyListing', { body }, options),
})

const accountOf = (call: PartnerCall) => ({
  /** The account's balance, and what it has switched on. */
  profile: async (options?: CallOptions) => (await call('getProfile', {}, options)).profile,

  /** As percentages. */
  fees: async (options?: CallOptions) => (await call('getFees', {}, options)).fees,

  /** Newest first. */
  orders: (query: ListOrdersQuery = {}, options?: CallOptions) =>
    call('listOrders', { query }, options),

  /** Purchases and refunds, newest first. */
  transactions: (query: ListTransactionsQuery = {}, options?: CallOptions) =>
    call('listTransactions', { query }, options),

  /** How many orders are completed, and how many failed. */
  transactionStats: async (options?: CallOptions) =>
    (await call('getTransactionStats', {}, options)).stats,

  /** Movements of the wallet with the balance after each, newest first. */
  ledger: (query: ListLedgerQuery = {}, options?: CallOptions) =>
    call('listLedger', { query }, options),

  /** What moved in a month, by type; the running month unless another is named. */
  statement: (query: GetStatementQuery = {}, options?: CallOptions) =>
    call('getStatement', { query }, options),
})

const walletOf = (call: PartnerCall) => ({
  /** The balance, with deposits and withdrawals newest first. */
  read: (query: GetWalletQuery = {}, options?: CallOptions) =>
    call('getWallet', { query }, options),

  /** The chains on which a token can be paid. */
  chains: (currency: ListCryptoChainsQuery['currency'], options?: CallOptions) =>
    call('listCryptoChains', { query: { currency } }, options),

  /** Quotes and orders a deposit, and returns where to pay. Sent once: a repeat would be another deposit. */
  deposit: (body: CryptoDepositBody, options?: CallOptions) =>
    call('createCryptoDeposit', { body }, options),

  /** While it is initiated. */
  cancelDeposit: (depositId: string, options?: CallOptions) =>
    call('cancelWalletDeposit', { params: { depositId } }, options),

  /** What tokens are worth to the gateway. FORBIDDEN for a child's key. */
  rates: (options?: CallOptions) => call('listDepositRates', {}, options),

  /** What arrives for an amount that a card is charged. */
  quoteCard: (body: OnrampQuoteBody, options?: CallOptions) =>
    call('quoteCardDeposit', { body }, options),

  /** Orders a deposit by card, and returns the page of the payment. Sent once, as `deposit`. */
  depositByCard: (body: OnrampSessionBody, options?: CallOptions) =>
    call('openCardSession', { body }, options),

  /** What the on-ramp publishes of itself: bounds, countries, and its numbers of coins and networks. */
  cardLimits: (options?: CallOptions) => call('getOnrampLimits', {}, options),
  cardCountries: (options?: CallOptions) => call('getOnrampCountries', {}, options),
  cardMapping: (options?: CallOptions) => call('getOnrampMapping', {}, options),

  /**
   * Pays from the wallet to an address. It is retried after a lost response under the same
   * `idempotencyKey`: money moves once.
   */
  withdraw: (body: WithdrawBody, options?: MoneyOptions) => call('withdraw', { body }, options),

  /** What a transfer costs now on each network. */
  withdrawFees: (currency: ListWithdrawFeesQuery['currency'], options?: CallOptions) =>
    call('listWithdrawFees', { query: { currency } }, options),
})

const childrenOf = (call: PartnerCall) => ({
  /**
   * Creates a child, or fetches the one with this e-mail address. Only a new one comes with its `apiKey`:
   * keep it, it is shown once. The call is not retried.
   */
  create: (body: CreateChildBody, options?: CallOptions) => call('createChild', { body }, options),

  /** Moves money to a child, once for each `idempotencyKey`; retried after a lost response. */
  transfer: (body: TransferBody, options?: CallOptions) =>
    call('transferToChild', { body }, options),

  /** Totals over all children. */
  stats: (options?: CallOptions) => call('getPartnerStats', {}, options),

  /** How the markets are served. */
  marketHealth: (options?: CallOptions) => call('getMarketHealth', {}, options),
})

export type PartnerMarket = ReturnType<typeof marketOf>
export type PartnerAccount = ReturnType<typeof accountOf>
export type PartnerWallet = ReturnType<typeof walletOf>
export type PartnerChildren = ReturnType<typeof childrenOf>
