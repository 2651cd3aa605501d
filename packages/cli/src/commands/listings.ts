// The listings of an item, with their prices.
import {
  accountOf,
  amount,
  type Cli,
  command,
  show,
  table,
  wholeNumber,
  withBehalf,
} from '../cli.ts'
import type { ListingSort, MarketListing } from '../sdk.ts'
import { clean, itemName, money } from '../text.ts'
import type { ListingsOptions } from './market-options.ts'
import { listAsPartner } from './partner-market.ts'

export function addListings({ program, environment, anySession }: Cli): void {
  const listings = command(program, 'listings <item>', 'listings of an item')
    .option('--max-price <amount>', 'highest price', amount)
    .option('--delivery <mode>', 'standard or instant; for partners normal or auto')
    .option('--sort <order>', 'priceAsc, priceDesc, wearAsc, wearDesc')
    .option('--limit <count>', 'number of rows', wholeNumber(1, 100), 20)
  withBehalf(listings).action(async (item: string, options: ListingsOptions) => {
    const opened = anySession(options)
    if (opened.speaks === 'partner') {
      return listAsPartner(environment, opened.account, { ...options, item })
    }
    const { tradepost } = opened
    const found = await accountOf(tradepost, options).market.listings(
      item,
      {
        maxPrice: options.maxPrice,
        delivery: options.delivery as MarketListing['delivery'],
        sort: options.sort as ListingSort | undefined,
        limit: options.limit,
      },
      { signal: environment.signal },
    )
    show(environment, options, found, () => {
      const [first] = found.items
      if (first === undefined) return 'It is not for sale at the moment.'
      const { bold, dim } = environment.terminal.outPaint
      const how = `${found.total} for sale. Buy: tradepost buy <listing> --max-price <amount>`
      return `${bold(clean(itemName(first)))}\n${table(environment, found.items, COLUMNS)}\n${dim(how)}`
    })
  })
}

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
