import type { SourceItem } from '#ports/catalog'
import {
  fieldsOf,
  integerOf,
  isNone,
  own,
  priceOf,
  smallIntegerOf,
  textOf,
} from '../shared/reader.ts'

const CATEGORIES = ['Normal', 'Souvenir', 'StatTrak™'] as const

/** An item, and the game's own number of its picture where it is a sticker, a charm or the like. */
export interface ListedItem {
  readonly item: SourceItem
  readonly artIndex: number | null
}

/** Null for a row that is no item: one bad row must not cost the whole catalogue. */
export function readItem(row: unknown): ListedItem | null {
  const fields = fieldsOf(row)
  if (fields === null) return null
  const text = (key: string): string | null => textOf(own(fields, key))
  const marketHashName = text('marketHashName')
  const name = text('name')
  const itemType = text('itemType')
  const defIndex = smallIntegerOf(own(fields, 'defIndex'))
  const category = CATEGORIES.find((known) => known === own(fields, 'category'))
  if (marketHashName === null || name === null || itemType === null) return null
  if (defIndex === null || category === undefined) return null
  const saidPrice = own(fields, 'referencePriceMills')
  const referencePriceMills = priceOf(saidPrice)
  // An item without a price exists all the same; one whose price cannot be read may be wrong in other ways.
  if (referencePriceMills === null && !isNone(saidPrice)) return null
  const volume = Number(textOf(own(fields, 'volume')) ?? Number.NaN)
  const item: SourceItem = {
    marketHashName,
    phase: text('phase'),
    name,
    type: text('type') ?? itemType,
    itemType,
    weapon: text('weapon'),
    rarity: text('rarity') ?? '',
    rarityColor: colorOf(own(fields, 'rarityColor')) ?? '',
    category,
    collection: text('collection'),
    exterior: text('exterior'),
    floatRange: rangeOf(own(fields, 'floatRange')),
    iconUrl: text('iconUrl') ?? '',
    defIndex,
    paintIndex: naturalOf(own(fields, 'paintIndex')),
    referencePriceMills,
    volume: Number.isFinite(volume) && volume >= 0 ? Math.round(volume) : null,
  }
  return { item, artIndex: naturalOf(own(fields, 'artIndex')) }
}

function rangeOf(value: unknown): SourceItem['floatRange'] {
  if (!Array.isArray(value) || value.length !== 2) return null
  const [least, most] = value as readonly unknown[]
  if (typeof least !== 'number' || typeof most !== 'number') return null
  return least >= 0 && least <= most && most <= 1 ? [least, most] : null
}

/** Six digits, with or without `#`; null for what is no colour. */
export const colorOf = (value: unknown): string | null =>
  /^#?([0-9A-Fa-f]{6})$/.exec(textOf(value) ?? '')?.[1] ?? null

function naturalOf(value: unknown): number | null {
  const integer = integerOf(value)
  return integer !== null && integer >= 0n && integer <= 1_000_000n ? Number(integer) : null
}
