import {
  accountQuery,
  accountsQuery,
  adjustmentQuery,
  anyDeliveryQuery,
  anyEventQuery,
  anyMarketOrderQuery,
  booksQuery,
  caseQuery,
  chainsQuery,
  defaultsQuery,
  healthQuery,
  hitsQuery,
  inspectionQuery,
  queueQuery,
  queuesQuery,
  serviceFiguresQuery,
  suppliersQuery,
  waitingQuery,
} from '../queries/admin.ts'
import { figureSpanOf } from '../queries/figures.ts'
import { serviceWalletsQuery } from '../queries/money.ts'
import { beginRows, idOf, page } from './frame.tsx'

/** Pages of administrators of the service. */
export const adminRoutes = [
  page(
    '/admin/overview',
    () => import('../pages/admin/overview.tsx'),
    'AdminOverviewPage',
    (queries, { search }) => {
      void queries.prefetchQuery(healthQuery)
      void queries.prefetchQuery(waitingQuery)
      void queries.prefetchQuery(serviceWalletsQuery)
      return queries.prefetchQuery(serviceFiguresQuery(figureSpanOf(search)))
    },
  ),
  page(
    '/admin/accounts',
    () => import('../pages/admin/accounts.tsx'),
    'AccountsPage',
    (queries, { search }) =>
      Object.keys(search).length === 0 && queries.prefetchQuery(accountsQuery({ page: 1 })),
  ),
  page(
    '/admin/accounts/$id/{-$tab}',
    () => import('../pages/admin/account.tsx'),
    'AccountPage',
    (queries, at) => queries.prefetchQuery(accountQuery(idOf(at))),
  ),
  page(
    '/admin/accounts/$id/keys/$key',
    () => import('../pages/account/key-requests.tsx'),
    'KeyRequestsOfAccountPage',
    (queries, at) => queries.prefetchQuery(accountQuery(idOf(at))),
  ),
  page(
    '/admin/find',
    () => import('../pages/admin/find.tsx'),
    'FindPage',
    (queries, { search: { q = '' } }) => q !== '' && queries.prefetchQuery(hitsQuery(q)),
  ),
  page(
    '/admin/trades',
    () => import('../pages/admin/trades.tsx'),
    'AllTradesPage',
    beginRows('listAllTrades'),
  ),
  page(
    '/admin/trades/$id',
    () => import('../pages/admin/trade.tsx'),
    'AdminTradePage',
    (queries, at) => queries.prefetchQuery(inspectionQuery(idOf(at))),
  ),
  page(
    '/admin/queues',
    () => import('../pages/admin/queues.tsx'),
    'QueuesPage',
    (queries) => {
      void queries.prefetchQuery(queuesQuery)
      return queries.prefetchQuery(suppliersQuery)
    },
  ),
  page(
    '/admin/queues/$name',
    () => import('../pages/admin/queues.tsx'),
    'QueuePage',
    (queries, { params: { name = '' } }) => queries.prefetchQuery(queueQuery(name)),
  ),
  page(
    '/admin/switches',
    () => import('../pages/admin/switches.tsx'),
    'SwitchesPage',
    (queries) => {
      void queries.prefetchQuery(healthQuery)
      void queries.prefetchQuery(suppliersQuery)
      void queries.prefetchQuery(chainsQuery)
      return queries.prefetchQuery(defaultsQuery)
    },
  ),
  page(
    '/admin/market-orders',
    () => import('../pages/admin/market-orders.tsx'),
    'AllMarketOrdersPage',
    beginRows('listAllMarketOrders'),
  ),
  page(
    '/admin/market-orders/$id',
    () => import('../pages/admin/market-orders.tsx'),
    'AnyMarketOrderPage',
    (queries, at) => queries.prefetchQuery(anyMarketOrderQuery(idOf(at))),
  ),
  page(
    '/admin/cases',
    () => import('../pages/admin/cases.tsx'),
    'CasesPage',
    beginRows('listCases'),
  ),
  page(
    '/admin/cases/$id',
    () => import('../pages/admin/case.tsx'),
    'CasePage',
    (queries, at) => queries.prefetchQuery(caseQuery(idOf(at))),
  ),
  page(
    '/admin/deliveries',
    () => import('../pages/admin/deliveries.tsx'),
    'AllDeliveriesPage',
    beginRows('listAllDeliveries'),
  ),
  page(
    '/admin/deliveries/$id',
    () => import('../pages/admin/deliveries.tsx'),
    'AnyDeliveryPage',
    (queries, at) => queries.prefetchQuery(anyDeliveryQuery(idOf(at))),
  ),
  page(
    '/admin/events/$id',
    () => import('../pages/admin/event.tsx'),
    'AnyEventPage',
    (queries, at) => queries.prefetchQuery(anyEventQuery(idOf(at))),
  ),
  page(
    '/admin/adjustments',
    () => import('../pages/admin/adjustments.tsx'),
    'AdjustmentsPage',
    beginRows('listAdjustments'),
  ),
  page(
    '/admin/adjustments/$id',
    () => import('../pages/admin/adjustments.tsx'),
    'AdjustmentPage',
    (queries, at) => queries.prefetchQuery(adjustmentQuery(idOf(at))),
  ),
  page(
    '/admin/books',
    () => import('../pages/admin/books.tsx'),
    'BooksPage',
    (queries) => queries.prefetchQuery(booksQuery),
  ),
  page(
    '/admin/audit-log',
    () => import('../pages/admin/audit-log.tsx'),
    'AuditLogPage',
    beginRows('listAuditLog'),
  ),
] as const
