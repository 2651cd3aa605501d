// Listings as they come, change and go.
import { accountOf, type Cli, command, withBehalf } from '../cli.ts'
import { live, type MarketListing } from '../sdk.ts'
import { clean, itemName, jsonText, money } from '../text.ts'
import { type FilterOptions, filtersOf, withFilters } from './listing-filters.ts'

export function addWatch({ program, environment, session }: Cli): void {
  const watch = withFilters(
    command(program, 'watch', 'listings that fit, as they come, change and go'),
  ).option('--delivery <mode>', 'standard or instant')
  withBehalf(watch).action(async (options: FilterOptions) => {
    const { terminal, signal } = environment
    const { tradepost } = session(options)
    const market = live.followMarket({
      account: accountOf(tradepost, options),
      scope: 'filter',
      where: filtersOf(options),
      signal,
      // From now on: what is for sale already is printed by `listings`.
      snapshot: async () => [],
      onDisconnect: ({ reason }) => terminal.note(`waiting  ${clean(reason)}; trying again`),
    })
    terminal.note('watching  Ctrl-C ends')
    for await (const update of market) {
      if (!('listing' in update)) continue
      terminal.out(options.json ? jsonText(update) : lineOf(update.type, update.listing))
    }
  })
}

const lineOf = (type: 'upsert' | 'remove', listing: MarketListing): string =>
  [
    type === 'remove' ? 'gone' : 'for sale',
    listing.id,
    money(listing.price),
    clean(itemName(listing)),
    listing.wear ?? '',
  ]
    .join('  ')
    .trimEnd()
