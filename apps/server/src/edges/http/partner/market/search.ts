// Search and suggestions, in both generations.
import {
  type PartnerSearchQuery,
  type PartnerSearchSort,
  partnerRoutes,
  SEARCH_WINDOW,
} from '@tradepost/contract'
import type { CatalogueView, Facet, SearchSort } from '#catalog'
import { parseAmount } from '#kernel/money'
import { sourcingIn } from '#pricing'
import { SUCCESS_TAIL, successHead } from '#wire/envelope'
import { type PartnerItemTexts, suggestionText } from '#wire/partner/market'
import { refuseField } from '../../shared/failure.ts'
import type { PriceTags } from '../../shared/market/price-tags.ts'
import { PreparedResponse } from '../../shared/operation.ts'
import type { PartnerCaller } from '../../shared/principal.ts'
import { pricedAccount } from '../caller.ts'
import { DONE, marketRead, type PartnerOperations } from '../operation.ts'

export interface SearchDeps {
  readonly view: CatalogueView
  readonly priceTags: PriceTags<PartnerItemTexts>
}

const MAX_SUGGESTIONS = 10

const SORTS: Readonly<Record<PartnerSearchSort, SearchSort>> = {
  abc: 'nameAsc',
  priceAsc: 'priceAsc',
  priceDesc: 'priceDesc',
  popularity: 'popularity',
}

export function createSearchOperations({
  view,
  priceTags,
}: SearchDeps): Pick<PartnerOperations, 'search' | 'suggest' | 'searchV1' | 'suggestV1'> {
  /** The fields of a search's answer, as text without the braces around them. */
  const find = async (
    caller: PartnerCaller,
    query: PartnerSearchQuery,
    nameOfItemType: string,
  ): Promise<string> => {
    const facets = facetsOf(view, query, nameOfItemType)
    const tags = query.tags?.split(',') ?? []
    if (!tags.every(view.knowsTag)) refuseUnknownValue('tags')
    const { searchItem } = await priceTags(pricedAccount(caller))
    const { entries, total } = view.search({
      text: query.q ?? null,
      sort: SORTS[query.sort],
      facets,
      tags,
      delivery: null,
      inStock: true,
      minPrice: query.minPrice === undefined ? null : parseAmount(query.minPrice),
      maxPrice: query.maxPrice === undefined ? null : parseAmount(query.maxPrice),
      priceOf: (asked) => sourcingIn('USD', asked, null),
      ...windowOf(query),
    })
    const items = entries.map((entry) => searchItem(entry, view.popularityOf(entry)))
    return `"items":[${items.join(',')}],"itemsCount":${total}`
  }
  const suggestionsOf = (q: string): string =>
    `"items":[${view.suggest(q, MAX_SUGGESTIONS).map(suggestionText).join(',')}]`

  return {
    search: marketRead(partnerRoutes.search, async ({ caller, query }) =>
      prepared(caller, await find(caller, query, 'itemType')),
    ),
    suggest: marketRead(partnerRoutes.suggest, async ({ caller, query }) =>
      prepared(caller, suggestionsOf(query.q)),
    ),
    searchV1: marketRead(partnerRoutes.searchV1, async ({ caller, query }) => {
      const { paint_index: paintIndex, item_type: itemType, ...same } = query
      const renamed = {
        ...same,
        ...(paintIndex !== undefined && { paintIndex }),
        ...(itemType !== undefined && { itemType }),
      }
      const fields = await find(caller, renamed, 'item_type')
      return prepared(caller, `${fields},${MESSAGE}`)
    }),
    suggestV1: marketRead(partnerRoutes.suggestV1, async ({ caller, query }) =>
      prepared(caller, `${suggestionsOf(query.q)},${MESSAGE}`),
    ),
  }
}

const MESSAGE = `"message":"${DONE}"`

const prepared = ({ requestId }: PartnerCaller, fields: string): PreparedResponse =>
  new PreparedResponse(`${successHead(requestId)}{${fields}}${SUCCESS_TAIL}`, {})

/** `start` and `end` are counted from 1, both included. */
function windowOf({ start, end: asked }: PartnerSearchQuery): {
  readonly offset: number
  readonly limit: number
} {
  const end = asked ?? (start > SEARCH_WINDOW ? start + SEARCH_WINDOW - 1 : SEARCH_WINDOW)
  if (end < start || end - start >= SEARCH_WINDOW) {
    return refuseField({
      in: 'query',
      pointer: '/end',
      rule: 'window',
      message: `must be from start to start + ${SEARCH_WINDOW - 1}`,
    })
  }
  return { offset: start - 1, limit: end - start + 1 }
}

const FACETS = ['rarity', 'weapon', 'itemType', 'category', 'team'] as const

function facetsOf(
  view: CatalogueView,
  query: PartnerSearchQuery,
  nameOfItemType: string,
): Partial<Record<Facet, readonly string[]>> {
  const facets: Partial<Record<Facet, readonly string[]>> = {}
  const add = (name: string, facet: Facet, values: readonly string[]): void => {
    if (!values.every((value) => view.knows(facet, value) || facet === 'team')) {
      refuseUnknownValue(name)
    }
    facets[facet] = values
  }
  for (const name of FACETS) {
    const text = query[name]
    if (text !== undefined) {
      add(name === 'itemType' ? nameOfItemType : name, name, text.split(','))
    }
  }
  if (query.wear !== undefined) add('wear', 'exterior', query.wear.split(','))
  if (query.paintIndex !== undefined) facets.paintIndex = [String(query.paintIndex)]
  return facets
}

const refuseUnknownValue = (name: string): never =>
  refuseField({
    in: 'query',
    pointer: `/${name}`,
    rule: 'enum',
    message: 'must be a value that an item of the catalogue has',
  })
