// What we believe of the list of things that exist.
import { isPlain } from '#kernel/text'
import { isText } from './accept-listing.ts'
import { itemIdOf } from './item.ts'
import type { SourceItem } from './ports.ts'

export type IdentifiedItem = SourceItem & { readonly id: string }

const MAX_VOLUME = 10_000_000
const MAX_REFERENCE_MILLS = 1_000_000_000_000n

/** Null for an item that is not believed. */
export function acceptItem(item: SourceItem): IdentifiedItem | null {
  const required = [item.marketHashName, item.name, item.type, item.itemType, item.rarity]
  const optional = [item.phase, item.weapon, item.collection, item.exterior]
  if (!required.every(isText) || !optional.every((text) => text === null || isText(text)))
    return null
  if (!isPicture(item.iconUrl)) return null
  if (!/^[0-9a-fA-F]{6}$/.test(item.rarityColor)) return null
  if (!['Normal', 'Souvenir', 'StatTrak™'].includes(item.category)) return null
  if (!isRange(item.floatRange) || !isCount(item.defIndex)) return null
  if (item.paintIndex !== null && !isCount(item.paintIndex)) return null
  const { referencePriceMills: reference, volume } = item
  if (reference !== null && !isReference(reference)) return null
  if (volume !== null && !isVolume(volume)) return null
  return { ...item, id: itemIdOf(item.marketHashName, item.phase) }
}

export const isReference = (value: unknown): value is bigint =>
  typeof value === 'bigint' && value >= 0n && value <= MAX_REFERENCE_MILLS

export const isVolume = (value: unknown): value is number => isCount(value) && value <= MAX_VOLUME

/** It may be empty. */
const isPicture = (value: unknown): boolean =>
  typeof value === 'string' && value.length <= 1000 && isPlain(value)

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 2 ** 31

function isRange(range: SourceItem['floatRange']): boolean {
  if (range === null) return true
  const [min, max] = range
  return typeof min === 'number' && typeof max === 'number' && min >= 0 && min <= max && max <= 1
}
