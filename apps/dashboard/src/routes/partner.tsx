import { page } from './frame.tsx'

/** Pages of a partner. */
export const partnerRoutes = [
  page('/partner', () => import('../pages/partner/overview.tsx'), 'PartnerOverviewPage'),
  page('/children', () => import('../pages/partner/children.tsx'), 'ChildrenPage'),
  page('/children/$id/{-$tab}', () => import('../pages/partner/child.tsx'), 'ChildPage'),
  page('/orders', () => import('../pages/partner/orders.tsx'), 'OrdersPage'),
  page('/market-health', () => import('../pages/partner/health.tsx'), 'MarketHealthPage'),
] as const
