// The prices of the whole catalogue, or what changed of them.
import {
  accountOf,
  type BehalfOptions,
  type Cli,
  command,
  show,
  table,
  withBehalf,
} from '../cli.ts'
import type { PriceItem } from '../sdk.ts'
import { behalfWords } from '../shell-words.ts'
import { NAME } from '../table.ts'
import { itemName, money } from '../text.ts'

interface PricesOptions extends BehalfOptions {
  readonly since?: string
}

export function addPrices({ program, environment, session }: Cli): void {
  const prices = command(program, 'prices', 'prices of the whole catalogue').option(
    '--since <version>',
    'only what has changed since the version that an earlier call printed',
  )
  withBehalf(prices).action(async (options: PricesOptions) => {
    const { tradepost } = session(options)
    const found = await accountOf(tradepost, options).market.pricesSince(options.since ?? null, {
      signal: environment.signal,
    })
    show(environment, options, found, () => {
      const { items, removed = [], full = false, version } = found
      const what = full
        ? `${items.length} items`
        : `${items.length} changed, ${removed.length} gone`
      const later = environment.commandLine(`prices --since ${version}${behalfWords(options)}`)
      const next = `${what}. Later changes: ${later}`
      const { dim } = environment.terminal.outPaint
      return items.length === 0 ? dim(next) : `${table(environment, items, COLUMNS)}\n${dim(next)}`
    })
  })
}

const price = (value: number | null | undefined): string =>
  value === undefined || value === null ? '' : money(value)

const COLUMNS = [
  { title: 'ITEM', cell: ({ id }: PriceItem) => id, drops: 4 },
  { title: 'NAME', cell: (item: PriceItem) => itemName(item), ...NAME },
  { title: 'FROM', cell: (item: PriceItem) => price(item.price?.standard), align: 'right' },
  {
    title: 'INSTANT',
    cell: (item: PriceItem) => price(item.price?.instant),
    drops: 2,
    align: 'right',
  },
  {
    title: 'LISTINGS',
    cell: ({ listingsCount }: PriceItem) => String(listingsCount),
    drops: 3,
    align: 'right',
  },
  {
    title: 'LAST SALE',
    cell: ({ lastSale }: PriceItem) => price(lastSale?.price),
    drops: 1,
    align: 'right',
  },
] as const
