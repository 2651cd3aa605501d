// POST /market/quick-buy
import { merchantRoutes } from '@tradepost/contract'
import type { QuickBuy } from '#buying'
import { assertDefined } from '#kernel/assert'
import { parseAmount } from '#kernel/money'
import { moneyNumber } from '#wire/money'
import { refuseField } from '../../shared/failure.ts'
import { buyerOf } from '../buyer.ts'
import { MAKES_TRADE, type MerchantOperations, tradingOperation } from '../operation.ts'

export const createQuickBuyOperation = ({
  quickBuy,
}: {
  readonly quickBuy: QuickBuy
}): MerchantOperations['quickBuy'] =>
  tradingOperation(
    merchantRoutes.quickBuy,
    async ({ caller, body }) => {
      const { itemId, amount, delivery, externalIds = null } = body
      if (externalIds !== null && externalIds.length !== amount) refuseCount(amount)
      const receipt = await quickBuy(buyerOf(caller), {
        requestId: caller.requestId,
        externalId: body.externalId ?? null,
        tradeUrl: body.tradeUrl ?? null,
        phase: body.phase ?? null,
        maxPrice: assertDefined(parseAmount(body.maxPrice), 'an amount of the contract’s form'),
        itemId,
        amount,
        delivery,
        externalIds,
      })
      return {
        id: receipt.tradeId,
        status: 'initiated' as const,
        requestedCount: amount,
        itemCount: receipt.itemCount,
        totalPrice: moneyNumber(receipt.total),
        createdAt: receipt.createdAt.toISOString(),
      }
    },
    { refusesSuspended: true, ...MAKES_TRADE },
  )

const refuseCount = (amount: number): never =>
  refuseField({
    in: 'body',
    pointer: '/externalIds',
    rule: 'count',
    message: `must name each of the ${amount} units.`,
  })
