// The partner interface as calls are made to it.
import type { ServiceInterface } from '../transport.ts'
import { type OperationId, ROUTES } from './generated/operations.ts'

/**
 * Buys carry an `Idempotency-Key`, transfers a key in their body. A create is not sent again: its answer
 * has the only copy of the child's API key.
 */
export const PARTNER: ServiceInterface = {
  keyHeader: 'x-api-key',
  routes: ROUTES,
  isRepeatable: (operation) => REPEATABLE.has(operation),
}

const idsOf = (...ids: readonly OperationId[]): ReadonlySet<string> => new Set(ids)

const REPEATABLE = idsOf('getListingDetails', 'transferToChild', 'quoteCardDeposit')
