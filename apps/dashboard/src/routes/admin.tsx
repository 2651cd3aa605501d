import { page } from './frame.tsx'

/** Pages of administrators of the service. */
export const adminRoutes = [
  page('/admin/accounts', () => import('../pages/admin/accounts.tsx'), 'AccountsPage'),
  page('/admin/health', () => import('../pages/admin/health.tsx'), 'HealthPage'),
] as const
