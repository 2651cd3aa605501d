// POST /market/buy
import { merchantRoutes } from '@tradepost/contract'
import { must } from '#kernel/assert'
import { type Cents, parseAmount } from '#kernel/money'
import { Refusal } from '#kernel/refusal'
import type { Buy, BuyLine, MarketId } from '#trading'
import { moneyNumber } from '#wire/money'
import { type Operation, operation } from '../shared/operation.ts'

export const createBuyOperation = ({ buy }: { readonly buy: Buy }): Operation =>
  operation(
    merchantRoutes.buy,
    async ({ caller, body }) => {
      const { account, merchant } = caller
      const receipt = await buy(
        {
          accountId: account.id,
          merchantId: account.merchantId,
          currency: account.currency,
          merchantCurrency: merchant.currency,
          houseFeeBps: account.houseFeeBps,
          merchantFeeBps: account.merchantBuyFeeBps,
          primaryTradeUrl: account.primaryTradeUrl,
        },
        {
          requestId: caller.requestId,
          externalId: body.externalId ?? null,
          tradeUrl: body.tradeUrl ?? null,
          items: body.items.map(lineOf),
        },
      ).catch(priceShown)
      return {
        id: receipt.tradeId,
        status: 'initiated' as const,
        itemCount: receipt.itemCount,
        totalPrice: moneyNumber(receipt.total),
        createdAt: receipt.createdAt.toISOString(),
      }
    },
    { refusesSuspended: true },
  )

interface ItemBody {
  readonly listingId?: string
  readonly listingRawId?: string
  readonly maxPrice: string
  readonly externalId?: string
}

function lineOf(item: ItemBody): BuyLine {
  return {
    listing:
      item.listingId !== undefined
        ? { id: BigInt(item.listingId) }
        : rawListing(must(item.listingRawId, 'one listing identifier')),
    maxPrice: must(parseAmount(item.maxPrice), 'an amount of the contract’s form'),
    externalId: item.externalId ?? null,
  }
}

function rawListing(text: string): { market: MarketId; rawId: string } {
  const colon = text.indexOf(':')
  return { market: text.slice(0, colon) as MarketId, rawId: text.slice(colon + 1) }
}

/** The price of the moment as a caller reads prices. */
function priceShown(error: unknown): never {
  if (error instanceof Refusal && error.key === 'PRICE_MISMATCH') {
    const { listingId, currentPriceCents } = error.facts as {
      listingId: string
      currentPriceCents: Cents
    }
    throw new Refusal('PRICE_MISMATCH', { listingId, currentPrice: moneyNumber(currentPriceCents) })
  }
  throw error
}
