import {
  DashboardMarketOrderBody,
  DashboardMarketOrders,
  DashboardMarketOrdersQuery,
  ItemDepthQuery,
  MarketOrderDepth,
} from '../../shapes/dashboard-market-orders.ts'
import { ItemParams } from '../../shapes/market.ts'
import { MarketOrder, MarketOrderChangeBody, MarketOrderParams } from '../../shapes/market-order.ts'
import { defineDashboardRoute } from './route.ts'

const OF_ORDERS = { tag: 'Merchant', status: 200 } as const
const READ = { ...OF_ORDERS, method: 'GET', capability: 'account.read' } as const
const WRITE = { ...OF_ORDERS, capability: 'money.write', response: MarketOrder } as const

/** Market orders of a merchant and its sub-users. */
export const marketOrderPageRoutes = {
  listMarketOrders: defineDashboardRoute({
    ...{ ...READ, id: 'listMarketOrders', path: '/dashboard/api/market-orders' },
    summary: 'Market orders of the merchant and its sub-users, newest first',
    query: DashboardMarketOrdersQuery,
    response: DashboardMarketOrders,
    refusals: ['USER_NOT_FOUND'],
  }),
  getMarketOrder: defineDashboardRoute({
    ...{ ...READ, id: 'getMarketOrder', path: '/dashboard/api/market-orders/{orderId}' },
    summary: 'A market order with the trades of its fills',
    params: MarketOrderParams,
    response: MarketOrder,
    refusals: ['MARKET_ORDER_NOT_FOUND'],
  }),
  getItemDepth: defineDashboardRoute({
    ...{ ...READ, id: 'getItemDepth', path: '/dashboard/api/market/items/{itemId}/depth' },
    summary: 'What open market orders of all merchants want of an item, in one currency',
    params: ItemParams,
    query: ItemDepthQuery,
    response: MarketOrderDepth,
    refusals: [],
  }),
  createMarketOrder: defineDashboardRoute({
    ...{ ...WRITE, id: 'createMarketOrder', method: 'POST', path: '/dashboard/api/market-orders' },
    summary: 'Order an item at no more than a price',
    body: DashboardMarketOrderBody,
    refusals: [
      'USER_NOT_FOUND',
      'IDEMPOTENCY_CONFLICT',
      'ITEM_NOT_FOUND',
      'TRADEURL_REQUIRED',
      'TRADEURL_INVALID_TOKEN',
      'PLATFORM_UNAVAILABLE',
      'MARKET_ORDER_LIMIT_REACHED',
      'SERVICE_DISABLED',
      'ACCOUNT_SUSPENDED',
    ],
  }),
  changeMarketOrder: defineDashboardRoute({
    ...{ ...WRITE, id: 'changeMarketOrder', method: 'PATCH' },
    path: '/dashboard/api/market-orders/{orderId}',
    summary: 'Change the price, the quantity or the end of a market order',
    params: MarketOrderParams,
    body: MarketOrderChangeBody,
    refusals: ['MARKET_ORDER_NOT_FOUND', 'MARKET_ORDER_CLOSED'],
  }),
  cancelMarketOrder: defineDashboardRoute({
    ...{ ...WRITE, id: 'cancelMarketOrder', method: 'POST' },
    path: '/dashboard/api/market-orders/{orderId}/cancel',
    summary: 'Cancel a market order; fills under way run on',
    params: MarketOrderParams,
    refusals: ['MARKET_ORDER_NOT_FOUND', 'MARKET_ORDER_CLOSED'],
  }),
} as const
