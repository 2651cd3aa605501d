// GET /market/prices
import { merchantRoutes } from '@tradepost/contract'
import type { CatalogueView } from '#catalog'
import type { ItemTexts } from '#wire/merchant/market'
import type { PriceTags } from '../../shared/market/price-tags.ts'
import { type MerchantOperations, operation } from '../operation.ts'
import { MARKET_READ, pageText, prepared } from './search.ts'
import { createWholePrices, type WholePricesDeps } from './whole-prices.ts'

export interface PricesDeps extends WholePricesDeps {
  readonly view: CatalogueView
  readonly priceTags: PriceTags<ItemTexts>
}

const WHOLE = -1

export function createPricesOperation({
  view,
  priceTags,
  clock,
}: PricesDeps): MerchantOperations['listPrices'] {
  const wholePrices = createWholePrices({ view, clock })
  return operation(
    merchantRoutes.listPrices,
    async ({ caller, query, headers }) => {
      const texts = await priceTags(caller.account)
      const { page, limit } = query
      if (limit === WHOLE && page === 1) {
        const whole = await wholePrices(texts)
        return whole.respond(caller.requestId, headers)
      }
      if (limit === WHOLE) {
        const total = view.list({ offset: 0, limit: 0 }).total
        return prepared(caller.requestId, wholePageText([], total, page))
      }
      const { entries, total } = view.list({ offset: (page - 1) * limit, limit })
      return prepared(
        caller.requestId,
        pageText(entries.map(texts.priceItem), { total, page, limit }),
      )
    },
    MARKET_READ,
  )
}

/** Everything is on page one; there is nothing behind it. */
const wholePageText = (items: readonly string[], total: number, page: number): string =>
  `{"items":[${items.join(',')}],"total":${total},"page":${page},"limit":${WHOLE},"totalPages":${total > 0 ? 1 : 0}}`
