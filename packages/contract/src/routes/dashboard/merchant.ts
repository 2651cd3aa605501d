import {
  AuditItems,
  AuditQuery,
  DashboardEvents,
  DashboardEventsQuery,
  DashboardTrades,
  DashboardTradesQuery,
  MerchantFees,
  Overview,
  OverviewQuery,
  SetOwnFeesBody,
  TradePage,
} from '../../shapes/dashboard-merchant.ts'
import { FindQuery, FoundHits } from '../../shapes/dashboard-search.ts'
import { LedgerRows } from '../../shapes/dashboard-wallets.ts'
import { MerchantEvent, MerchantEventParams } from '../../shapes/event.ts'
import { LimitsResponse } from '../../shapes/limits.ts'
import { WsTokenResponse } from '../../shapes/live.ts'
import {
  ItemParams,
  ListingsQuery,
  ListingsResponse,
  LiveSearchQuery,
  PriceHistory,
  SearchResponse,
  SearchResultItem,
} from '../../shapes/market.ts'
import { MerchantWallets } from '../../shapes/merchant.ts'
import { TradeParams } from '../../shapes/trade.ts'
import { MerchantLedgerQuery } from '../../shapes/wallet.ts'
import { defineDashboardRoute } from './route.ts'

const READ = { method: 'GET', capability: 'account.read', status: 200 } as const
const OF_ACCOUNT = { tag: 'Merchant' } as const

/** What a merchant reads about its own business. */
export const merchantPageRoutes = {
  getOverview: defineDashboardRoute({
    ...{ ...READ, ...OF_ACCOUNT, id: 'getOverview', path: '/dashboard/api/overview' },
    summary: 'Volume, fees, trades and balances over a time',
    query: OverviewQuery,
    response: Overview,
    refusals: [],
  }),
  listTrades: defineDashboardRoute({
    ...{ ...READ, ...OF_ACCOUNT, id: 'listTrades', path: '/dashboard/api/trades' },
    summary: 'Trades of the merchant and its sub-users, newest first',
    query: DashboardTradesQuery,
    response: DashboardTrades,
    refusals: ['USER_NOT_FOUND'],
  }),
  getTradePage: defineDashboardRoute({
    ...{ ...READ, ...OF_ACCOUNT, id: 'getTradePage', path: '/dashboard/api/trades/{tradeId}' },
    summary:
      'A trade of a merchant, or an order of a partner, with its timeline, postings and deliveries',
    params: TradeParams,
    response: TradePage,
    refusals: ['TRADE_NOT_FOUND'],
  }),
  listWallets: defineDashboardRoute({
    ...{ ...READ, ...OF_ACCOUNT, id: 'listWallets', path: '/dashboard/api/wallets' },
    summary: 'Balances',
    response: MerchantWallets,
    refusals: [],
  }),
  listLedger: defineDashboardRoute({
    ...{ ...READ, ...OF_ACCOUNT, id: 'listLedger', path: '/dashboard/api/ledger' },
    summary: 'Rows of a wallet, newest first',
    query: MerchantLedgerQuery,
    response: LedgerRows,
    refusals: [],
  }),
  getFees: defineDashboardRoute({
    ...{ ...READ, ...OF_ACCOUNT, id: 'getFees', path: '/dashboard/api/fees' },
    summary: 'Agreed fees',
    response: MerchantFees,
    refusals: [],
  }),
  setFees: defineDashboardRoute({
    ...{ ...OF_ACCOUNT, id: 'setFees', method: 'PUT', path: '/dashboard/api/fees', status: 200 },
    ...{ capability: 'money.write', sensitive: true },
    summary: 'Set what the merchant takes of trades of its sub-users from now on',
    body: SetOwnFeesBody,
    response: MerchantFees,
    refusals: [],
  }),
  getLimits: defineDashboardRoute({
    ...{ ...READ, ...OF_ACCOUNT, id: 'getLimits', path: '/dashboard/api/limits' },
    summary: 'The budget of the account’s keys, and what is left of it',
    response: LimitsResponse,
    refusals: [],
  }),
  listEvents: defineDashboardRoute({
    ...{ ...READ, ...OF_ACCOUNT, id: 'listEvents', path: '/dashboard/api/events' },
    summary: 'Events, newest first',
    query: DashboardEventsQuery,
    response: DashboardEvents,
    refusals: [],
  }),
  getEvent: defineDashboardRoute({
    ...{ ...READ, ...OF_ACCOUNT, id: 'getEvent', path: '/dashboard/api/events/{id}' },
    summary: 'An event as a webhook carries it',
    params: MerchantEventParams,
    response: MerchantEvent,
    refusals: ['NOT_FOUND'],
  }),
  searchLiveMarket: defineDashboardRoute({
    ...{ ...READ, ...OF_ACCOUNT, id: 'searchLiveMarket', path: '/dashboard/api/market' },
    summary: 'Items of the market at the merchant’s own prices',
    query: LiveSearchQuery,
    response: SearchResponse,
    refusals: [],
  }),
  getLiveItem: defineDashboardRoute({
    ...{ ...READ, ...OF_ACCOUNT, id: 'getLiveItem', path: '/dashboard/api/market/items/{itemId}' },
    summary: 'An item of the market at the merchant’s own prices',
    params: ItemParams,
    response: SearchResultItem,
    refusals: ['ITEM_NOT_FOUND'],
  }),
  listLiveListings: defineDashboardRoute({
    ...{ ...READ, ...OF_ACCOUNT, id: 'listLiveListings' },
    path: '/dashboard/api/market/items/{itemId}/listings',
    summary: 'What is for sale of an item, the cheapest first',
    params: ItemParams,
    query: ListingsQuery,
    response: ListingsResponse,
    refusals: ['ITEM_NOT_FOUND'],
  }),
  getLiveItemHistory: defineDashboardRoute({
    ...{ ...READ, ...OF_ACCOUNT, id: 'getLiveItemHistory' },
    path: '/dashboard/api/market/items/{itemId}/history',
    summary: 'An item’s daily prices',
    params: ItemParams,
    response: PriceHistory,
    refusals: ['ITEM_NOT_FOUND'],
  }),
  getLiveMarketToken: defineDashboardRoute({
    ...{ ...READ, ...OF_ACCOUNT, id: 'getLiveMarketToken', path: '/dashboard/api/market/token' },
    summary: 'A token that opens the socket of the market',
    response: WsTokenResponse,
    refusals: [],
  }),
  listAudit: defineDashboardRoute({
    ...{ ...READ, ...OF_ACCOUNT, id: 'listAudit', path: '/dashboard/api/audit' },
    summary: 'What was done to this account, newest first',
    query: AuditQuery,
    response: AuditItems,
    refusals: [],
  }),
  searchIds: defineDashboardRoute({
    ...{ ...READ, ...OF_ACCOUNT, id: 'searchIds', path: '/dashboard/api/search' },
    summary: 'Whatever of the account and its users has an id',
    query: FindQuery,
    response: FoundHits,
    refusals: [],
  }),
} as const
