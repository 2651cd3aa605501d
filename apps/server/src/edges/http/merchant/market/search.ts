// GET /market/search, GET /market/search/suggestions, GET /market/items/{itemId}, POST /market/items/lookup
import { type ItemLookupBody, type LiveSearchQuery, merchantRoutes } from '@tradepost/contract'
import { type CatalogueView, type Entry, itemIdOf } from '#catalog'
import { parseAmount } from '#kernel/money'
import { refuse } from '#kernel/refusal'
import { SUCCESS_TAIL, successHead } from '#wire/envelope'
import { type ItemTexts, suggestionText } from '#wire/merchant/market'
import { refuseField } from '../../shared/failure.ts'
import { facetsOf } from '../../shared/market/facets.ts'
import type { PriceTags } from '../../shared/market/price-tags.ts'
import { PreparedResponse } from '../../shared/operation.ts'
import { type MerchantOperations, operation } from '../operation.ts'

export interface SearchDeps {
  readonly view: CatalogueView
  readonly priceTags: PriceTags<ItemTexts>
}

const MAX_SUGGESTIONS = 10

/** Of a caller they need no more than what prices it is shown. */
export const MARKET_READ = { takesRememberedCaller: true } as const

export const createSearchOperations = ({
  view,
  priceTags,
}: SearchDeps): Pick<
  MerchantOperations,
  'searchMarket' | 'suggestItems' | 'getItem' | 'lookUpItems'
> => ({
  searchMarket: operation(
    merchantRoutes.searchMarket,
    async ({ caller, query }) => {
      const facets = facetsOf(view, query)
      const { tag, searchItem } = await priceTags(caller.account)
      const { page, limit, market } = query as LiveSearchQuery
      const markets = market?.split(',')
      if (markets?.some((id) => !view.knowsMarket(id))) {
        refuseField({
          ...{ in: 'query', pointer: '/market', rule: 'enum' },
          message: 'must be a market of the service',
        })
      }
      const { entries, total } = view.search({
        text: query.q ?? null,
        sort: query.sort,
        facets,
        delivery: query.delivery ?? null,
        inStock: query.inStock ?? false,
        ...(markets && { markets }),
        minPrice: query.minPrice === undefined ? null : parseAmount(query.minPrice),
        maxPrice: query.maxPrice === undefined ? null : parseAmount(query.maxPrice),
        priceOf: tag.price,
        offset: (page - 1) * limit,
        limit,
      })
      return prepared(caller.requestId, pageText(entries.map(searchItem), { total, page, limit }))
    },
    MARKET_READ,
  ),

  suggestItems: operation(
    merchantRoutes.suggestItems,
    async ({ caller, query }) => {
      const items = view.suggest(query.q, MAX_SUGGESTIONS).map(suggestionText)
      return prepared(caller.requestId, `[${items.join(',')}]`)
    },
    MARKET_READ,
  ),

  getItem: operation(
    merchantRoutes.getItem,
    async ({ caller, params }) => {
      const { searchItem } = await priceTags(caller.account)
      return prepared(caller.requestId, searchItem(getEntry(view, params.itemId)))
    },
    MARKET_READ,
  ),

  lookUpItems: operation(
    merchantRoutes.lookUpItems,
    async ({ caller, body }) => {
      const { searchItem } = await priceTags(caller.account)
      const texts = body.items.map((asked, i) => {
        const entry = view.find(idOf(asked, i))
        return entry === null ? 'null' : searchItem(entry)
      })
      return prepared(caller.requestId, `{"items":[${texts.join(',')}]}`)
    },
    MARKET_READ,
  ),
})

/** An id follows from the name. Refuses both and neither, and a phase beside an id. */
function idOf({ id, marketHashName, phase }: ItemLookupBody['items'][number], i: number): string {
  if (marketHashName === undefined) {
    if (id !== undefined && phase === undefined) return id
  } else if (id === undefined) return itemIdOf(marketHashName, phase ?? null)
  return refuseField({
    ...{ in: 'body', pointer: `/items/${i}`, rule: 'oneOf' },
    message: 'must have either an id, or a marketHashName with its phase',
  })
}

/** Refuses ITEM_NOT_FOUND. */
export const getEntry = (view: CatalogueView, itemId: string): Entry =>
  view.find(itemId) ?? refuse('ITEM_NOT_FOUND', { itemId })

/** A page of texts as the text of the shape that every page-based list has. */
export const pageText = (
  items: readonly string[],
  { total, page, limit }: { readonly total: number; readonly page: number; readonly limit: number },
): string =>
  `{"items":[${items.join(',')}],"total":${total},"page":${page},"limit":${limit},"totalPages":${Math.ceil(total / limit)}}`

export const successText = (requestId: string, dataText: string): string =>
  successHead(requestId) + dataText + SUCCESS_TAIL

export const prepared = (requestId: string, dataText: string): PreparedResponse =>
  new PreparedResponse(successText(requestId, dataText), {})
