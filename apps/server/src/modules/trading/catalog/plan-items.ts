// What an item list would change, and whether it is believed. Half a catalogue looks like things that ceased
// to be, and a list in another form like things that are all broken: either is refused as a whole. Pure.
import { acceptItem, type IdentifiedItem } from './accept-item.ts'
import type { ListReading, SourceItem } from './ports.ts'
import { hasMoved } from './price-level.ts'
import type { ItemChange } from './store/items.ts'

export interface ImportRules {
  /** Prices come from lists of their own; what the item list says of them is for new items only. */
  readonly pricesApart: boolean
  /** An operator has seen that the median of all prices moved by more than half, and believes them. */
  readonly isAnyLevel?: boolean
}

export interface ItemsPlan {
  readonly items: readonly IdentifiedItem[]
  /** Names of what the list brings, changes and lacks, and of rows that are no items. */
  readonly fresh: readonly string[]
  readonly changed: readonly string[]
  readonly gone: readonly string[]
  readonly unreadable: { readonly count: number; readonly examples: readonly string[] }
  /** Why the list is not believed. */
  readonly refused: string | null
}

export function planItems(
  list: ListReading & { readonly items: readonly SourceItem[] },
  known: readonly ItemChange[],
  { pricesApart, isAnyLevel = false }: ImportRules,
): ItemsPlan {
  const items = new Map<string, IdentifiedItem>()
  const broken: string[] = []
  for (const item of list.items) {
    const accepted = acceptItem(item)
    // Of two with one name the first stays: which of them is meant is not known.
    if (accepted === null || items.has(accepted.id)) broken.push(String(item.marketHashName))
    else items.set(accepted.id, accepted)
  }
  const unreadable = {
    count: list.unreadable + broken.length,
    examples: [...list.examples, ...broken],
  }
  const named = known.filter(({ listed, stub }) => listed && !stub)
  const gone = named.filter(({ item }) => !items.has(item.id)).map(({ item }) => nameOf(item))
  const byId = new Map(known.map((one) => [one.item.id, one]))
  const fresh: string[] = []
  const changed: string[] = []
  for (const item of items.values()) {
    const before = byId.get(item.id)
    if (before === undefined) fresh.push(nameOf(item))
    else if (differs(item, before, pricesApart)) changed.push(nameOf(item))
  }
  const refused = refusalOf({
    ...{ items, unreadable, named, gone },
    isLevelJudged: !pricesApart && !isAnyLevel,
  })
  return { items: [...items.values()], fresh, changed, gone, unreadable, refused }
}

function refusalOf({
  items,
  unreadable,
  named,
  gone,
  isLevelJudged,
}: {
  readonly items: ReadonlyMap<string, IdentifiedItem>
  readonly unreadable: ItemsPlan['unreadable']
  readonly named: readonly ItemChange[]
  readonly gone: readonly string[]
  readonly isLevelJudged: boolean
}): string | null {
  const rows = items.size + unreadable.count
  if (items.size === 0) return 'it names no item'
  if (unreadable.count * 10 > rows) return `${unreadable.count} of ${rows} rows are unreadable`
  if (gone.length * 2 > named.length) return `it lacks ${gone.length} of ${named.length} items`
  if (!isLevelJudged) return null
  const moves = named.flatMap(({ item }) => {
    const now = items.get(item.id)?.referencePriceMills ?? null
    return now === null || item.referenceMills === null
      ? []
      : [{ before: item.referenceMills, now }]
  })
  return hasMoved(moves) ? 'the median of its prices has moved by more than half' : null
}

const FIELDS = [
  ...([
    'name',
    'type',
    'itemType',
    'weapon',
    'rarity',
    'rarityColor',
    'category',
    'collection',
  ] as const),
  ...(['exterior', 'iconUrl', 'defIndex', 'paintIndex'] as const),
]

/** As the statement that writes them compares. */
function differs(now: IdentifiedItem, before: ItemChange, pricesApart: boolean): boolean {
  const { item, listed, stub } = before
  if (!listed || stub || FIELDS.some((field) => now[field] !== item[field])) return true
  if (String(now.floatRange) !== String(item.floatRange)) return true
  const reference = item.referenceMills ?? 0n
  if (pricesApart && reference > 0n) return false
  const said = now.referencePriceMills ?? reference
  if (said !== reference || (now.volume ?? item.volume) !== item.volume) return true
  return !pricesApart && now.referencePriceMills !== null && item.quotable !== said > 0n
}

const nameOf = (item: {
  readonly marketHashName: string
  readonly phase: string | null
}): string => (item.phase === null ? item.marketHashName : `${item.marketHashName} (${item.phase})`)
