// The merchant interface as calls are made to it.
import { type OperationId, ROUTES } from './generated/operations.ts'
import type { ServiceInterface } from './transport.ts'

/**
 * A call that moves money or creates something may only be retried under a reference by which the service
 * recognises it. Everything else is sent once; the caller decides.
 */
export const MERCHANT: ServiceInterface = {
  keyHeader: 'api-key',
  routes: ROUTES,
  isRepeatable: (operation, input) => {
    if (READS_WITH_A_BODY.has(operation)) return true
    const hasReference =
      (input.body as { externalId?: unknown } | undefined)?.externalId !== undefined
    return hasReference && RETRYABLE_BY_EXTERNAL_ID.has(operation)
  },
}

const idsOf = (...ids: readonly OperationId[]): ReadonlySet<string> => new Set(ids)

/** What a key of the scope `read` may post. */
const READS_WITH_A_BODY = idsOf('lookUpItems', 'lookUpTrades', 'preflightBuy', 'quotePayout')

// An update of a sub-user carries an externalId too, but is not idempotent by it.
const RETRYABLE_BY_EXTERNAL_ID = idsOf(
  'buy',
  'quickBuy',
  'createMarketOrder',
  'sell',
  'createSubUser',
  'createWithdrawal',
  'createPayoutBatch',
)
