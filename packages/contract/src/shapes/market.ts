import { type Static, Type } from 'typebox'
import { PageNumber, pageOf, pageQuery, WholeListLimit } from '../lists.ts'
import { TEXT_PATTERN } from '../patterns.ts'
import {
  AmountString,
  CalendarDate,
  DateTime,
  DeliveryMode,
  DOPPLER_PHASES,
  DopplerPhase,
  FilterList,
  FilterText,
  filterListOf,
  ITEM_CATEGORIES,
  ItemCategory,
  ItemId,
  ListingId,
  ListingSort,
  MoneyNumber,
  SearchSort,
} from '../primitives.ts'
import { describe, nullable, withDefault, withExample } from '../schema.ts'

const text = Type.String()
const optionalText = Type.Optional(text)
const phase = Type.Optional(
  withExample(describe(text, 'Of a Doppler: each phase is an item of its own.'), 'Ruby'),
)

export const SuggestionItem = Type.Object(
  {
    id: ItemId,
    marketHashName: text,
    iconUrl: text,
    rarity: optionalText,
    rarityColor: optionalText,
    itemType: optionalText,
  },
  { title: 'SuggestionItem' },
)
export type SuggestionItem = Static<typeof SuggestionItem>

export const SuggestionItems = Type.Array(SuggestionItem)
export type SuggestionItems = Static<typeof SuggestionItems>

export const SuggestionsQuery = Type.Object(
  {
    q: Type.String({
      minLength: 1,
      maxLength: 100,
      pattern: TEXT_PATTERN,
      examples: ['redl'],
    }),
  },
  { additionalProperties: false },
)
export type SuggestionsQuery = Static<typeof SuggestionsQuery>

export const ItemPrice = Type.Object(
  {
    standard: describe(MoneyNumber, 'The lowest price of all, fees included.'),
    instant: nullable(
      describe(MoneyNumber, 'The lowest price with automatic delivery; null when there is none.'),
    ),
  },
  { title: 'ItemPrice' },
)
export type ItemPrice = Static<typeof ItemPrice>

export const SearchResultItem = Type.Object(
  {
    id: ItemId,
    name: text,
    marketHashName: text,
    itemType: optionalText,
    iconUrl: optionalText,
    weapon: optionalText,
    wear: Type.Optional(Type.String({ description: 'The name of the exterior.' })),
    phase,
    rarity: optionalText,
    rarityColor: optionalText,
    category: Type.Optional(ItemCategory),
    collection: optionalText,
    floatRange: Type.Optional(
      Type.Unsafe<[number, number]>({
        type: 'array',
        items: { type: 'number' },
        minItems: 2,
        maxItems: 2,
        description: 'The least and the greatest wear that the item can have.',
      }),
    ),
    price: Type.Optional(ItemPrice),
    listingsCount: Type.Optional(Type.Integer()),
    platformPrice: Type.Optional(describe(MoneyNumber, 'A reference price, without fees.')),
  },
  { title: 'SearchResultItem' },
)
export type SearchResultItem = Static<typeof SearchResultItem>

export const ItemLookupBody = Type.Object(
  {
    items: Type.Array(
      Type.Object(
        {
          id: Type.Optional(ItemId),
          marketHashName: Type.Optional(
            describe(
              FilterText,
              'The exact name. Without `phase` it finds no item that has a phase.',
            ),
          ),
          phase: Type.Optional(
            describe(DopplerPhase, 'With a name only, for an item that has a phase.'),
          ),
        },
        { title: 'ItemReference', additionalProperties: false },
      ),
      { minItems: 1, maxItems: 500, description: 'Each by its id or by its name.' },
    ),
  },
  {
    title: 'ItemLookupBody',
    examples: [
      { items: [{ id: '9f86d081884c7d65' }, { marketHashName: 'AK-47 | Redline (Field-Tested)' }] },
    ],
    additionalProperties: false,
  },
)
export type ItemLookupBody = Static<typeof ItemLookupBody>

export const ItemLookupResponse = Type.Object(
  {
    items: Type.Array(nullable(SearchResultItem), {
      description: 'One entry for each requested item, in order; null if there is no such item.',
    }),
  },
  { title: 'ItemLookupResponse' },
)
export type ItemLookupResponse = Static<typeof ItemLookupResponse>

export const SearchResponse = pageOf('SearchResponse', SearchResultItem)
export type SearchResponse = Static<typeof SearchResponse>

export const priceBounds = {
  minPrice: Type.Optional(AmountString),
  maxPrice: Type.Optional(AmountString),
}

export const SearchWords = withExample(
  describe(
    FilterText,
    'Words in any order, by their beginnings, with one typing error; also what people call an item: ' +
      '"ft", "st", "deagle", "knife", "p2".',
  ),
  'ak47 redline ft',
)

export const itemFacets = {
  itemType: Type.Optional(withExample(FilterList, 'Rifle')),
  weapon: Type.Optional(withExample(FilterList, 'AK-47,AWP')),
  exterior: Type.Optional(withExample(FilterList, 'Field-Tested')),
  rarity: Type.Optional(withExample(FilterList, 'Classified')),
  category: Type.Optional(filterListOf(ITEM_CATEGORIES)),
  collection: Type.Optional(withExample(FilterList, 'The Phoenix Collection')),
  phase: Type.Optional(filterListOf(DOPPLER_PHASES)),
}

export const SearchQuery = Type.Object(
  {
    q: Type.Optional(SearchWords),
    sort: withDefault(SearchSort, 'relevance'),
    ...pageQuery,
    ...priceBounds,
    ...itemFacets,
    delivery: Type.Optional(describe(DeliveryMode, 'Exactly this mode.')),
    inStock: Type.Optional(Type.Boolean({ description: 'Only items with a live listing.' })),
  },
  { additionalProperties: false },
)
export type SearchQuery = Static<typeof SearchQuery>

/** Of people of a merchant. */
export const LiveSearchQuery = Type.Object(
  {
    ...SearchQuery.properties,
    market: Type.Optional(
      withExample(describe(FilterList, 'Items that one of these has for sale.'), 'market_a'),
    ),
  },
  { additionalProperties: false },
)
export type LiveSearchQuery = Static<typeof LiveSearchQuery>

export const PriceItem = Type.Object(
  {
    id: ItemId,
    marketHashName: text,
    phase,
    price: Type.Optional(ItemPrice),
    listingsCount: Type.Integer(),
    platformPrice: Type.Optional(MoneyNumber),
    volume7d: Type.Integer({
      description: 'Sales through the service on this UTC day and the six before.',
    }),
    lastSale: describe(
      nullable(
        Type.Object(
          {
            price: describe(
              MoneyNumber,
              'What the account would have paid, with its fees and the rate of now.',
            ),
            at: describe(DateTime, 'When it settled.'),
          },
          { title: 'LastSale' },
        ),
      ),
      'The latest sale through the service; null when none is known.',
    ),
  },
  { title: 'PriceItem' },
)
export type PriceItem = Static<typeof PriceItem>

export const PricesResponse = Type.Object(
  {
    ...pageOf('', PriceItem).properties,
    version: describe(
      text,
      'The state of the list, the same for every caller. With `since` and `limit=-1` you get only what has changed after it.',
    ),
    removed: Type.Optional(
      Type.Array(ItemId, {
        description: 'With `since`: items that are no longer in the list.',
      }),
    ),
    full: Type.Optional(
      Type.Boolean({
        description:
          'True when `items` is the whole list; absent, and never false, when it is a page or the changes.',
      }),
    ),
  },
  { title: 'PricesResponse' },
)
export type PricesResponse = Static<typeof PricesResponse>

export const PricesQuery = Type.Object(
  {
    page: PageNumber,
    limit: WholeListLimit,
    since: Type.Optional(
      withExample(
        Type.String({
          minLength: 1,
          description:
            'The `version` of an earlier response, with `limit=-1`: only what has changed since. A version that is unknown here, or after which thousands of items changed, is answered with the whole list and `full: true`.',
        }),
        'k3xV9aQe.184467',
      ),
    ),
  },
  { additionalProperties: false },
)
export type PricesQuery = Static<typeof PricesQuery>

export const ListingSticker = Type.Object(
  {
    name: text,
    marketHashName: optionalText,
    slot: Type.Integer(),
    wear: Type.Optional(Type.Number({ description: '0 is fresh.' })),
    iconUrl: text,
  },
  { title: 'ListingSticker' },
)
export type ListingSticker = Static<typeof ListingSticker>

export const ListingCharm = Type.Object(
  {
    name: text,
    marketHashName: optionalText,
    pattern: Type.Optional(Type.Integer()),
    iconUrl: text,
  },
  { title: 'ListingCharm' },
)
export type ListingCharm = Static<typeof ListingCharm>

export const Doppler = Type.Object(
  {
    status: Type.Boolean({ description: 'True for an item of the Doppler family.' }),
    name: describe(text, 'The phase.'),
    paintIndex: Type.Optional(Type.Integer()),
  },
  { title: 'Doppler' },
)
export type Doppler = Static<typeof Doppler>

export const Hardened = Type.Object(
  {
    status: Type.Boolean({ description: 'True for a case-hardened item.' }),
    name: describe(text, 'The tier of its pattern.'),
  },
  { title: 'Hardened' },
)
export type Hardened = Static<typeof Hardened>

export const Fade = Type.Object({ percentage: Type.Number() }, { title: 'Fade' })
export type Fade = Static<typeof Fade>

export const MarketListing = Type.Object(
  {
    id: ListingId,
    assetId: nullable(text),
    classId: nullable(text),
    instanceId: nullable(text),
    price: describe(MoneyNumber, 'Fees included, in the currency of the caller’s wallet.'),
    referencePrice: nullable(MoneyNumber),
    name: text,
    marketHashName: text,
    type: text,
    iconUrl: text,
    exterior: optionalText,
    rarity: optionalText,
    collection: optionalText,
    color: optionalText,
    wear: Type.Optional(nullable(Type.String({ description: 'The float value as text.' }))),
    paintSeed: Type.Optional(nullable(Type.Integer())),
    phase,
    doppler: Type.Optional(Doppler),
    fade: Type.Optional(Fade),
    hardened: Type.Optional(Hardened),
    stickers: Type.Optional(Type.Array(ListingSticker)),
    charm: Type.Optional(ListingCharm),
    previewToken: nullable(Type.String({ description: 'A bare inspect token in hex.' })),
    delivery: Type.Optional(DeliveryMode),
  },
  { title: 'MarketListing' },
)
export type MarketListing = Static<typeof MarketListing>

export const ListingsResponse = pageOf('ListingsResponse', MarketListing)
export type ListingsResponse = Static<typeof ListingsResponse>

export const wearBound = Type.Number({ minimum: 0, maximum: 1 })

export const ListingsQuery = Type.Object(
  {
    sort: withDefault(ListingSort, 'priceAsc'),
    ...pageQuery,
    ...priceBounds,
    minWear: Type.Optional(withExample(wearBound, 0.07)),
    maxWear: Type.Optional(withExample(wearBound, 0.15)),
    paintSeed: Type.Optional(Type.Integer({ minimum: 0, maximum: 1000, examples: [412] })),
    phase: Type.Optional(filterListOf(DOPPLER_PHASES)),
    delivery: Type.Optional(describe(DeliveryMode, 'Exactly this mode.')),
    hasStickers: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
)
export type ListingsQuery = Static<typeof ListingsQuery>

export const LiveMarketResponse = pageOf('LiveMarketResponse', MarketListing)
export type LiveMarketResponse = Static<typeof LiveMarketResponse>

export const LiveMarketQuery = Type.Object(pageQuery, { additionalProperties: false })
export type LiveMarketQuery = Static<typeof LiveMarketQuery>

export const PriceHistoryDay = Type.Object(
  {
    date: CalendarDate,
    volume: Type.Integer({ description: 'Sales of the day.' }),
    lowest: MoneyNumber,
    median: MoneyNumber,
    highest: MoneyNumber,
  },
  { title: 'PriceHistoryDay' },
)
export type PriceHistoryDay = Static<typeof PriceHistoryDay>

export const PriceHistory = Type.Array(PriceHistoryDay)
export type PriceHistory = Static<typeof PriceHistory>

export const ItemParams = Type.Object({ itemId: ItemId })
export type ItemParams = Static<typeof ItemParams>

export const ListingParams = Type.Object({ listingId: ListingId })
export type ListingParams = Static<typeof ListingParams>
