import { PartnerOverviewPage } from '../pages/overview/overview.tsx'
import { balanceThresholdQuery, keysQuery } from '../queries/account.ts'
import { tradeQuery } from '../queries/merchant.ts'
import { partnerOverviewQuery, periodOf } from '../queries/overview.ts'
import { childQuery, partnerFeesQuery } from '../queries/partner.ts'
import { beginRows, firstPage, idOf, page } from './frame.tsx'

/** Pages of a partner. */
export const partnerRoutes = [
  firstPage('/partner', PartnerOverviewPage, (queries, { search }) =>
    queries.prefetchQuery(partnerOverviewQuery(periodOf(search))),
  ),
  page(
    '/children',
    () => import('../pages/partner/children.tsx'),
    'ChildrenPage',
    beginRows('listChildren'),
  ),
  page(
    '/children/$id/{-$tab}',
    () => import('../pages/partner/child.tsx'),
    'ChildPage',
    (queries, at) => queries.prefetchQuery(childQuery(idOf(at))),
  ),
  page(
    '/children/$id/deliveries/$delivery',
    () => import('../pages/account/delivery.tsx'),
    'DeliveryOfChildPage',
  ),
  page(
    '/children/$id/keys/$key',
    () => import('../pages/account/key-requests.tsx'),
    'KeyRequestsOfChildPage',
    (queries, at) => queries.prefetchQuery(keysQuery(idOf(at))),
  ),
  page(
    '/transfers',
    () => import('../pages/partner/transfer.tsx'),
    'TransfersPage',
    beginRows('listTransfers'),
  ),
  page(
    '/partner-ledger',
    () => import('../pages/partner/ledger.tsx'),
    'PartnerLedgerPage',
    (queries, at) => {
      void queries.prefetchQuery(balanceThresholdQuery)
      return beginRows('listPartnerLedger')(queries, at)
    },
  ),
  page(
    '/partner-withdrawals',
    () => import('../pages/partner/withdrawals.tsx'),
    'PartnerWithdrawalsPage',
    beginRows('listOwnWithdrawals'),
  ),
  page(
    '/partner-fees',
    () => import('../pages/partner/fees.tsx'),
    'PartnerFeesPage',
    (queries) => queries.prefetchQuery(partnerFeesQuery),
  ),
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
    (queries, at) => queries.prefetchQuery(tradeQuery(idOf(at))),
  ),
] as const
