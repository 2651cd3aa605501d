// Listings over all items, and the filters that they share with the socket of the market.
import { type Static, Type } from 'typebox'
import { MAX_LIMIT } from '../lists.ts'
import { ITEM_IDS_PATTERN, PAINT_SEEDS_PATTERN } from '../patterns.ts'
import { DeliveryMode, FilterList, FilterText, ItemId, MarketListingSort } from '../primitives.ts'
import { describe, nullable, withDefault, withExample } from '../schema.ts'
import { itemFacets, MarketListing, priceBounds, SearchWords, wearBound } from './market.ts'

/** What `GET /market/listings` and `scope=filter` of the socket filter by. */
export const listingFilter = {
  itemId: Type.Optional(
    withExample(
      Type.String({
        pattern: ITEM_IDS_PATTERN,
        description: 'Items, at most 500, separated by commas. One that is unknown has no listing.',
      }),
      '9f86d081884c7d65',
    ),
  ),
  q: Type.Optional(SearchWords),
  ...itemFacets,
  ...priceBounds,
  minWear: Type.Optional(withExample(wearBound, 0.07)),
  maxWear: Type.Optional(withExample(wearBound, 0.15)),
  paintSeed: Type.Optional(
    withExample(
      Type.String({
        pattern: PAINT_SEEDS_PATTERN,
        description: 'One of these, at most 50, separated by commas.',
      }),
      '412,868',
    ),
  ),
  stickers: Type.Optional(
    withExample(
      Type.Union([FilterList, Type.Array(FilterText, { minItems: 2, maxItems: 10 })], {
        description:
          'Names of stickers, at most 10: all of them are on the listing. Separated by commas, or the parameter once for each, as a name with a comma requires.',
      }),
      'Sticker | Crown (Foil)',
    ),
  ),
  market: Type.Optional(withExample(FilterList, 'market_a')),
  delivery: Type.Optional(describe(DeliveryMode, 'Exactly this mode.')),
  inStock: Type.Optional(
    Type.Boolean({
      description:
        'As the search for items has it. Every listing is in stock, so it filters nothing.',
    }),
  ),
}

export const ListingFilter = Type.Object(listingFilter, { additionalProperties: false })
export type ListingFilter = Static<typeof ListingFilter>

export const FoundListing = Type.Object(
  { ...MarketListing.properties, itemId: ItemId },
  { title: 'FoundListing' },
)
export type FoundListing = Static<typeof FoundListing>

export const MarketListingsResponse = Type.Object(
  {
    items: Type.Array(FoundListing),
    nextCursor: nullable(
      Type.String({
        description:
          'The `cursor` of the next slice; null on the last one. A slice may be shorter than `limit` before that.',
      }),
    ),
  },
  { title: 'MarketListingsResponse' },
)
export type MarketListingsResponse = Static<typeof MarketListingsResponse>

export const MarketListingsQuery = Type.Object(
  {
    ...listingFilter,
    sort: withDefault(
      describe(
        MarketListingSort,
        '`newest` first are those that the service saw last for the first time.',
      ),
      'priceAsc',
    ),
    cursor: Type.Optional(
      withExample(
        Type.String({
          minLength: 1,
          maxLength: 128,
          description: 'The previous answer’s nextCursor, with the same `sort`.',
        }),
        'cHJpY2VBc2MgMTAwMDAgNDI',
      ),
    ),
    limit: withDefault(
      Type.Integer({
        minimum: 1,
        maximum: MAX_LIMIT,
        description: 'Rows in one answer.',
      }),
      50,
    ),
  },
  { additionalProperties: false },
)
export type MarketListingsQuery = Static<typeof MarketListingsQuery>
