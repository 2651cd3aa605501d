// The filters of listings over all items, as options of a command.
import type { Command } from 'commander'
import { amount, type BehalfOptions, listOf } from '../cli.ts'
import type { live } from '../sdk.ts'

export interface FilterOptions extends BehalfOptions {
  readonly query?: string
  readonly minPrice?: string
  readonly maxPrice?: string
  readonly exterior?: string
  readonly rarity?: string
  readonly weapon?: string
  readonly minWear?: string
  readonly maxWear?: string
  readonly seeds?: string
  readonly sticker?: string[]
  readonly market?: string
  readonly delivery?: string
}

export const withFilters = (one: Command): Command =>
  one
    .option('--query <words>', 'items, as search finds them')
    .option('--exterior <names>', 'such as "Field-Tested", several with commas')
    .option('--rarity <names>', 'several with commas')
    .option('--weapon <names>', 'several with commas')
    .option('--min-price <amount>', 'at least', amount)
    .option('--max-price <amount>', 'at most', amount)
    .option('--min-wear <wear>', 'at least, from 0 to 1')
    .option('--max-wear <wear>', 'at most, from 0 to 1')
    .option('--seeds <numbers>', 'paint seeds, several with commas')
    .option('--sticker <name>', 'a sticker that is on it; may be repeated', collect)
    .option('--market <ids>', 'several with commas')

export function filtersOf(options: FilterOptions): live.ListingFilters {
  const names = (text: string | undefined) => (text === undefined ? undefined : listOf(text))
  return {
    q: options.query,
    minPrice: options.minPrice,
    maxPrice: options.maxPrice,
    exterior: names(options.exterior),
    rarity: names(options.rarity),
    weapon: names(options.weapon),
    minWear: numberOf(options.minWear),
    maxWear: numberOf(options.maxWear),
    paintSeed: names(options.seeds)?.map(Number),
    stickers: options.sticker,
    market: names(options.market),
    delivery: options.delivery as live.ListingFilters['delivery'],
  }
}

const collect = (name: string, names: string[] = []): string[] => [...names, name]

/** What is no number is refused by the service, which says what a wear is. */
const numberOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Number(text)
