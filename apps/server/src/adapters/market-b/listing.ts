// Listings as market B shows them in three forms: the snapshot file, the search with details and the
// socket. Its listing id is the platform's asset id, and its names carry the phase.
import type { SourceListing } from '#ports/catalog'
import type { GameBook } from '../shared/game-book.ts'
import { type Inspected, inspect, inspectTokenOf } from '../shared/inspect.ts'
import { phaseOf, splitPhase } from '../shared/phase.ts'
import {
  type Fields,
  fieldsOf,
  flagOf,
  idOf,
  integerOf,
  listOf,
  own,
  pictureOf,
  priceOf,
  smallIntegerOf,
  textOf,
  wearOf,
} from '../shared/reader.ts'

/** Trade locked listings cannot be delivered now. */
export const isLocked = (unlockAt: unknown): boolean => {
  const spelled = textOf(unlockAt)
  return spelled !== null && spelled !== '0' && spelled !== 'null'
}

/** Sellers without a bot send by hand, and often late or never. */
export const isSold = (
  { delivery }: Pick<SourceListing, 'delivery'>,
  { manualSellers }: { readonly manualSellers: boolean },
): boolean => manualSellers || delivery === 'instant'

/** A row of the snapshot; `cell` answers the text of a column or undefined. Null: unreadable. */
export function readSnapshotRow(
  cell: (column: string) => string | undefined,
  book: GameBook,
): SourceListing | null {
  const inspected = inspectedOf(cell('inspect'), book)
  return compose({
    rawId: idOf(cell('item_id')),
    name: textOf(cell('name')),
    phase: null,
    priceMills: priceOf(cell('price')),
    classId: idOf(cell('class_id')),
    instanceId: integerOf(cell('instance_id'))?.toString() ?? null,
    isAutomatic: flagOf(cell('auto')) ?? cell('delivery') === 'bot',
    inspected,
  })
}

/** A row of the search with details. */
export function readDetailedRow(row: unknown, book: GameBook): SourceListing | null {
  const fields = fieldsOf(row)
  if (fields === null) return null
  const inspected = inspectedOf(own(fields, 'inspect'), book)
  const listing = compose({
    rawId: idOf(own(fields, 'item_id')),
    name: textOf(own(fields, 'name')),
    phase: phaseOf(textOf(own(fields, 'phase'))),
    priceMills: priceOf(own(fields, 'price')),
    classId: idOf(own(fields, 'classid')),
    instanceId: integerOf(own(fields, 'instanceid'))?.toString() ?? null,
    isAutomatic: flagOf(own(fields, 'auto')) ?? own(fields, 'delivery') === 'bot',
    inspected,
  })
  if (listing === null) return null
  return {
    ...listing,
    wear: wearOf(own(fields, 'float')) ?? listing.wear,
    paintSeed: naturalOf(own(fields, 'paintseed')) ?? listing.paintSeed,
    paintIndex: naturalOf(own(fields, 'paintindex')) ?? listing.paintIndex,
    // The rows name the stickers; the token only numbers them.
    stickers: stickersOf(own(fields, 'stickers')) ?? listing.stickers,
  }
}

/** A listing as the socket sends it: no seed, no inspect token, stickers by name only. */
export function readFeedItem(fields: Fields): SourceListing | null {
  const listing = compose({
    rawId: idOf(own(fields, 'item_id')),
    name: textOf(own(fields, 'name')),
    phase: phaseOf(textOf(own(fields, 'phase'))),
    priceMills: priceOf(own(fields, 'price')),
    classId: idOf(own(fields, 'classid')),
    instanceId: integerOf(own(fields, 'instance_id'))?.toString() ?? null,
    isAutomatic: flagOf(own(fields, 'auto')) ?? false,
    inspected: null,
  })
  if (listing === null) return null
  return {
    ...listing,
    wear: wearOf(own(fields, 'float')),
    paintIndex: naturalOf(own(fields, 'paint_index')),
    stickers: (listOf(own(fields, 'sticker_names')) ?? []).slice(0, 10).flatMap((sticker, slot) => {
      const name = textOf(sticker)
      return name === null ? [] : { name, slot, wear: null, iconUrl: '' }
    }),
  }
}

function compose({
  rawId,
  name,
  phase,
  priceMills,
  classId,
  instanceId,
  isAutomatic,
  inspected,
}: {
  readonly rawId: string | null
  readonly name: string | null
  readonly phase: string | null
  readonly priceMills: SourceListing['priceMills'] | null
  readonly classId: string | null
  readonly instanceId: string | null
  readonly isAutomatic: boolean
  readonly inspected: Inspected | null
}): SourceListing | null {
  if (rawId === null || name === null || priceMills === null) return null
  const named = splitPhase(name)
  return {
    market: 'market_b',
    rawId,
    marketHashName: named.marketHashName,
    phase: phase ?? named.phase,
    priceMills,
    assetId: rawId,
    classId,
    instanceId,
    wear: inspected?.wear ?? null,
    paintSeed: inspected?.paintSeed ?? null,
    paintIndex: inspected?.paintIndex ?? null,
    stickers: inspected?.stickers ?? [],
    charm: inspected?.charm ?? null,
    inspectToken: inspected?.token ?? null,
    delivery: isAutomatic ? 'instant' : 'standard',
  }
}

function inspectedOf(link: unknown, book: GameBook): Inspected | null {
  const token = inspectTokenOf(textOf(link))
  return token === null ? null : inspect(token, book)
}

function stickersOf(rows: unknown): SourceListing['stickers'] | null {
  const list = listOf(rows)
  if (list === null) return null
  return list.slice(0, 10).flatMap((row, index) => {
    const fields = fieldsOf(row)
    const name = fields === null ? null : textOf(own(fields, 'name'))
    if (fields === null || name === null) return []
    const wear = Number(textOf(own(fields, 'wear')) ?? Number.NaN)
    return {
      name,
      slot: naturalOf(own(fields, 'slot')) ?? index,
      wear: wear >= 0 && wear <= 1 ? wear : null,
      iconUrl: pictureOf(own(fields, 'img')),
    }
  })
}

function naturalOf(value: unknown): number | null {
  const integer = smallIntegerOf(value)
  return integer !== null && integer >= 0 ? integer : null
}
