// POST /v2/market/buy and POST /v1/market/buy: one order of one listing at its exact base price.
import { type ListingItemV2, type PartnerMarket, partnerRoutes } from '@tradepost/contract'
import type { Bought, BoughtItem, Buy } from '#buying'
import type { CatalogueView } from '#catalog'
import { assertDefined } from '#kernel/assert'
import type { Cents } from '#kernel/money'
import { Refusal, refuse } from '#kernel/refusal'
import { createPriceTag } from '#pricing'
import { moneyNumber } from '#wire/money'
import { asV1, listingViewV2, marketOfV1 } from '#wire/partner/market'
import type { PartnerCaller } from '../../shared/principal.ts'
import { centsOf } from '../amount.ts'
import { buyerOf } from '../caller.ts'
import { DONE, operation, type PartnerOperations } from '../operation.ts'

export interface BuyDeps {
  readonly buy: Buy
  readonly readBought: (tradeId: string) => Promise<readonly BoughtItem[]>
  readonly view: CatalogueView
}

interface Asked {
  readonly listingId: string
  readonly market: PartnerMarket
  readonly price: number
  readonly tradeUrl: string | undefined
  /** Empty: every request is a buy of its own. */
  readonly idempotencyKey: string
}

const NO_RATE = null

export function createPartnerBuyOperations(
  deps: BuyDeps,
): Pick<PartnerOperations, 'buyListing' | 'buyListingV1'> {
  const place = async (caller: PartnerCaller, asked: Asked) => {
    const buyer = buyerOf(caller)
    const bought = await deps
      .buy(buyer, {
        requestId: caller.requestId,
        externalId: asked.idempotencyKey === '' ? null : asked.idempotencyKey,
        tradeUrl: asked.tradeUrl ?? null,
        items: [
          {
            listing: { id: BigInt(asked.listingId), market: asked.market },
            basePrice: centsOf(asked.price, '/price'),
            externalId: null,
          },
        ],
      })
      .catch(basePriceShown)
    const item = await itemOf(deps, bought)
    return {
      order: { serviceOrderId: bought.tradeId, status: 'INITIATED' as const },
      item: listingOf(deps, item, createPriceTag(buyer, NO_RATE)),
    }
  }
  return {
    buyListing: operation(
      partnerRoutes.buyListing,
      ({ caller, body, idempotencyKey }) => {
        const { itemId, market, price, tradeUrl } = body
        return place(caller, { listingId: itemId, market, price, tradeUrl, idempotencyKey })
      },
      { tradeOf },
    ),
    buyListingV1: operation(
      partnerRoutes.buyListingV1,
      async ({ caller, body, idempotencyKey }) => {
        const { itemId, price, tradeURL: tradeUrl } = body
        const market = marketOfV1(body.market) ?? refuse('MARKET_UNAVAILABLE')
        const asked = { listingId: itemId, market, price, tradeUrl, idempotencyKey }
        const { order, item } = await place(caller, asked)
        return { order, item: asV1(item), message: DONE }
      },
      { tradeOf },
    ),
  }
}

const tradeOf = ({ order }: { readonly order: { readonly serviceOrderId: string } }): string =>
  order.serviceOrderId

/** The price of the moment as a caller has to name it. */
function basePriceShown(error: unknown): never {
  if (error instanceof Refusal && error.key === 'PRICE_MISMATCH') {
    const { listingId, currentPriceCents } = error.details as {
      listingId: string
      currentPriceCents: Cents
    }
    throw new Refusal('PRICE_MISMATCH', { listingId, currentPrice: moneyNumber(currentPriceCents) })
  }
  throw error
}

async function itemOf({ readBought }: BuyDeps, { taken, tradeId }: Bought): Promise<BoughtItem> {
  const [item] = taken ?? (await readBought(tradeId))
  return assertDefined(item, 'the item of an order')
}

/** As it was bought; of the catalogue's item only what never moves, and its reference price of now. */
function listingOf(
  { view }: BuyDeps,
  bought: BoughtItem,
  tag: ReturnType<typeof createPriceTag>,
): ListingItemV2 {
  const item = view.find(bought.catalogItemId)?.item ?? null
  return listingViewV2(
    {
      id: bought.listingId,
      itemId: bought.catalogItemId,
      market: bought.market,
      priceMills: bought.sourcingMills,
      referenceMills: item?.referenceMills ?? null,
      collection: item?.collection ?? null,
      description: bought.description,
    },
    tag,
  )
}
