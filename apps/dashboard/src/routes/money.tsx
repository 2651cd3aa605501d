import { createRoute, redirect } from '@tanstack/react-router'
import {
  adminDepositQuery,
  adminWithdrawalQuery,
  batchQuery,
  custodyQuery,
  depositQuery,
  depositWaysQuery,
  destinationsQuery,
  heldPaymentsQuery,
  serviceWalletsQuery,
  waitingWithdrawalsQuery,
  withdrawalQuery,
} from '../queries/money.ts'
import { statementQuery } from '../queries/statements.ts'
import { beginRows, idOf, page, type Search, shell } from './frame.tsx'

/**
 * Where the card provider's page leads back to: the deposit, whatever else the provider adds. Its `status`
 * would be a filter of the list.
 */
export const cardReturn = createRoute({
  getParentRoute: () => shell,
  path: '/card-return',
  beforeLoad: ({ location }) => {
    const { merchantRecognitionId } = location.search as Search
    const id = idOfRecognition(merchantRecognitionId)
    if (id === null) throw redirect({ to: '/deposits', search: {}, replace: true })
    throw redirect({ to: '/deposits/$id', params: { id }, search: {}, replace: true })
  },
})

/** The provider knows a deposit by its id without the dashes. */
function idOfRecognition(given: string | undefined): string | null {
  const parts = /^([\da-f]{8})([\da-f]{4})([\da-f]{4})([\da-f]{4})([\da-f]{12})$/.exec(given ?? '')
  return parts === null ? null : parts.slice(1).join('-')
}

/** Pages of deposits, payouts and custody. */
export const moneyRoutes = [
  page(
    '/statements',
    () => import('../pages/money/statements.tsx'),
    'StatementsPage',
    (queries, { search }) => queries.prefetchQuery(statementQuery(search)),
  ),
  page(
    '/deposits',
    () => import('../pages/money/deposits.tsx'),
    'DepositsPage',
    beginRows('listOwnDeposits'),
  ),
  page(
    '/deposits/$id',
    () => import('../pages/money/deposit.tsx'),
    'DepositPage',
    (queries, at) => queries.prefetchQuery(depositQuery(idOf(at))),
  ),
  page(
    '/deposits/new/{-$way}',
    () => import('../pages/money/pay-in.tsx'),
    'PayInPage',
    (queries) => queries.prefetchQuery(depositWaysQuery),
  ),
  page(
    '/payouts',
    () => import('../pages/money/payouts.tsx'),
    'CustodyPage',
    (queries) => queries.prefetchQuery(custodyQuery),
  ),
  page(
    '/payouts/deposits',
    () => import('../pages/money/payouts.tsx'),
    'CustodyDepositsPage',
    beginRows('listOwnCustodyDeposits'),
  ),
  page(
    '/payouts/withdrawals',
    () => import('../pages/money/payouts.tsx'),
    'WithdrawalsPage',
    beginRows('listOwnWithdrawals'),
  ),
  page(
    '/payouts/withdrawals/$id',
    () => import('../pages/money/withdrawal.tsx'),
    'WithdrawalPage',
    (queries, at) => queries.prefetchQuery(withdrawalQuery(idOf(at))),
  ),
  page(
    '/payouts/withdraw',
    () => import('../pages/money/withdraw.tsx'),
    'WithdrawPage',
    (queries) => queries.prefetchQuery(custodyQuery),
  ),
  page(
    '/payouts/batches',
    () => import('../pages/money/batches.tsx'),
    'BatchesPage',
    beginRows('listOwnBatches'),
  ),
  page(
    '/payouts/batches/$id',
    () => import('../pages/money/batches.tsx'),
    'BatchPage',
    (queries, at) => queries.prefetchQuery(batchQuery(idOf(at))),
  ),
  page('/payouts/batch', () => import('../pages/money/new-batch.tsx'), 'NewBatchPage'),
  page(
    '/payouts/destinations',
    () => import('../pages/money/payouts.tsx'),
    'DestinationsPage',
    (queries) => queries.prefetchQuery(destinationsQuery),
  ),
  page(
    '/admin/held-payments',
    () => import('../pages/admin/money.tsx'),
    'HeldPaymentsPage',
    (queries) => queries.prefetchQuery(heldPaymentsQuery),
  ),
  page(
    '/admin/deposits/$id',
    () => import('../pages/admin/money-records.tsx'),
    'AdminDepositPage',
    (queries, at) => queries.prefetchQuery(adminDepositQuery(idOf(at))),
  ),
  page(
    '/admin/withdrawals',
    () => import('../pages/admin/money.tsx'),
    'WaitingWithdrawalsPage',
    (queries) => queries.prefetchQuery(waitingWithdrawalsQuery),
  ),
  page(
    '/admin/withdrawals/$id',
    () => import('../pages/admin/money-records.tsx'),
    'AdminWithdrawalPage',
    (queries, at) => queries.prefetchQuery(adminWithdrawalQuery(idOf(at))),
  ),
  page(
    '/admin/wallets',
    () => import('../pages/admin/money.tsx'),
    'ServiceWalletsPage',
    (queries) => queries.prefetchQuery(serviceWalletsQuery),
  ),
] as const
