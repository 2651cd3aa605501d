// Searches the catalogue.
import {
  accountOf,
  amount,
  type Cli,
  command,
  listOf,
  show,
  table,
  wholeNumber,
  withBehalf,
} from '../cli.ts'
import type { SearchResultItem, SearchSort } from '../sdk.ts'
import { behalfWords } from '../shell-words.ts'
import { NAME } from '../table.ts'
import { itemName, money } from '../text.ts'
import type { SearchOptions } from './market-options.ts'
import { searchAsPartner } from './partner-market.ts'

export function addSearch({ program, environment, anySession }: Cli): void {
  const search = command(program, 'search [words...]', 'find items, what is for sale first of all')
    .option('--min-price <amount>', 'lowest price', amount)
    .option('--max-price <amount>', 'highest price', amount)
    .option('--exterior <names>', 'such as "Field-Tested", comma-separated')
    .option('--rarity <names>', 'comma-separated')
    .option('--weapon <names>', 'comma-separated')
    .option('--delivery <mode>', 'standard or instant')
    .option(
      '--sort <order>',
      'relevance, nameAsc, nameDesc, priceAsc, priceDesc; for partners abc, priceAsc, priceDesc, popularity',
    )
    .option('--all', 'include items that are not for sale now')
    .option('--page <number>', 'page number', wholeNumber(1, 1_000_000), 1)
    .option('--limit <count>', 'rows per page', wholeNumber(1, 100), 20)
  withBehalf(search).action(async (words: string[], options: SearchOptions) => {
    const opened = anySession(options)
    if (opened.speaks === 'partner') {
      return searchAsPartner(environment, opened.account, { ...options, words })
    }
    const { tradepost } = opened
    const names = (text: string | undefined) => (text === undefined ? undefined : listOf(text))
    const found = await accountOf(tradepost, options).market.search(
      {
        q: words.length === 0 ? undefined : words.join(' '),
        minPrice: options.minPrice,
        maxPrice: options.maxPrice,
        exterior: names(options.exterior),
        rarity: names(options.rarity),
        weapon: names(options.weapon),
        delivery: options.delivery,
        sort: options.sort as SearchSort | undefined,
        inStock: options.all ? undefined : true,
        page: options.page,
        limit: options.limit,
      },
      { signal: environment.signal },
    )
    show(environment, options, found, () => {
      if (found.items.length === 0) return 'No item matches.'
      const { page, totalPages, total } = found
      const listings = environment.commandLine(`listings <item>${behalfWords(options)}`)
      const where = `${total} found, page ${page} of ${totalPages}. Listings: ${listings}`
      return `${table(environment, found.items, COLUMNS)}\n${environment.terminal.outPaint.dim(where)}`
    })
  })
}

const price = (value: number | null | undefined): string =>
  value === undefined || value === null ? '' : money(value)

const COLUMNS = [
  { title: 'ITEM', cell: ({ id }: SearchResultItem) => id, drops: 4 },
  {
    title: 'NAME',
    cell: (item: SearchResultItem) => itemName(item),
    ...NAME,
  },
  { title: 'RARITY', cell: ({ rarity = '' }: SearchResultItem) => rarity, shrinks: true, drops: 1 },
  {
    title: 'FROM',
    cell: (item: SearchResultItem) => price(item.price?.standard),
    align: 'right',
  },
  {
    title: 'INSTANT',
    cell: (item: SearchResultItem) => price(item.price?.instant),
    drops: 2,
    align: 'right',
  },
  {
    title: 'LISTINGS',
    cell: ({ listingsCount }: SearchResultItem) => String(listingsCount ?? ''),
    drops: 3,
    align: 'right',
  },
] as const
