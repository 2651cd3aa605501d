// The listings of an item, or of all that fit, with their prices.
import { accountOf, type Cli, command, show, table, wholeNumber, withBehalf } from '../cli.ts'
import { usageError } from '../failure.ts'
import type { ListingSort, MarketListing, MarketListingSort } from '../sdk.ts'
import { behalfWords } from '../shell-words.ts'
import { NAME } from '../table.ts'
import { clean, itemName, money } from '../text.ts'
import { filtersOf, withFilters } from './listing-filters.ts'
import type { ListingsOptions } from './market-options.ts'
import { listAsPartner } from './partner-market.ts'

export function addListings({ program, environment, anySession }: Cli): void {
  const listings = withFilters(
    command(program, 'listings [item]', 'listings of an item, or of all items that fit'),
  )
    .option('--delivery <mode>', 'standard or instant; for partners normal or auto')
    .option('--sort <order>', 'priceAsc, priceDesc, wearAsc, wearDesc; without an item also newest')
    .option('--limit <count>', 'number of rows', wholeNumber(1, 100), 20)
  withBehalf(listings).action(async (item: string | undefined, options: ListingsOptions) => {
    const opened = anySession(options)
    if (opened.speaks === 'partner') {
      if (item === undefined) throw usageError('A partner lists the listings of an item: name it.')
      return listAsPartner(environment, opened.account, { ...options, item })
    }
    const { tradepost } = opened
    const itemFilters = ITEM_FILTERS.filter((name) => options[name] !== undefined)
    if (item !== undefined && itemFilters.length > 0) {
      throw usageError(`An item is named already: leave out ${itemFilters.join(' and ')}.`)
    }
    const filters = filtersOf(options)
    if (item === undefined) {
      const found = await accountOf(tradepost, options).market.findListings(
        {
          ...filters,
          sort: options.sort as MarketListingSort | undefined,
          limit: options.limit,
        },
        { signal: environment.signal },
      )
      return show(environment, options, found, () =>
        found.items.length === 0
          ? 'Nothing that is for sale fits.'
          : table(environment, found.items, [ITEM, ...COLUMNS]),
      )
    }
    const found = await accountOf(tradepost, options).market.listings(
      item,
      {
        minPrice: options.minPrice,
        maxPrice: options.maxPrice,
        minWear: filters.minWear,
        maxWear: filters.maxWear,
        delivery: filters.delivery,
        sort: options.sort as ListingSort | undefined,
        limit: options.limit,
      },
      { signal: environment.signal },
    )
    show(environment, options, found, () => {
      const [first] = found.items
      if (first === undefined) return 'It is not for sale at the moment.'
      const { bold, dim } = environment.terminal.outPaint
      const buy = environment.commandLine(
        `buy <listing> --max-price <amount> --trade-url <url>${behalfWords(options)}`,
      )
      const how = `${found.total} for sale. Buy: ${buy}`
      return `${bold(clean(itemName(first)))}\n${table(environment, found.items, COLUMNS)}\n${dim(how)}`
    })
  })
}

/** Of listings over all items alone. */
const ITEM_FILTERS = [
  ...(['query', 'exterior', 'rarity', 'weapon'] as const),
  ...(['seeds', 'sticker', 'market'] as const),
]

const ITEM = {
  title: 'NAME',
  cell: (listing: MarketListing) => itemName(listing),
  ...NAME,
} as const

const COLUMNS = [
  { title: 'LISTING', cell: ({ id }: MarketListing) => id },
  { title: 'PRICE', cell: (listing: MarketListing) => money(listing.price), align: 'right' },
  { title: 'DELIVERY', cell: ({ delivery }: MarketListing) => delivery ?? '' },
  { title: 'WEAR', cell: ({ wear }: MarketListing) => wear ?? '' },
  {
    title: 'SEED',
    cell: ({ paintSeed }: MarketListing) => String(paintSeed ?? ''),
    align: 'right',
  },
  {
    title: 'STICKERS',
    cell: ({ stickers = [] }: MarketListing) => stickers.map(({ name }) => name).join(', '),
    shrinks: true,
  },
] as const
