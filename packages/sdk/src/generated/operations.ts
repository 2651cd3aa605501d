// Made from the contract by `npm run generate -w @tradepost/sdk`. Do not edit.
import type {
  CancelDepositResponse,
  CreateDepositBody,
  CreateDepositResponse,
  CreateOnrampBody,
  CreateOnrampResponse,
  CryptoAddressResponse,
  DepositChainsResponse,
  DepositList,
  DepositQuoteBody,
  DepositQuoteResponse,
  ListDepositsQuery,
  OnrampQuoteBody,
  OnrampQuoteResponse,
} from './deposits.ts'
import type {
  ListMerchantEventsQuery,
  MerchantEvent,
  MerchantEventsResponse,
} from './event-feed.ts'
import type { WsTokenBody, WsTokenResponse } from './live.ts'
import type {
  BuyBody,
  BuyResponse,
  ItemLookupBody,
  ItemLookupResponse,
  ListItemListingsQuery,
  ListingsResponse,
  ListLiveMarketQuery,
  ListMarketListingsQuery,
  ListPricesQuery,
  LiveMarketResponse,
  MarketListing,
  MarketListingsResponse,
  PreflightResponse,
  PriceHistoryDay,
  PricesResponse,
  QuickBuyBody,
  QuickBuyResponse,
  SearchMarketQuery,
  SearchResponse,
  SearchResultItem,
  ServiceStatus,
  SuggestItemsQuery,
  SuggestionItem,
} from './market.ts'
import type {
  ListMarketOrdersQuery,
  MarketOrderBody,
  MarketOrderChangeBody,
  MarketOrderList,
} from './market-orders.ts'
import type {
  FeesResponse,
  GetMerchantStatsQuery,
  GetStatementQuery,
  LimitsResponse,
  ListMerchantLedgerQuery,
  ListRestoresQuery,
  MerchantKey,
  MerchantProfile,
  MerchantStats,
  MerchantWallet,
  RestoreList,
  Statement,
} from './merchant.ts'
import type {
  CreatePayoutBatchBody,
  CreateWithdrawalBody,
  CustodyDepositList,
  GetPayoutAddressQuery,
  GetPayoutBalancesQuery,
  ListCustodyDepositsQuery,
  ListWithdrawalsQuery,
  PayoutAddress,
  PayoutBalances,
  PayoutBatch,
  PayoutQuote,
  PayoutQuoteBody,
  WithdrawalList,
} from './payouts.ts'
import type { SellBody, SellInventoryResponse, SellPrice, SellResponse } from './selling.ts'
import type {
  Deposit,
  FundBody,
  FundResponse,
  MarketOrder,
  Trade,
  TransactionHistory,
  WalletBalance,
  Withdrawal,
} from './shared.ts'
import type {
  CreateSubUserBody,
  CreateSubUserResponse,
  DeleteSubUserResponse,
  ListSubUserLedgerQuery,
  ListSubUsersQuery,
  SubUserListResponse,
  SubUserResponse,
  UpdateSubUserBody,
} from './sub-users.ts'
import type {
  CreateTradeUrlBody,
  DeleteTradeUrlResponse,
  TradeUrl,
  UpdateTradeUrlBody,
} from './trade-urls.ts'
import type {
  CancelItemResponse,
  CancelTradeResponse,
  ListMerchantTradesQuery,
  ListSubUserTradesQuery,
  ListTransactionsQuery,
  TradeListResponse,
  TradeLookupBody,
  TradeLookupResponse,
  TradeTimeline,
  TransactionTradesResponse,
} from './trades.ts'
import type { ListWalletLedgerQuery } from './wallet.ts'

/** What each operation takes and answers. */
export interface Operations {
  /** GET /merchant */
  getMerchant: { data: MerchantProfile }
  /** GET /merchant/key */
  getKey: { data: MerchantKey }
  /** GET /merchant/fees */
  getMerchantFees: { data: FeesResponse }
  /** GET /merchant/limits */
  getMerchantLimits: { data: LimitsResponse }
  /** GET /merchant/stats */
  getMerchantStats: { query: GetMerchantStatsQuery; data: MerchantStats }
  /** GET /merchant/wallets */
  listMerchantWallets: { data: MerchantWallet[] }
  /** POST /merchant/earnings/transfer */
  transferEarnings: { body: FundBody; data: FundResponse }
  /** GET /merchant/trades */
  listMerchantTrades: { query: ListMerchantTradesQuery; data: TradeListResponse }
  /** GET /merchant/trades/{tradeId} */
  getMerchantTrade: { params: { tradeId: string }; data: Trade }
  /** GET /merchant/restores */
  listRestores: { query: ListRestoresQuery; data: RestoreList }
  /** GET /merchant/statements */
  getStatement: { query: GetStatementQuery; data: Statement }
  /** GET /merchant/ledger */
  listMerchantLedger: { query: ListMerchantLedgerQuery; data: TransactionHistory }
  /** GET /merchant/events */
  listMerchantEvents: { query: ListMerchantEventsQuery; data: MerchantEventsResponse }
  /** GET /merchant/events/{id} */
  getMerchantEvent: { params: { id: string }; data: MerchantEvent }
  /** GET /merchant/users */
  listSubUsers: { query: ListSubUsersQuery; data: SubUserListResponse }
  /** POST /merchant/users */
  createSubUser: { body: CreateSubUserBody; data: CreateSubUserResponse }
  /** GET /merchant/users/{id} */
  getSubUser: { params: { id: string }; data: SubUserResponse }
  /** PATCH /merchant/users/{id} */
  updateSubUser: { params: { id: string }; body: UpdateSubUserBody; data: SubUserResponse }
  /** DELETE /merchant/users/{id} */
  deleteSubUser: { params: { id: string }; data: DeleteSubUserResponse }
  /** POST /merchant/users/{id}/suspend */
  suspendSubUser: { params: { id: string }; data: SubUserResponse }
  /** POST /merchant/users/{id}/reactivate */
  reactivateSubUser: { params: { id: string }; data: SubUserResponse }
  /** POST /merchant/users/{id}/fund */
  fundSubUser: { params: { id: string }; body: FundBody; data: FundResponse }
  /** POST /merchant/users/{id}/defund */
  defundSubUser: { params: { id: string }; body: FundBody; data: FundResponse }
  /** GET /merchant/users/{id}/trades */
  listSubUserTrades: {
    params: { id: string }
    query: ListSubUserTradesQuery
    data: TradeListResponse
  }
  /** GET /merchant/users/{id}/ledger */
  listSubUserLedger: {
    params: { id: string }
    query: ListSubUserLedgerQuery
    data: TransactionHistory
  }
  /** GET /user/wallet */
  getWallet: { data: WalletBalance }
  /** GET /user/wallet/ledger */
  listWalletLedger: { query: ListWalletLedgerQuery; data: TransactionHistory }
  /** GET /user/settings/tradeurls */
  listTradeUrls: { data: TradeUrl[] }
  /** POST /user/settings/tradeurls */
  createTradeUrl: { body: CreateTradeUrlBody; data: TradeUrl }
  /** PATCH /user/settings/tradeurls/{id} */
  updateTradeUrl: { params: { id: string }; body: UpdateTradeUrlBody; data: TradeUrl }
  /** DELETE /user/settings/tradeurls/{id} */
  deleteTradeUrl: { params: { id: string }; data: DeleteTradeUrlResponse }
  /** GET /market */
  listLiveMarket: { query: ListLiveMarketQuery; data: LiveMarketResponse }
  /** GET /market/search */
  searchMarket: { query: SearchMarketQuery; data: SearchResponse }
  /** GET /market/search/suggestions */
  suggestItems: { query: SuggestItemsQuery; data: SuggestionItem[] }
  /** GET /market/prices */
  listPrices: { query: ListPricesQuery; data: PricesResponse }
  /** GET /market/items/{itemId} */
  getItem: { params: { itemId: string }; data: SearchResultItem }
  /** POST /market/items/lookup */
  lookUpItems: { body: ItemLookupBody; data: ItemLookupResponse }
  /** GET /market/items/{itemId}/listings */
  listItemListings: {
    params: { itemId: string }
    query: ListItemListingsQuery
    data: ListingsResponse
  }
  /** GET /market/listings */
  listMarketListings: { query: ListMarketListingsQuery; data: MarketListingsResponse }
  /** GET /market/items/{itemId}/history */
  getItemHistory: { params: { itemId: string }; data: PriceHistoryDay[] }
  /** GET /market/listings/{listingId} */
  getListing: { params: { listingId: string }; data: MarketListing }
  /** POST /market/buy */
  buy: { body: BuyBody; data: BuyResponse }
  /** GET /market/transactions */
  listTransactions: { query: ListTransactionsQuery; data: TransactionTradesResponse }
  /** GET /market/transactions/{tradeId} */
  getTransaction: { params: { tradeId: string }; data: Trade }
  /** GET /market/status */
  getServiceStatus: { data: ServiceStatus }
  /** POST /merchant/trades/lookup */
  lookUpTrades: { body: TradeLookupBody; data: TradeLookupResponse }
  /** POST /market/preflight */
  preflightBuy: { body: BuyBody; data: PreflightResponse }
  /** POST /market/quick-buy */
  quickBuy: { body: QuickBuyBody; data: QuickBuyResponse }
  /** POST /market/transactions/{tradeId}/cancel */
  cancelTrade: { params: { tradeId: string }; data: CancelTradeResponse }
  /** POST /market/transactions/{tradeId}/items/{itemId}/cancel */
  cancelItem: { params: { tradeId: string; itemId: string }; data: CancelItemResponse }
  /** GET /market/transactions/{tradeId}/timeline */
  getTradeTimeline: { params: { tradeId: string }; data: TradeTimeline }
  /** POST /market/orders */
  createMarketOrder: { body: MarketOrderBody; data: MarketOrder }
  /** GET /market/orders */
  listMarketOrders: { query: ListMarketOrdersQuery; data: MarketOrderList }
  /** GET /market/orders/{orderId} */
  getMarketOrder: { params: { orderId: string }; data: MarketOrder }
  /** PATCH /market/orders/{orderId} */
  changeMarketOrder: { params: { orderId: string }; body: MarketOrderChangeBody; data: MarketOrder }
  /** POST /market/orders/{orderId}/cancel */
  cancelMarketOrder: { params: { orderId: string }; data: MarketOrder }
  /** POST /auth/ws-token */
  issueWsToken: { body: WsTokenBody; data: WsTokenResponse }
  /** GET /market/sell/prices */
  listSellPrices: { data: SellPrice[] }
  /** GET /market/sell/inventory */
  getSellInventory: { data: SellInventoryResponse }
  /** POST /market/sell */
  sell: { body: SellBody; data: SellResponse }
  /** GET /user/wallet/deposit/gate/chains */
  listDepositChains: { data: DepositChainsResponse }
  /** POST /user/wallet/deposit/gate/quote */
  quoteDeposit: { body: DepositQuoteBody; data: DepositQuoteResponse }
  /** POST /user/wallet/deposit/gate */
  createDeposit: { body: CreateDepositBody; data: CreateDepositResponse }
  /** POST /user/wallet/deposit/onramp/quote */
  quoteOnramp: { body: OnrampQuoteBody; data: OnrampQuoteResponse }
  /** POST /user/wallet/deposit/onramp */
  createOnramp: { body: CreateOnrampBody; data: CreateOnrampResponse }
  /** GET /user/wallet/deposit/crypto/address */
  getCryptoAddress: { data: CryptoAddressResponse }
  /** GET /user/wallet/deposits */
  listDeposits: { query: ListDepositsQuery; data: DepositList }
  /** GET /user/wallet/deposits/{id} */
  getDeposit: { params: { id: string }; data: Deposit }
  /** POST /user/wallet/deposits/{id}/cancel */
  cancelDeposit: { params: { id: string }; data: CancelDepositResponse }
  /** POST /payout/crypto/withdrawals */
  createWithdrawal: { body: CreateWithdrawalBody; data: Withdrawal }
  /** POST /payout/crypto/batches */
  createPayoutBatch: { body: CreatePayoutBatchBody; data: PayoutBatch }
  /** GET /payout/crypto/batches/{id} */
  getPayoutBatch: { params: { id: string }; data: PayoutBatch }
  /** POST /payout/crypto/quote */
  quotePayout: { body: PayoutQuoteBody; data: PayoutQuote }
  /** GET /payout/crypto/withdrawals */
  listWithdrawals: { query: ListWithdrawalsQuery; data: WithdrawalList }
  /** GET /payout/crypto/withdrawals/{id} */
  getWithdrawal: { params: { id: string }; data: Withdrawal }
  /** GET /payout/crypto/balances */
  getPayoutBalances: { query: GetPayoutBalancesQuery; data: PayoutBalances }
  /** GET /payout/crypto/address */
  getPayoutAddress: { query: GetPayoutAddressQuery; data: PayoutAddress }
  /** GET /payout/crypto/deposits */
  listCustodyDeposits: { query: ListCustodyDepositsQuery; data: CustodyDepositList }
}

export type OperationId = keyof Operations

export interface RouteOfOperation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  /** Moves money under an `Idempotency-Key`. */
  readonly keyed?: true
}

export const ROUTES: Readonly<Record<OperationId, RouteOfOperation>> = {
  getMerchant: { method: 'GET', path: '/merchant' },
  getKey: { method: 'GET', path: '/merchant/key' },
  getMerchantFees: { method: 'GET', path: '/merchant/fees' },
  getMerchantLimits: { method: 'GET', path: '/merchant/limits' },
  getMerchantStats: { method: 'GET', path: '/merchant/stats' },
  listMerchantWallets: { method: 'GET', path: '/merchant/wallets' },
  transferEarnings: { method: 'POST', path: '/merchant/earnings/transfer', keyed: true },
  listMerchantTrades: { method: 'GET', path: '/merchant/trades' },
  getMerchantTrade: { method: 'GET', path: '/merchant/trades/{tradeId}' },
  listRestores: { method: 'GET', path: '/merchant/restores' },
  getStatement: { method: 'GET', path: '/merchant/statements' },
  listMerchantLedger: { method: 'GET', path: '/merchant/ledger' },
  listMerchantEvents: { method: 'GET', path: '/merchant/events' },
  getMerchantEvent: { method: 'GET', path: '/merchant/events/{id}' },
  listSubUsers: { method: 'GET', path: '/merchant/users' },
  createSubUser: { method: 'POST', path: '/merchant/users' },
  getSubUser: { method: 'GET', path: '/merchant/users/{id}' },
  updateSubUser: { method: 'PATCH', path: '/merchant/users/{id}' },
  deleteSubUser: { method: 'DELETE', path: '/merchant/users/{id}' },
  suspendSubUser: { method: 'POST', path: '/merchant/users/{id}/suspend' },
  reactivateSubUser: { method: 'POST', path: '/merchant/users/{id}/reactivate' },
  fundSubUser: { method: 'POST', path: '/merchant/users/{id}/fund', keyed: true },
  defundSubUser: { method: 'POST', path: '/merchant/users/{id}/defund', keyed: true },
  listSubUserTrades: { method: 'GET', path: '/merchant/users/{id}/trades' },
  listSubUserLedger: { method: 'GET', path: '/merchant/users/{id}/ledger' },
  getWallet: { method: 'GET', path: '/user/wallet' },
  listWalletLedger: { method: 'GET', path: '/user/wallet/ledger' },
  listTradeUrls: { method: 'GET', path: '/user/settings/tradeurls' },
  createTradeUrl: { method: 'POST', path: '/user/settings/tradeurls' },
  updateTradeUrl: { method: 'PATCH', path: '/user/settings/tradeurls/{id}' },
  deleteTradeUrl: { method: 'DELETE', path: '/user/settings/tradeurls/{id}' },
  listLiveMarket: { method: 'GET', path: '/market' },
  searchMarket: { method: 'GET', path: '/market/search' },
  suggestItems: { method: 'GET', path: '/market/search/suggestions' },
  listPrices: { method: 'GET', path: '/market/prices' },
  getItem: { method: 'GET', path: '/market/items/{itemId}' },
  lookUpItems: { method: 'POST', path: '/market/items/lookup' },
  listItemListings: { method: 'GET', path: '/market/items/{itemId}/listings' },
  listMarketListings: { method: 'GET', path: '/market/listings' },
  getItemHistory: { method: 'GET', path: '/market/items/{itemId}/history' },
  getListing: { method: 'GET', path: '/market/listings/{listingId}' },
  buy: { method: 'POST', path: '/market/buy' },
  listTransactions: { method: 'GET', path: '/market/transactions' },
  getTransaction: { method: 'GET', path: '/market/transactions/{tradeId}' },
  getServiceStatus: { method: 'GET', path: '/market/status' },
  lookUpTrades: { method: 'POST', path: '/merchant/trades/lookup' },
  preflightBuy: { method: 'POST', path: '/market/preflight' },
  quickBuy: { method: 'POST', path: '/market/quick-buy' },
  cancelTrade: { method: 'POST', path: '/market/transactions/{tradeId}/cancel' },
  cancelItem: { method: 'POST', path: '/market/transactions/{tradeId}/items/{itemId}/cancel' },
  getTradeTimeline: { method: 'GET', path: '/market/transactions/{tradeId}/timeline' },
  createMarketOrder: { method: 'POST', path: '/market/orders' },
  listMarketOrders: { method: 'GET', path: '/market/orders' },
  getMarketOrder: { method: 'GET', path: '/market/orders/{orderId}' },
  changeMarketOrder: { method: 'PATCH', path: '/market/orders/{orderId}' },
  cancelMarketOrder: { method: 'POST', path: '/market/orders/{orderId}/cancel' },
  issueWsToken: { method: 'POST', path: '/auth/ws-token' },
  listSellPrices: { method: 'GET', path: '/market/sell/prices' },
  getSellInventory: { method: 'GET', path: '/market/sell/inventory' },
  sell: { method: 'POST', path: '/market/sell' },
  listDepositChains: { method: 'GET', path: '/user/wallet/deposit/gate/chains' },
  quoteDeposit: { method: 'POST', path: '/user/wallet/deposit/gate/quote' },
  createDeposit: { method: 'POST', path: '/user/wallet/deposit/gate' },
  quoteOnramp: { method: 'POST', path: '/user/wallet/deposit/onramp/quote' },
  createOnramp: { method: 'POST', path: '/user/wallet/deposit/onramp' },
  getCryptoAddress: { method: 'GET', path: '/user/wallet/deposit/crypto/address' },
  listDeposits: { method: 'GET', path: '/user/wallet/deposits' },
  getDeposit: { method: 'GET', path: '/user/wallet/deposits/{id}' },
  cancelDeposit: { method: 'POST', path: '/user/wallet/deposits/{id}/cancel' },
  createWithdrawal: { method: 'POST', path: '/payout/crypto/withdrawals' },
  createPayoutBatch: { method: 'POST', path: '/payout/crypto/batches' },
  getPayoutBatch: { method: 'GET', path: '/payout/crypto/batches/{id}' },
  quotePayout: { method: 'POST', path: '/payout/crypto/quote' },
  listWithdrawals: { method: 'GET', path: '/payout/crypto/withdrawals' },
  getWithdrawal: { method: 'GET', path: '/payout/crypto/withdrawals/{id}' },
  getPayoutBalances: { method: 'GET', path: '/payout/crypto/balances' },
  getPayoutAddress: { method: 'GET', path: '/payout/crypto/address' },
  listCustodyDeposits: { method: 'GET', path: '/payout/crypto/deposits' },
}
