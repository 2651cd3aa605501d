// Made from the contract by `npm run generate -w @tradepost/sdk`. Do not edit.
import type {
  FeeConfigurationResponse,
  GetStatementQuery,
  LedgerResponse,
  ListLedgerQuery,
  ListOrdersQuery,
  ListTransactionsQuery,
  OrdersResponse,
  PartnerStatement,
  ProfileResponse,
  TransactionStatsResponse,
  TransactionsResponse,
} from './account.ts'
import type { BuyBody, BuyResponse } from './buying.ts'
import type {
  ItemMapResponse,
  ItemOverviewResponse,
  ItemResponse,
  ListItemsQuery,
  ListingDetailBody,
  ListingDetailResponse,
  ListingsResponse,
  ListListingsQuery,
  LiveListingsResponse,
  SearchQuery,
  SearchResponse,
  SuggestionsResponse,
  SuggestQuery,
} from './catalogue.ts'
import type {
  ChildResponse,
  CreateChildBody,
  PartnerStats,
  TransferBody,
  TransferResponse,
} from './children.ts'
import type { MarketHealth } from './health.ts'
import type {
  GetListingDetailV1Query,
  LegacyBuyBody,
  LegacyBuyResponse,
  LegacyListingDetailResponse,
  LegacyListingsResponse,
  LegacyLiveListingsResponse,
  LegacySearchResponse,
  LegacySuggestionsResponse,
  ListListingsV1Query,
  SearchV1Query,
  SuggestV1Query,
} from './legacy.ts'
import type {
  CancelDepositResponse,
  CryptoChain,
  CryptoDepositBody,
  CryptoDepositResponse,
  DepositRatesResponse,
  GetWalletQuery,
  ListCryptoChainsQuery,
  ListWithdrawFeesQuery,
  OnrampConfiguration,
  OnrampQuote,
  OnrampQuoteBody,
  OnrampSessionBody,
  OnrampSessionResponse,
  PendingWithdrawal,
  QueuedWithdrawal,
  WalletResponse,
  WithdrawBody,
  WithdrawFee,
} from './wallet.ts'

/** What each operation takes and answers. */
export interface Operations {
  /** POST /v1/partner/users */
  createChild: { body: CreateChildBody; data: ChildResponse }
  /** POST /v1/partner/transfers */
  transferToChild: { body: TransferBody; data: TransferResponse }
  /** GET /v1/partner/stats */
  getPartnerStats: { data: PartnerStats }
  /** GET /v1/partner/market-health */
  getMarketHealth: { data: MarketHealth }
  /** GET /v2/market/search */
  search: { query: SearchQuery; data: SearchResponse }
  /** GET /v2/market/search/suggestions */
  suggest: { query: SuggestQuery; data: SuggestionsResponse }
  /** GET /v2/market/listings */
  listListings: { query: ListListingsQuery; data: ListingsResponse }
  /** GET /v2/partner/live/listings */
  listLiveListings: { data: LiveListingsResponse }
  /** POST /v2/partner/listing-detail */
  getListingDetails: { body: ListingDetailBody; data: ListingDetailResponse }
  /** GET /v1/market/item/{id}/overview */
  getItemOverview: { params: { id: string }; data: ItemOverviewResponse }
  /** GET /v1/market/item/{id} */
  getItem: { params: { id: string }; data: ItemResponse }
  /** GET /v1/market/items */
  listItems: { query: ListItemsQuery; data: ItemMapResponse }
  /** POST /v2/market/buy */
  buyListing: { body: BuyBody; data: BuyResponse }
  /** GET /v1/user */
  getProfile: { data: ProfileResponse }
  /** GET /v1/user/fees */
  getFees: { data: FeeConfigurationResponse }
  /** GET /v1/user/orders */
  listOrders: { query: ListOrdersQuery; data: OrdersResponse }
  /** GET /v1/user/transactions */
  listTransactions: { query: ListTransactionsQuery; data: TransactionsResponse }
  /** GET /v1/user/transactions/stats */
  getTransactionStats: { data: TransactionStatsResponse }
  /** GET /v1/user/ledger */
  listLedger: { query: ListLedgerQuery; data: LedgerResponse }
  /** GET /v1/user/statements */
  getStatement: { query: GetStatementQuery; data: PartnerStatement }
  /** GET /v1/user/wallet */
  getWallet: { query: GetWalletQuery; data: WalletResponse }
  /** POST /v1/user/wallet/{depositId}/cancel */
  cancelWalletDeposit: { params: { depositId: string }; data: CancelDepositResponse }
  /** GET /v1/user/wallet/deposit/crypto/chains */
  listCryptoChains: { query: ListCryptoChainsQuery; data: CryptoChain[] }
  /** POST /v1/user/wallet/deposit/crypto */
  createCryptoDeposit: { body: CryptoDepositBody; data: CryptoDepositResponse }
  /** GET /v1/user/wallet/deposit/crypto/rates */
  listDepositRates: { data: DepositRatesResponse }
  /** POST /v1/user/wallet/deposit/onramp/quote */
  quoteCardDeposit: { body: OnrampQuoteBody; data: OnrampQuote }
  /** POST /v1/user/wallet/deposit/onramp/session */
  openCardSession: { body: OnrampSessionBody; data: OnrampSessionResponse }
  /** GET /v1/partner/onramp/limitsMapping */
  getOnrampLimits: { data: OnrampConfiguration }
  /** GET /v1/partner/onramp/allCountryConfig */
  getOnrampCountries: { data: OnrampConfiguration }
  /** GET /v1/partner/onramp/allConfigMapping */
  getOnrampMapping: { data: OnrampConfiguration }
  /** POST /v1/user/wallet/withdraw */
  withdraw: { body: WithdrawBody; data: PendingWithdrawal | QueuedWithdrawal }
  /** GET /v1/user/wallet/withdraw/fees */
  listWithdrawFees: { query: ListWithdrawFeesQuery; data: WithdrawFee[] }
  /** GET /v1/market/search */
  searchV1: { query: SearchV1Query; data: LegacySearchResponse }
  /** GET /v1/market/search/suggestions */
  suggestV1: { query: SuggestV1Query; data: LegacySuggestionsResponse }
  /** GET /v1/market/listings */
  listListingsV1: { query: ListListingsV1Query; data: LegacyListingsResponse }
  /** GET /v1/partner/live/listings */
  listLiveListingsV1: { data: LegacyLiveListingsResponse }
  /** GET /v1/partner/listing-detail */
  getListingDetailV1: { query: GetListingDetailV1Query; data: LegacyListingDetailResponse }
  /** POST /v1/market/buy */
  buyListingV1: { body: LegacyBuyBody; data: LegacyBuyResponse }
}

export type OperationId = keyof Operations

export interface RouteOfOperation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  /** Moves money under an `Idempotency-Key`. */
  readonly keyed?: true
}

export const ROUTES: Readonly<Record<OperationId, RouteOfOperation>> = {
  createChild: { method: 'POST', path: '/v1/partner/users' },
  transferToChild: { method: 'POST', path: '/v1/partner/transfers' },
  getPartnerStats: { method: 'GET', path: '/v1/partner/stats' },
  getMarketHealth: { method: 'GET', path: '/v1/partner/market-health' },
  search: { method: 'GET', path: '/v2/market/search' },
  suggest: { method: 'GET', path: '/v2/market/search/suggestions' },
  listListings: { method: 'GET', path: '/v2/market/listings' },
  listLiveListings: { method: 'GET', path: '/v2/partner/live/listings' },
  getListingDetails: { method: 'POST', path: '/v2/partner/listing-detail' },
  getItemOverview: { method: 'GET', path: '/v1/market/item/{id}/overview' },
  getItem: { method: 'GET', path: '/v1/market/item/{id}' },
  listItems: { method: 'GET', path: '/v1/market/items' },
  buyListing: { method: 'POST', path: '/v2/market/buy', keyed: true },
  getProfile: { method: 'GET', path: '/v1/user' },
  getFees: { method: 'GET', path: '/v1/user/fees' },
  listOrders: { method: 'GET', path: '/v1/user/orders' },
  listTransactions: { method: 'GET', path: '/v1/user/transactions' },
  getTransactionStats: { method: 'GET', path: '/v1/user/transactions/stats' },
  listLedger: { method: 'GET', path: '/v1/user/ledger' },
  getStatement: { method: 'GET', path: '/v1/user/statements' },
  getWallet: { method: 'GET', path: '/v1/user/wallet' },
  cancelWalletDeposit: { method: 'POST', path: '/v1/user/wallet/{depositId}/cancel' },
  listCryptoChains: { method: 'GET', path: '/v1/user/wallet/deposit/crypto/chains' },
  createCryptoDeposit: { method: 'POST', path: '/v1/user/wallet/deposit/crypto' },
  listDepositRates: { method: 'GET', path: '/v1/user/wallet/deposit/crypto/rates' },
  quoteCardDeposit: { method: 'POST', path: '/v1/user/wallet/deposit/onramp/quote' },
  openCardSession: { method: 'POST', path: '/v1/user/wallet/deposit/onramp/session' },
  getOnrampLimits: { method: 'GET', path: '/v1/partner/onramp/limitsMapping' },
  getOnrampCountries: { method: 'GET', path: '/v1/partner/onramp/allCountryConfig' },
  getOnrampMapping: { method: 'GET', path: '/v1/partner/onramp/allConfigMapping' },
  withdraw: { method: 'POST', path: '/v1/user/wallet/withdraw', keyed: true },
  listWithdrawFees: { method: 'GET', path: '/v1/user/wallet/withdraw/fees' },
  searchV1: { method: 'GET', path: '/v1/market/search' },
  suggestV1: { method: 'GET', path: '/v1/market/search/suggestions' },
  listListingsV1: { method: 'GET', path: '/v1/market/listings' },
  listLiveListingsV1: { method: 'GET', path: '/v1/partner/live/listings' },
  getListingDetailV1: { method: 'GET', path: '/v1/partner/listing-detail' },
  buyListingV1: { method: 'POST', path: '/v1/market/buy', keyed: true },
}
