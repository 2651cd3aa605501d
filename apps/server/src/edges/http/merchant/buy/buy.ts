// POST /market/buy
import { merchantRoutes } from '@tradepost/contract'
import type { Buy } from '#buying'
import type { Cents } from '#kernel/money'
import { Refusal } from '#kernel/refusal'
import { moneyNumber } from '#wire/money'
import { basketOf, buyerOf } from '../buyer.ts'
import { MAKES_TRADE, type MerchantOperations, tradingOperation } from '../operation.ts'

export const createBuyOperation = ({ buy }: { readonly buy: Buy }): MerchantOperations['buy'] =>
  tradingOperation(
    merchantRoutes.buy,
    async ({ caller, body }) => {
      const receipt = await buy(buyerOf(caller), basketOf(body, caller.requestId)).catch(priceShown)
      return {
        id: receipt.tradeId,
        status: 'initiated' as const,
        itemCount: receipt.itemCount,
        totalPrice: moneyNumber(receipt.total),
        createdAt: receipt.createdAt.toISOString(),
      }
    },
    { refusesSuspended: true, ...MAKES_TRADE },
  )

/** The price of the moment as a caller reads prices. */
function priceShown(error: unknown): never {
  if (error instanceof Refusal && error.key === 'PRICE_MISMATCH') {
    const { listingId, currentPriceCents } = error.details as {
      listingId: string
      currentPriceCents: Cents
    }
    throw new Refusal('PRICE_MISMATCH', { listingId, currentPrice: moneyNumber(currentPriceCents) })
  }
  throw error
}
