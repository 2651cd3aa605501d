// POST /market/preflight
import { merchantRoutes } from '@tradepost/contract'
import type { TryBuy } from '#buying'
import { preflightView } from '#wire/merchant/preflight'
import { type Operation, operation } from '../../shared/operation.ts'
import { basketOf, buyerOf } from '../buyer.ts'

/** A read: a suspended sub-user is told that it is, and everything else all the same. */
export const createPreflightOperation = ({ tryBuy }: { readonly tryBuy: TryBuy }): Operation =>
  operation(merchantRoutes.preflightBuy, async ({ caller, body }) => {
    const preflight = await tryBuy(buyerOf(caller), basketOf(body, caller.requestId))
    const isSuspended = caller.subUser?.status === 'suspended'
    return preflightView(
      isSuspended
        ? { ...preflight, refusals: ['ACCOUNT_SUSPENDED', ...preflight.refusals] }
        : preflight,
      caller.account.currency,
    )
  })
