// The list of the game's items, read by hand: after a refusal, and before an address is put in the settings.
import { createCatalog, type ItemsPlan } from '#catalog'
import { importItems } from '#operations'
import { type Context, fail } from './context.ts'
import { command, option, words } from './declare.ts'

/** Of each sort, so many names are shown. */
const MOST_SHOWN = 20
/** For the lists of all markets. */
const PRICES_MS = 300_000

export const catalogCommands = [
  command(
    'catalog:import',
    'read the list of items and take it over, or say why it is refused',
    option('--from <url or file>', 'instead of CATALOG_URL; a folder ends in a slash', words),
    option('--dry-run', 'only say what would change'),
    option('--any-price-level', 'although the median of prices has moved by more than half'),
  ).does(importCatalog),
]

async function importCatalog(
  { db, clock, actor, openCatalogSource, openPriceLists }: Context,
  { from, dryRun, anyPriceLevel }: Options,
): Promise<string> {
  const catalog = createCatalog({ db, clock })
  const { source, name, pricesApart } = openCatalogSource(from ?? null)
  const isAnyLevel = anyPriceLevel === true
  const rules = { pricesApart, isAnyLevel }
  const plan = await catalog.planItems(source, rules)
  const shown = sectionsOf(plan)
  if (plan.refused !== null) {
    return fail([...shown, '', `Refused: ${plan.refused}. Nothing was changed.`].join('\n'))
  }
  if (dryRun) return [...shown, '', 'Nothing was changed: it was a dry run.'].join('\n')
  const order = { plan, from: name, rules }
  const { written, unlisted } = await importItems({ db, clock, catalog }, actor, order)
  const done = [...shown, '', `${written} items were written, ${unlisted} hidden.`]
  if (!isAnyLevel || !pricesApart) return done.join('\n')
  const { lists } = await catalog.refreshPrices(openPriceLists(), AbortSignal.timeout(PRICES_MS), {
    isAnyLevel,
  })
  const read = lists.map(
    (list) => `${list.name}: ${list.refused ?? list.failed ?? `${list.items} prices`}`,
  )
  const isBelieved = lists.some(({ refused, failed }) => refused === null && failed === null)
  return isBelieved ? [...done, ...read].join('\n') : fail([...done, ...read].join('\n'))
}

interface Options {
  readonly from?: string
  readonly dryRun?: true
  readonly anyPriceLevel?: true
}

function sectionsOf({ items, fresh, changed, gone, unreadable }: ItemsPlan): string[] {
  return [
    `The list has ${items.length} items.`,
    ...section('new', fresh.length, fresh),
    ...section('changed', changed.length, changed),
    ...section('gone', gone.length, gone),
    ...section('unreadable', unreadable.count, unreadable.examples),
  ]
}

function section(title: string, count: number, names: readonly string[]): string[] {
  const more = count - Math.min(names.length, MOST_SHOWN)
  return [
    `${title}: ${count}`,
    ...names.slice(0, MOST_SHOWN).map((name) => `  ${name.replaceAll('\n', ' ')}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ]
}
