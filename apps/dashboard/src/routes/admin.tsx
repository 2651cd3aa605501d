import { page } from './frame.tsx'

/** Pages of administrators of the service. */
export const adminRoutes = [
  page('/admin/accounts', () => import('../pages/admin/accounts.tsx'), 'AccountsPage'),
  page('/admin/accounts/$id/{-$tab}', () => import('../pages/admin/account.tsx'), 'AccountPage'),
  page('/admin/health', () => import('../pages/admin/health.tsx'), 'HealthPage'),
  page('/admin/find', () => import('../pages/admin/find.tsx'), 'FindPage'),
  page('/admin/trades/$id', () => import('../pages/admin/trade.tsx'), 'AdminTradePage'),
  page('/admin/queues', () => import('../pages/admin/queues.tsx'), 'QueuesPage'),
  page('/admin/queues/$name', () => import('../pages/admin/queues.tsx'), 'QueuePage'),
  page('/admin/switches', () => import('../pages/admin/switches.tsx'), 'SwitchesPage'),
  page('/admin/cases', () => import('../pages/admin/cases.tsx'), 'CasesPage'),
  page('/admin/cases/$id', () => import('../pages/admin/case.tsx'), 'CasePage'),
  page('/admin/deliveries', () => import('../pages/admin/deliveries.tsx'), 'AllDeliveriesPage'),
  page('/admin/deliveries/$id', () => import('../pages/admin/deliveries.tsx'), 'AnyDeliveryPage'),
  page('/admin/events/$id', () => import('../pages/admin/event.tsx'), 'AnyEventPage'),
  page('/admin/adjustments', () => import('../pages/admin/adjustments.tsx'), 'AdjustmentsPage'),
  page('/admin/adjustments/$id', () => import('../pages/admin/adjustments.tsx'), 'AdjustmentPage'),
  page('/admin/books', () => import('../pages/admin/books.tsx'), 'BooksPage'),
  page('/admin/audit-log', () => import('../pages/admin/audit-log.tsx'), 'AuditLogPage'),
] as const
