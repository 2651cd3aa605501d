import { pageNumberOf } from '../kit/page-number.ts'
import { OverviewPage } from '../pages/overview/overview.tsx'
import { balanceThresholdQuery } from '../queries/account.ts'
import {
  eventQuery,
  feesQuery,
  itemListingsQuery,
  limitsQuery,
  marketItemQuery,
  marketOrderQuery,
  marketQuery,
  marketSearchOf,
  priceHistoryQuery,
  tradeQuery,
  userQuery,
  walletsQuery,
} from '../queries/merchant.ts'
import { overviewQuery, periodOf } from '../queries/overview.ts'
import { beginRows, firstPage, idOf, page } from './frame.tsx'

/** Pages of a merchant: trades, sub-users, wallets, fees, events. */
export const merchantRoutes = [
  firstPage('/overview', OverviewPage, (queries, { search }) =>
    queries.prefetchQuery(overviewQuery(periodOf(search))),
  ),
  page(
    '/trades',
    () => import('../pages/merchant/trades.tsx'),
    'TradesPage',
    beginRows('listTrades'),
  ),
  page(
    '/trades/$id/{-$tab}',
    () => import('../pages/merchant/trade.tsx'),
    'TradePage',
    (queries, at) => queries.prefetchQuery(tradeQuery(idOf(at))),
  ),
  page('/users', () => import('../pages/merchant/users.tsx'), 'UsersPage', beginRows('listUsers')),
  page(
    '/users/$id/{-$tab}',
    () => import('../pages/merchant/user.tsx'),
    'UserPage',
    (queries, at) => queries.prefetchQuery(userQuery(idOf(at))),
  ),
  page(
    '/wallets/{-$tab}',
    () => import('../pages/merchant/wallets.tsx'),
    'WalletsPage',
    (queries, at) => {
      void queries.prefetchQuery(walletsQuery)
      void queries.prefetchQuery(balanceThresholdQuery)
      const walletType = at.params.tab === 'earnings' ? 'earnings' : 'spot'
      return beginRows('listLedger', { walletType })(queries, at)
    },
  ),
  page(
    '/fees',
    () => import('../pages/merchant/fees.tsx'),
    'FeesPage',
    (queries) => queries.prefetchQuery(feesQuery),
  ),
  page(
    '/limits',
    () => import('../pages/merchant/limits.tsx'),
    'LimitsPage',
    (queries) => queries.prefetchQuery(limitsQuery),
  ),
  page(
    '/events',
    () => import('../pages/merchant/events.tsx'),
    'EventsPage',
    beginRows('listEvents'),
  ),
  page(
    '/events/$id',
    () => import('../pages/merchant/events.tsx'),
    'EventPage',
    (queries, at) => queries.prefetchQuery(eventQuery(idOf(at))),
  ),
  page(
    '/market',
    () => import('../pages/market/market.tsx'),
    'MarketPage',
    (queries, { search }) => {
      void queries.prefetchQuery(walletsQuery)
      return queries.prefetchQuery(marketQuery(marketSearchOf(search)))
    },
  ),
  page(
    '/market/$id',
    () => import('../pages/market/item.tsx'),
    'MarketItemPage',
    (queries, at) => {
      void queries.prefetchQuery(walletsQuery)
      void queries.prefetchQuery(
        itemListingsQuery(idOf(at), { page: pageNumberOf(at.search.page) }),
      )
      void queries.prefetchQuery(priceHistoryQuery(idOf(at)))
      return queries.prefetchQuery(marketItemQuery(idOf(at)))
    },
  ),
  page(
    '/market-orders',
    () => import('../pages/merchant/market-orders.tsx'),
    'MarketOrdersPage',
    beginRows('listMarketOrders'),
  ),
  page(
    '/market-orders/$id',
    () => import('../pages/merchant/market-order.tsx'),
    'MarketOrderPage',
    (queries, at) => queries.prefetchQuery(marketOrderQuery(idOf(at))),
  ),
  page('/audit', () => import('../pages/merchant/audit.tsx'), 'AuditPage', beginRows('listAudit')),
] as const
