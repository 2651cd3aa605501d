// The filters of listings over all items, of the route and of the socket alike.
import type { ListingFilter } from '@tradepost/contract'
import type { CatalogueView, ItemFilter, ListingTerms } from '#catalog'
import { type Cents, parseAmount } from '#kernel/money'
import { boundsInMills, type PriceTag } from '#pricing'
import { refuseField } from '../failure.ts'
import { facetsOf } from './facets.ts'

/** A filter whose values have been checked; its price bounds are what a caller pays. */
export interface CheckedFilter {
  readonly items: ItemFilter
  readonly terms: Omit<ListingTerms, 'minMills' | 'maxMills'>
  readonly minPrice: Cents | null
  readonly maxPrice: Cents | null
}

const MAX_STICKERS = 10

/** Refuses values that nothing has, and bounds between which nothing is. */
export function checkListingFilter(
  view: Pick<CatalogueView, 'knows' | 'knowsMarket'>,
  filter: ListingFilter,
): CheckedFilter {
  const { itemId, q, minWear = null, maxWear = null, paintSeed, market, delivery } = filter
  const minPrice = filter.minPrice === undefined ? null : parseAmount(filter.minPrice)
  const maxPrice = filter.maxPrice === undefined ? null : parseAmount(filter.maxPrice)
  if (minPrice !== null && maxPrice !== null && minPrice > maxPrice) refuseCrossed('minPrice')
  if (minWear !== null && maxWear !== null && minWear > maxWear) refuseCrossed('minWear')
  const markets = market?.split(',') ?? null
  if (markets?.some((id) => !view.knowsMarket(id))) {
    refuseField({ ...at('market'), rule: 'enum', message: 'must be a market of the service' })
  }
  return {
    items: {
      text: q ?? null,
      facets: facetsOf(view, filter),
      itemIds: itemId?.split(',') ?? null,
    },
    terms: {
      ...{ minWear, maxWear, markets },
      paintSeeds: paintSeed?.split(',').map(Number) ?? null,
      stickers: stickersOf(filter.stickers),
      delivery: delivery ?? null,
    },
    ...{ minPrice, maxPrice },
  }
}

/** The terms in what markets ask, for those who see prices with this tag. */
export function termsFor(
  { terms, minPrice, maxPrice }: Omit<CheckedFilter, 'items'>,
  tag: PriceTag,
): ListingTerms {
  const { minMills, maxMills } = boundsInMills(tag, { minPrice, maxPrice })
  return {
    ...terms,
    minMills: minMills === null ? null : Number(minMills),
    maxMills: maxMills === null ? null : Number(maxMills),
  }
}

/** A parameter that is there once is a list; in one that is repeated each is a name, commas and all. */
function stickersOf(given: ListingFilter['stickers']): readonly string[] {
  if (given === undefined) return []
  const names = [...new Set(typeof given === 'string' ? given.split(',') : given)]
  if (names.length > MAX_STICKERS) {
    refuseField({
      ...{ ...at('stickers'), rule: 'maxItems' },
      message: `must have at most ${MAX_STICKERS} names`,
    })
  }
  return names
}

const at = (name: keyof ListingFilter) => ({ in: 'query', pointer: `/${name}` }) as const

const refuseCrossed = (name: 'minPrice' | 'minWear'): never =>
  refuseField({
    ...{ ...at(name), rule: 'maximum' },
    message: `must be at most ${name.replace('min', 'max')}`,
  })
