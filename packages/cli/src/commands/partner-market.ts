// Search and listings with a key of the partner interface: base prices, and what the caller pays.
import { listOf, show, table } from '../cli.ts'
import type { Environment } from '../environment.ts'
import { usageError } from '../failure.ts'
import type { partner } from '../sdk.ts'
import { NAME } from '../table.ts'
import { clean, money } from '../text.ts'

import type { ListingsOptions, SearchOptions } from './market-options.ts'

type Account = partner.TradepostPartner

/** Refuses options that only the merchant interface has. */
export function refuseOptions(options: Readonly<Record<string, unknown>>): void {
  const [given] = Object.entries(options).flatMap(([flag, value]) =>
    value === undefined || value === false ? [] : flag,
  )
  if (given !== undefined) {
    throw usageError(`${given} is an option for keys of the merchant interface.`)
  }
}

export async function searchAsPartner(
  environment: Environment,
  account: Account,
  { words, page, limit, ...options }: SearchOptions & { readonly words: readonly string[] },
): Promise<void> {
  refuseOptions({
    '--delivery': options.delivery,
    '--all': options.all,
    '--on-behalf-of': options.onBehalfOf,
  })
  const start = (page - 1) * limit + 1
  const found = await account.market.search(
    {
      start,
      end: start + limit - 1,
      ...(words.length > 0 && { q: words.join(' ') }),
      ...(options.minPrice !== undefined && { minPrice: options.minPrice }),
      ...(options.maxPrice !== undefined && { maxPrice: options.maxPrice }),
      ...(options.exterior !== undefined && { wear: named(options.exterior) }),
      ...(options.rarity !== undefined && { rarity: named(options.rarity) }),
      ...(options.weapon !== undefined && { weapon: named(options.weapon) }),
      ...(options.sort !== undefined && { sort: options.sort as partner.SearchSort }),
    },
    { signal: environment.signal },
  )
  show(environment, options, found, () => {
    if (found.items.length === 0) return 'No item matches.'
    const listings = environment.commandLine('listings <item>')
    const where = `${found.itemsCount} found, shown from ${start}. Listings: ${listings}`
    return `${table(environment, found.items, ITEMS)}\n${environment.terminal.outPaint.dim(where)}`
  })
}

const named = (text: string): string => listOf(text).join(',')

const ITEMS = [
  { title: 'ITEM', cell: ({ id }: partner.SearchItem) => id, drops: 3 },
  {
    title: 'NAME',
    cell: ({ marketHashName }: partner.SearchItem) => marketHashName,
    ...NAME,
  },
  {
    title: 'RARITY',
    cell: ({ rarity }: partner.SearchItem) => rarity ?? '',
    shrinks: true,
    drops: 1,
  },
  {
    title: 'BASE PRICE',
    cell: ({ price }: partner.SearchItem) => money(price),
    align: 'right',
  },
  {
    title: 'LISTINGS',
    cell: ({ sellingTotal }: partner.SearchItem) => String(sellingTotal),
    drops: 2,
    align: 'right',
  },
] as const

export async function listAsPartner(
  environment: Environment,
  account: Account,
  { item, delivery, limit, ...options }: ListingsOptions & { readonly item: string },
): Promise<void> {
  const { json: _, profile: _1, ...ofMerchants } = options
  const flagOf = (name: string): string =>
    `--${name.replace(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`)}`
  refuseOptions(
    Object.fromEntries(Object.entries(ofMerchants).map(([name, value]) => [flagOf(name), value])),
  )
  const found = await account.market.listings(
    { item, ...(delivery !== undefined && { delivery: delivery as partner.Delivery }) },
    { signal: environment.signal },
  )
  const listings = found.listings.slice(0, limit)
  show(environment, options, { ...found, listings }, () => {
    const [first] = listings
    if (first === undefined) return 'It is not for sale at the moment.'
    const { bold, dim } = environment.terminal.outPaint
    const buy = environment.commandLine(
      `buy <listing> --item ${item} --market <market> --trade-url <url> --max-price <amount>`,
    )
    const how = `${found.totalSellCount} for sale. Buy: ${buy}`
    return `${bold(clean(first.marketHashName))}\n${table(environment, listings, LISTINGS)}\n${dim(how)}`
  })
}

const LISTINGS = [
  { title: 'LISTING', cell: ({ id }: partner.ListingItemV2) => id },
  { title: 'MARKET', cell: ({ market }: partner.ListingItemV2) => market },
  {
    title: 'BASE PRICE',
    cell: ({ price }: partner.ListingItemV2) => money(price),
    align: 'right',
  },
  {
    title: 'YOU PAY',
    cell: ({ priceWithFee }: partner.ListingItemV2) => money(priceWithFee),
    align: 'right',
  },
  { title: 'DELIVERY', cell: ({ delivery }: partner.ListingItemV2) => delivery },
  { title: 'WEAR', cell: ({ wear }: partner.ListingItemV2) => String(wear ?? '') },
] as const
