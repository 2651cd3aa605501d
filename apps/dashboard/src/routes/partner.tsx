import { balanceThresholdQuery } from '../queries/account.ts'
import { tradeQuery } from '../queries/merchant.ts'
import { partnerOverviewQuery, periodOf } from '../queries/overview.ts'
import { beginRows, page } from './frame.tsx'

/** Pages of a partner. */
export const partnerRoutes = [
  page(
    '/partner',
    () => import('../pages/overview/overview.tsx'),
    'PartnerOverviewPage',
    (queries, { search }) => queries.prefetchQuery(partnerOverviewQuery(periodOf(search))),
  ),
  page(
    '/children',
    () => import('../pages/partner/children.tsx'),
    'ChildrenPage',
    beginRows('listChildren'),
  ),
  page('/children/$id/{-$tab}', () => import('../pages/partner/child.tsx'), 'ChildPage'),
  page(
    '/children/$id/deliveries/$delivery',
    () => import('../pages/account/delivery.tsx'),
    'DeliveryOfChildPage',
  ),
  page('/transfers', () => import('../pages/partner/transfer.tsx'), 'TransfersPage'),
  page(
    '/partner-ledger',
    () => import('../pages/partner/ledger.tsx'),
    'PartnerLedgerPage',
    (queries) => queries.prefetchQuery(balanceThresholdQuery),
  ),
  page('/partner-fees', () => import('../pages/partner/fees.tsx'), 'PartnerFeesPage'),
  page(
    '/orders',
    () => import('../pages/partner/orders.tsx'),
    'OrdersPage',
    beginRows('listPartnerOrders'),
  ),
  page(
    '/orders/$id/{-$tab}',
    () => import('../pages/partner/order.tsx'),
    'OrderPage',
    (queries, { params: { id = '' } }) => queries.prefetchQuery(tradeQuery(id)),
  ),
  page('/market-health', () => import('../pages/partner/health.tsx'), 'MarketHealthPage'),
] as const
