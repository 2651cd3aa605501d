// One page of an inventory: assets, and apart from them what each of them is. Nothing here is checked by
// anybody: an item's own words are shown, and prices come from its name, of a finish with phases also from
// the paint in the platform's own certificate.
import { mapInChunks } from '#infra/limits/in-chunks'
import type { PlatformItem } from '#ports/selling'
import type { GameBook } from '../shared/game-book.ts'
import { inspect } from '../shared/inspect.ts'
import {
  type Fields,
  fieldsOf,
  flagOf,
  idOf,
  listOf,
  own,
  parseJson,
  pictureOf,
  smallIntegerOf,
  textOf,
  wearOf,
} from '../shared/reader.ts'

export interface InventoryPage {
  readonly items: readonly PlatformItem[]
  /** Where the next page begins; null on the last one. */
  readonly next: string | null
  readonly total: number
}

/** The platform's numbers for what it knows of a single asset. */
const PAINT_SEED = '1'
const WEAR = '2'
const INSPECT_TOKEN = '6'

/**
 * Why an inventory is not shown: 403 is a private one, 401 and 404 are profiles that show nothing or are not
 * there, each with the body `null`. Null for every other answer, such as the page of a proxy.
 */
export function privacyOf({
  status,
  body,
}: {
  readonly status: number
  readonly body: string
}): 'inventory_private' | 'profile_private' | null {
  if (body.trim() !== 'null') return null
  if (status === 403) return 'inventory_private'
  return status === 401 || status === 404 ? 'profile_private' : null
}

/** Some milliseconds: a page has up to a thousand. */
const ITEMS_A_TURN = 50

/** Null for what is no page. */
export async function readInventoryPage(
  text: string,
  { contextId, book }: { readonly contextId: '2' | '16'; readonly book: GameBook },
): Promise<InventoryPage | null> {
  const page = fieldsOf(parseJson(text))
  if (page === null || flagOf(own(page, 'success')) !== true) return null
  const total = smallIntegerOf(own(page, 'total_inventory_count'))
  const assets = listOf(own(page, 'assets')) ?? []
  // An empty inventory says that it is empty.
  if (total === null && assets.length === 0) return null
  const descriptions = byKey(own(page, 'descriptions'), descriptionKey)
  const properties = byKey(own(page, 'asset_properties'), (row) => textOf(own(row, 'assetid')))
  const read = await mapInChunks(assets, ITEMS_A_TURN, (row) =>
    readItem(fieldsOf(row) ?? {}, { contextId, book, descriptions, properties }),
  )
  const items = read.filter((item) => item !== null)
  const last = textOf(own(page, 'last_assetid'))
  const hasMore = flagOf(own(page, 'more_items')) === true
  if (hasMore && last === null) return null
  return {
    items,
    next: hasMore ? last : null,
    total: total ?? items.length,
  }
}

/** A missing instance is instance 0. */
const descriptionKey = (row: Fields): string | null => {
  const classId = idOf(own(row, 'classid'))
  return classId === null ? null : `${classId}_${idOf(own(row, 'instanceid')) ?? '0'}`
}

function byKey(rows: unknown, keyOf: (row: Fields) => string | null): ReadonlyMap<string, Fields> {
  const map = new Map<string, Fields>()
  for (const row of listOf(rows) ?? []) {
    const fields = fieldsOf(row)
    const key = fields === null ? null : keyOf(fields)
    if (fields !== null && key !== null) map.set(key, fields)
  }
  return map
}

function readItem(
  asset: Fields,
  parts: {
    readonly contextId: '2' | '16'
    readonly book: GameBook
    readonly descriptions: ReadonlyMap<string, Fields>
    readonly properties: ReadonlyMap<string, Fields>
  },
): PlatformItem | null {
  const assetId = idOf(own(asset, 'assetid'))
  const key = descriptionKey(asset)
  const description = parts.descriptions.get(key ?? '')
  const marketHashName = textOf(own(description ?? {}, 'market_hash_name'))
  if (assetId === null || key === null || !description || marketHashName === null) return null
  const [classId = '', instanceId = '0'] = key.split('_')
  const tags = tagsOf(description)
  return {
    assetId,
    contextId: parts.contextId,
    classId,
    instanceId,
    marketHashName,
    name: textOf(own(description, 'name')) ?? marketHashName,
    type: textOf(own(description, 'type')) ?? '',
    iconUrl: pictureOf(own(description, 'icon_url')),
    tradable: flagOf(own(description, 'tradable')) === true,
    exterior: tags.get('Exterior')?.name ?? null,
    rarity: tags.get('Rarity')?.name ?? null,
    color: tags.get('Rarity')?.color ?? null,
    ...ownLook(parts.properties.get(assetId), parts.book),
  }
}

function tagsOf(
  description: Fields,
): ReadonlyMap<string, { readonly name: string; readonly color: string | null }> {
  const tags = new Map<string, { name: string; color: string | null }>()
  for (const row of listOf(own(description, 'tags')) ?? []) {
    const fields = fieldsOf(row) ?? {}
    const category = textOf(own(fields, 'category'))
    const name = textOf(own(fields, 'localized_tag_name')) ?? textOf(own(fields, 'name'))
    const color = textOf(own(fields, 'color'))
    if (category === null || name === null) continue
    tags.set(category, {
      name,
      color: color !== null && /^[0-9a-f]{6}$/i.test(color) ? color : null,
    })
  }
  return tags
}

type Look = Pick<
  PlatformItem,
  'previewToken' | 'wearText' | 'paintSeed' | 'paintIndex' | 'stickers' | 'charm'
>

/** The platform's own numbers go before what the token says. */
function ownLook(row: Fields | undefined, book: GameBook): Look {
  const properties = new Map<string, Fields>()
  for (const one of listOf(own(row ?? {}, 'asset_properties')) ?? []) {
    const fields = fieldsOf(one) ?? {}
    const number = textOf(own(fields, 'propertyid'))
    if (number !== null) properties.set(number, fields)
  }
  const token = textOf(own(properties.get(INSPECT_TOKEN) ?? {}, 'string_value'))
  const isToken = token !== null && /^(?:[0-9a-f]{2}){6,2048}$/i.test(token)
  const seen = isToken ? inspect(token.toUpperCase(), book) : null
  const seed = smallIntegerOf(own(properties.get(PAINT_SEED) ?? {}, 'int_value'))
  return {
    previewToken: isToken ? token.toUpperCase() : null,
    wearText: wearOf(own(properties.get(WEAR) ?? {}, 'float_value')) ?? seen?.wear ?? null,
    paintSeed: seed ?? seen?.paintSeed ?? null,
    paintIndex: seen?.paintIndex ?? null,
    stickers: (seen?.stickers ?? []).map(({ name, slot, wear, iconUrl }) => ({
      name,
      slot,
      wearText: wear === null ? null : String(wear),
      iconUrl,
    })),
    charm: seen?.charm ?? null,
  }
}
