// Where pages lead to from the hash of a transaction, or an address, of a chain.
import { dashboardRoutes } from '@tradepost/contract'
import { type DashboardOperations, operation } from '../operation.ts'

/** By chain; without an entry a page shows plain text. */
export const createExplorerOperations = (
  explorers: Readonly<Record<string, string>>,
): Pick<DashboardOperations, 'getExplorers'> => ({
  getExplorers: operation(dashboardRoutes.getExplorers, async () => ({
    explorers: { ...explorers },
  })),
})
