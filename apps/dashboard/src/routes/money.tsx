import { page } from './frame.tsx'

/** Pages of deposits, payouts and custody. */
export const moneyRoutes = [
  page('/deposits', () => import('../pages/money/deposits.tsx'), 'DepositsPage'),
  page('/deposits/$id', () => import('../pages/money/deposit.tsx'), 'DepositPage'),
  page('/pay-in/{-$way}', () => import('../pages/money/pay-in.tsx'), 'PayInPage'),
  page('/payouts', () => import('../pages/money/payouts.tsx'), 'CustodyPage'),
  page('/payouts/withdrawals', () => import('../pages/money/payouts.tsx'), 'WithdrawalsPage'),
  page('/payouts/withdrawals/$id', () => import('../pages/money/withdrawal.tsx'), 'WithdrawalPage'),
  page('/payouts/destinations', () => import('../pages/money/payouts.tsx'), 'DestinationsPage'),
  page('/admin/held-payments', () => import('../pages/admin/money.tsx'), 'HeldPaymentsPage'),
  page('/admin/withdrawals', () => import('../pages/admin/money.tsx'), 'WaitingWithdrawalsPage'),
  page('/admin/wallets', () => import('../pages/admin/money.tsx'), 'ServiceWalletsPage'),
] as const
