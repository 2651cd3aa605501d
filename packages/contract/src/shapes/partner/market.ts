import { type Static, type TSchema, Type } from 'typebox'
import { MAX_PAGE } from '../../lists.ts'
import { withMessage } from '../../partner-route.ts'
import { TEXT_PATTERN } from '../../patterns.ts'
import {
  AmountString,
  FilterList,
  filterListOf,
  ITEM_CATEGORIES,
  ItemCategory,
  ItemId,
  ListingId,
  MoneyNumber,
} from '../../primitives.ts'
import { describe, nullable, stringEnum, withDefault, withExample } from '../../schema.ts'
import { ListingCharm, ListingSticker, SearchWords } from '../market.ts'

const text = Type.String()

export const PARTNER_MARKETS = ['market_a', 'market_b'] as const
export const PartnerMarket = stringEnum(PARTNER_MARKETS, { title: 'Market' })
export type PartnerMarket = Static<typeof PartnerMarket>

/** As v1 spells them. `eco` is known, and not connected. */
export const LEGACY_MARKETS = ['market_a_short', 'market_b', 'eco'] as const
export const LegacyMarket = stringEnum(LEGACY_MARKETS, { title: 'LegacyMarket' })
export type LegacyMarket = Static<typeof LegacyMarket>

export const PARTNER_DELIVERIES = ['normal', 'auto'] as const
export const PartnerDelivery = stringEnum(PARTNER_DELIVERIES, { title: 'Delivery' })
export type PartnerDelivery = Static<typeof PartnerDelivery>

const BasePrice = describe(MoneyNumber, 'What the market asks, without fees, in USD.')
const ReferencePrice = nullable(describe(MoneyNumber, 'A reference price, without fees, in USD.'))

const listingFields = {
  itemId: ItemId,
  id: ListingId,
  marketHashName: text,
  type: text,
  iconUrl: text,
  price: describe(BasePrice, 'What the market asks, without fees, in USD: what a buy has to name.'),
  priceWithFee: describe(MoneyNumber, 'What the caller pays, in USD.'),
  platformPrice: ReferencePrice,
  delivery: PartnerDelivery,
}

const listingDetails = {
  exterior: nullable(text),
  wear: nullable(Type.Number({ description: 'The float value.' })),
  paintSeed: nullable(Type.Integer()),
  rarity: text,
  collection: nullable(text),
  color: nullable(Type.String({ description: 'Of the rarity: six hex digits.' })),
  stickers: Type.Array(ListingSticker),
  charm: nullable(ListingCharm),
}

export const ListingItemV2 = Type.Object(
  { ...listingFields, market: PartnerMarket, ...listingDetails },
  { title: 'ListingItemV2' },
)
export type ListingItemV2 = Static<typeof ListingItemV2>

export const ListingItemV1 = Type.Object(
  { ...listingFields, market: LegacyMarket, ...listingDetails },
  { title: 'ListingItemV1' },
)
export type ListingItemV1 = Static<typeof ListingItemV1>

// ---------------------------------------------------------------- search

export const PartnerSearchItem = Type.Object(
  {
    id: ItemId,
    marketHashName: text,
    type: nullable(text),
    iconUrl: nullable(text),
    price: describe(BasePrice, 'The lowest price of all listings, without fees, in USD.'),
    platformPrice: ReferencePrice,
    exterior: nullable(text),
    rarity: nullable(text),
    collection: nullable(text),
    color: nullable(Type.String({ description: 'Of the rarity: six hex digits.' })),
    weapon: nullable(text),
    sellingTotal: Type.Integer({ description: 'Live listings.' }),
    popularity: Type.Integer({ description: 'A rank score: higher is more traded.' }),
  },
  { title: 'SearchItem' },
)
export type PartnerSearchItem = Static<typeof PartnerSearchItem>

const ItemsCount = Type.Integer({ description: 'All items that match, not only those shown.' })

export const PartnerSearchResponse = Type.Object(
  { items: Type.Array(PartnerSearchItem), itemsCount: ItemsCount },
  { title: 'SearchResponse' },
)
export type PartnerSearchResponse = Static<typeof PartnerSearchResponse>

export const LegacySearchResponse = withMessage('LegacySearchResponse', {
  items: Type.Array(PartnerSearchItem),
  itemsCount: ItemsCount,
})
export type LegacySearchResponse = Static<typeof LegacySearchResponse>

export const PARTNER_SEARCH_SORTS = ['abc', 'priceAsc', 'popularity', 'priceDesc'] as const
export const PartnerSearchSort = stringEnum(PARTNER_SEARCH_SORTS, { title: 'SearchSort' })
export type PartnerSearchSort = Static<typeof PartnerSearchSort>

/** The most that one search returns. */
export const SEARCH_WINDOW = 100

const searchFields = {
  q: Type.Optional(SearchWords),
  start: Type.Integer({
    minimum: 1,
    maximum: MAX_PAGE,
    default: 1,
    description: 'The first item, counted from 1.',
  }),
  end: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_PAGE,
      examples: [100],
      description: `The last item, included; at most start + ${SEARCH_WINDOW - 1}. Left out, it is ${SEARCH_WINDOW}, and that most where start is beyond it.`,
    }),
  ),
  minPrice: Type.Optional(describe(AmountString, 'Of the base price, in USD.')),
  maxPrice: Type.Optional(describe(AmountString, 'Of the base price, in USD.')),
  rarity: Type.Optional(withExample(FilterList, 'Classified')),
  team: Type.Optional(stringEnum(['CT', 'T', 'any'], { description: 'Who can use the item.' })),
  wear: Type.Optional(
    withExample(describe(FilterList, 'Names of exteriors, separated by commas.'), 'Field-Tested'),
  ),
  category: Type.Optional(filterListOf(ITEM_CATEGORIES)),
  tags: Type.Optional(
    withExample(
      describe(
        FilterList,
        'Values of any facet of the catalogue, separated by commas; all must fit.',
      ),
      'Rifle,Covert',
    ),
  ),
  weapon: Type.Optional(withExample(FilterList, 'AK-47,AWP')),
  sort: withDefault(PartnerSearchSort, 'popularity'),
}

const PaintIndex = Type.Integer({ minimum: 0, maximum: 100_000, examples: [282] })
const ItemType = withExample(FilterList, 'Rifle')

export const PartnerSearchQuery = Type.Object(
  {
    ...searchFields,
    paintIndex: Type.Optional(PaintIndex),
    itemType: Type.Optional(ItemType),
  },
  { additionalProperties: false },
)
export type PartnerSearchQuery = Static<typeof PartnerSearchQuery>

export const LegacySearchQuery = Type.Object(
  {
    ...searchFields,
    paint_index: Type.Optional(PaintIndex),
    item_type: Type.Optional(ItemType),
  },
  { additionalProperties: false },
)
export type LegacySearchQuery = Static<typeof LegacySearchQuery>

// ---------------------------------------------------------------- suggestions

export const PartnerSuggestion = Type.Object(
  {
    id: ItemId,
    marketHashName: text,
    iconUrl: text,
    rarity: text,
    color: Type.String({ description: 'Of the rarity: six hex digits.' }),
  },
  { title: 'Suggestion' },
)
export type PartnerSuggestion = Static<typeof PartnerSuggestion>

export const PartnerSuggestionsResponse = Type.Object(
  { items: Type.Array(PartnerSuggestion) },
  { title: 'SuggestionsResponse' },
)
export type PartnerSuggestionsResponse = Static<typeof PartnerSuggestionsResponse>

export const LegacySuggestionsResponse = withMessage('LegacySuggestionsResponse', {
  items: Type.Array(PartnerSuggestion),
})
export type LegacySuggestionsResponse = Static<typeof LegacySuggestionsResponse>

export const PartnerSuggestionsQuery = Type.Object(
  {
    q: Type.String({ minLength: 1, maxLength: 100, pattern: TEXT_PATTERN, examples: ['redl'] }),
  },
  { additionalProperties: false },
)
export type PartnerSuggestionsQuery = Static<typeof PartnerSuggestionsQuery>

// ---------------------------------------------------------------- listings

const TotalSellCount = Type.Integer({ description: 'Live listings of the item that match.' })

const ListingsPage = Type.Integer({
  minimum: 1,
  maximum: MAX_PAGE,
  default: 1,
  description: 'Counted from 1, 25 listings each. A page beyond the end is empty.',
})

export const PartnerListingsQuery = Type.Object(
  {
    item: ItemId,
    page: ListingsPage,
    delivery: Type.Optional(describe(PartnerDelivery, 'Exactly this kind.')),
  },
  { additionalProperties: false },
)
export type PartnerListingsQuery = Static<typeof PartnerListingsQuery>

export const LegacyListingsQuery = Type.Object(
  {
    item: ItemId,
    page: ListingsPage,
    delivery: Type.Optional(
      Type.Integer({
        enum: [2],
        examples: [2],
        description: '2: only automatic delivery.',
      }),
    ),
  },
  { additionalProperties: false },
)
export type LegacyListingsQuery = Static<typeof LegacyListingsQuery>

export const PartnerListingsResponse = Type.Object(
  { listings: Type.Array(ListingItemV2), totalSellCount: TotalSellCount },
  { title: 'ListingsResponse' },
)
export type PartnerListingsResponse = Static<typeof PartnerListingsResponse>

export const LegacyListingsResponse = withMessage('LegacyListingsResponse', {
  listings: Type.Array(ListingItemV1),
  platformPrice: ReferencePrice,
  totalSellCount: TotalSellCount,
})
export type LegacyListingsResponse = Static<typeof LegacyListingsResponse>

const ListingsCount = Type.Integer({ description: 'Listings in this answer.' })

export const LiveListingsResponse = Type.Object(
  { listings: Type.Array(ListingItemV2), listingsCount: ListingsCount },
  { title: 'LiveListingsResponse' },
)
export type LiveListingsResponse = Static<typeof LiveListingsResponse>

export const LegacyLiveListingsResponse = withMessage('LegacyLiveListingsResponse', {
  listings: Type.Array(ListingItemV1),
  listingsCount: ListingsCount,
})
export type LegacyLiveListingsResponse = Static<typeof LegacyLiveListingsResponse>

// ---------------------------------------------------------------- listing detail

export const LISTING_DETAILS_LIMIT = 10

export const ListingDetailBody = Type.Object(
  {
    items: Type.Array(
      Type.Object(
        { item: ItemId, listing: ListingId, market: PartnerMarket },
        {
          additionalProperties: false,
          title: 'ListingReference',
          examples: [{ item: '9f86d081884c7d65', listing: '4700012345', market: 'market_a' }],
        },
      ),
      { minItems: 1, maxItems: LISTING_DETAILS_LIMIT },
    ),
  },
  {
    title: 'ListingDetailBody',
    additionalProperties: false,
    examples: [
      { items: [{ item: '9f86d081884c7d65', listing: '4700012345', market: 'market_a' }] },
    ],
  },
)
export type ListingDetailBody = Static<typeof ListingDetailBody>

export const ListingFailure = Type.Object(
  {
    id: describe(ListingId, 'The listing that was named.'),
    error: stringEnum(['ITEM_NOT_FOUND', 'LISTING_NOT_FOUND']),
  },
  { title: 'ListingFailure' },
)
export type ListingFailure = Static<typeof ListingFailure>

const orFailure = <Listing extends TSchema>(listing: Listing) =>
  Type.Array(Type.Union([listing, ListingFailure]), {
    description: 'In the order of the request.',
  })

export const ListingDetailResponse = Type.Object(
  { items: orFailure(ListingItemV2) },
  { title: 'ListingDetailResponse' },
)
export type ListingDetailResponse = Static<typeof ListingDetailResponse>

export const LegacyListingDetailResponse = withMessage('LegacyListingDetailResponse', {
  items: orFailure(ListingItemV1),
})
export type LegacyListingDetailResponse = Static<typeof LegacyListingDetailResponse>

export const LegacyListingDetailQuery = Type.Object(
  { item: ItemId, listing: ListingId, market: LegacyMarket },
  { additionalProperties: false },
)
export type LegacyListingDetailQuery = Static<typeof LegacyListingDetailQuery>

// ---------------------------------------------------------------- items

export const PartnerItemParams = Type.Object({ id: ItemId })
export type PartnerItemParams = Static<typeof PartnerItemParams>

const { price: _price, ...itemFields } = PartnerSearchItem.properties

export const PartnerItem = Type.Object(
  {
    ...itemFields,
    price: nullable(
      describe(
        MoneyNumber,
        'The lowest price, without fees, in USD; null when nothing is for sale.',
      ),
    ),
    priceWithFee: nullable(describe(MoneyNumber, 'The same as the caller pays it.')),
  },
  { title: 'Item' },
)
export type PartnerItem = Static<typeof PartnerItem>

export const PartnerItemResponse = withMessage('ItemResponse', { item: PartnerItem })
export type PartnerItemResponse = Static<typeof PartnerItemResponse>

export const ItemVariant = Type.Object(
  {
    itemId: ItemId,
    exterior: nullable(text),
    category: ItemCategory,
    price: nullable(describe(MoneyNumber, 'The lowest price, without fees, in USD.')),
    platformPrice: ReferencePrice,
    stock: Type.Integer({ description: 'Live listings.' }),
  },
  { title: 'ItemVariant' },
)
export type ItemVariant = Static<typeof ItemVariant>

export const ItemOverviewResponse = withMessage('ItemOverviewResponse', {
  item: PartnerItem,
  variants: Type.Array(ItemVariant),
  inStock: Type.Boolean({ description: 'Any variant is for sale.' }),
})
export type ItemOverviewResponse = Static<typeof ItemOverviewResponse>

export const ItemOfMap = Type.Object(
  {
    itemId: ItemId,
    price: nullable(describe(MoneyNumber, 'The lowest price, without fees, in USD.')),
    priceWithFee: nullable(describe(MoneyNumber, 'The same as the caller pays it.')),
    stock: Type.Integer({ description: 'Live listings.' }),
    fastDelivery: Type.Boolean({ description: 'Some listing is delivered automatically.' }),
  },
  { title: 'ItemOfMap' },
)
export type ItemOfMap = Static<typeof ItemOfMap>

export const ItemMapResponse = withMessage('ItemMapResponse', {
  items: Type.Unsafe<Record<string, ItemOfMap>>({
    type: 'object',
    additionalProperties: ItemOfMap,
    description:
      'By market hash name. Of the phases of one name the cheapest is shown; search shows each.',
  }),
  itemsCount: Type.Integer(),
})
export type ItemMapResponse = Static<typeof ItemMapResponse>

export const ItemMapQuery = Type.Object(
  {
    fastDeliveryOnly: Type.Optional(
      Type.Boolean({ description: 'Only items, prices and stock of automatic delivery.' }),
    ),
  },
  { additionalProperties: false },
)
export type ItemMapQuery = Static<typeof ItemMapQuery>
