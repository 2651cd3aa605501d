// A caller as a buyer, and the body of a buy as a basket: buy, preflight and quick-buy share them.
import type { Buyer, BuyLine, BuyOrder, MarketId } from '#buying'
import { assertDefined } from '#kernel/assert'
import { parseAmount } from '#kernel/money'
import { refuseRepeatedExternalIds } from '../shared/external-ids.ts'
import type { TradingCaller } from './operation.ts'

export const buyerOf = ({ account, tenant, keyId }: TradingCaller): Buyer => ({
  accountId: account.id,
  tenantId: account.tenantId,
  currency: account.currency,
  merchantCurrency: tenant.currency,
  houseFeeBps: account.houseFeeBps,
  merchantFeeBps: account.merchantBuyFeeBps,
  keyId,
  primaryTradeUrl: account.primaryTradeUrl,
})

interface BasketBody {
  readonly externalId?: string
  readonly tradeUrl?: string
  readonly items: readonly ItemBody[]
}

interface ItemBody {
  readonly listingId?: string
  readonly listingRawId?: string
  readonly maxPrice: string
  readonly externalId?: string
}

/** Two items with one external id are VALIDATION_FAILED: a cancel by it would be ambiguous. */
export function basketOf(body: BasketBody, requestId: string): BuyOrder {
  refuseRepeatedExternalIds(body.items, { list: 'items', entry: 'item' })
  return {
    requestId,
    externalId: body.externalId ?? null,
    tradeUrl: body.tradeUrl ?? null,
    items: body.items.map(lineOf),
  }
}

const lineOf = (item: ItemBody): BuyLine => ({
  listing:
    item.listingId !== undefined
      ? { id: BigInt(item.listingId) }
      : rawListing(assertDefined(item.listingRawId, 'one listing identifier')),
  maxPrice: assertDefined(parseAmount(item.maxPrice), 'an amount of the contract’s form'),
  externalId: item.externalId ?? null,
})

function rawListing(text: string): { market: MarketId; rawId: string } {
  const colon = text.indexOf(':')
  return { market: text.slice(0, colon) as MarketId, rawId: text.slice(colon + 1) }
}
