// POST /market/preflight
import { merchantRoutes } from '@tradepost/contract'
import type { TryBuy } from '#buying'
import { preflightView } from '#wire/merchant/preflight'
import { basketOf, buyerOf } from '../buyer.ts'
import { type MerchantOperations, tradingOperation } from '../operation.ts'

/** A read: a suspended sub-user gets the whole answer, with ACCOUNT_SUSPENDED first among its refusals. */
export const createPreflightOperation = ({
  tryBuy,
}: {
  readonly tryBuy: TryBuy
}): MerchantOperations['preflightBuy'] =>
  tradingOperation(merchantRoutes.preflightBuy, async ({ caller, body }) => {
    const preflight = await tryBuy(buyerOf(caller), basketOf(body, caller.requestId))
    const isSuspended = caller.account.status === 'suspended'
    return preflightView(
      isSuspended
        ? { ...preflight, refusals: ['ACCOUNT_SUSPENDED', ...preflight.refusals] }
        : preflight,
      caller.account.currency,
    )
  })
