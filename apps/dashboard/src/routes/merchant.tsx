import { page } from './frame.tsx'

/** Pages of a merchant: trades, sub-users, wallets, fees, events. */
export const merchantRoutes = [
  page('/overview', () => import('../pages/merchant/overview.tsx'), 'OverviewPage'),
  page('/trades', () => import('../pages/merchant/trades.tsx'), 'TradesPage'),
  page('/trades/$id/{-$tab}', () => import('../pages/merchant/trade.tsx'), 'TradePage'),
  page('/users', () => import('../pages/merchant/users.tsx'), 'UsersPage'),
  page('/users/$id/{-$tab}', () => import('../pages/merchant/user.tsx'), 'UserPage'),
  page('/wallets/{-$tab}', () => import('../pages/merchant/wallets.tsx'), 'WalletsPage'),
  page('/fees', () => import('../pages/merchant/fees.tsx'), 'FeesPage'),
  page('/limits', () => import('../pages/merchant/limits.tsx'), 'LimitsPage'),
  page('/events', () => import('../pages/merchant/events.tsx'), 'EventsPage'),
  page('/events/$id', () => import('../pages/merchant/events.tsx'), 'EventPage'),
  page('/market', () => import('../pages/merchant/market.tsx'), 'MarketPage'),
  page('/audit', () => import('../pages/merchant/audit.tsx'), 'AuditPage'),
] as const
