// Operations that a person does in the dashboard. They have no schema here; the list exists so that a
// call with an API key is answered FORBIDDEN, which says more than "no such route".
import type { Method } from '../route.ts'

export interface DashboardOnlyRoute {
  readonly id: string
  readonly methods: readonly Method[]
  /** `*` at the end stands for any rest, an empty one included. */
  readonly path: `/${string}`
  readonly dashboardOnly: true
  readonly summary: string
}

const ALL_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
const WRITES = ['POST', 'PUT', 'PATCH', 'DELETE'] as const

const dashboardOnly = (
  id: string,
  methods: readonly Method[],
  path: `/${string}`,
  summary: string,
): DashboardOnlyRoute => ({ id, methods, path, dashboardOnly: true, summary })

/** The addresses below /merchant where one would look for what the dashboard does. */
export const dashboardOnlyRoutes = [
  dashboardOnly(
    'apiKeys',
    ALL_METHODS,
    '/merchant/api-keys*',
    'Create, rotate and revoke API keys',
  ),
  dashboardOnly('webhooks', ALL_METHODS, '/merchant/webhooks*', 'Endpoint, secret and deliveries'),
  dashboardOnly('adjustFees', WRITES, '/merchant/fees', 'Change fees'),
  dashboardOnly(
    'accountSettings',
    ALL_METHODS,
    '/merchant/settings*',
    'Password, email, two-factor',
  ),
  dashboardOnly('updateMerchant', WRITES, '/merchant', 'Change or delete the account'),
  dashboardOnly('auditLogs', ALL_METHODS, '/merchant/audit-logs*', 'Audit log'),
  dashboardOnly('exports', ALL_METHODS, '/merchant/exports*', 'CSV exports'),
] as const
