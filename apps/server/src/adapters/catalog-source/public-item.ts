// Rows of the public form of the item list (docs/runbooks/catalogue.md). It says less than ours, so the type,
// the category and the numbers of stickers follow from what it says. It names no prices.
import type { SourceItem } from '#ports/catalog'
import { hasPhases, phaseOf } from '../shared/phase.ts'
import {
  type Fields,
  fieldsOf,
  flagOf,
  integerOf,
  listOf,
  own,
  pictureOf,
  textOf,
} from '../shared/reader.ts'
import { colorOf, type ListedItem } from './item.ts'

interface Kind {
  readonly itemType: string
  /** The game's own number for all of the kind, where copies differ by picture. */
  readonly defIndex?: number
  /** The number in the id is that of the picture. */
  readonly isArt?: true
}

/** By the word before the dash of an id. */
const KINDS: Readonly<Record<string, Kind>> = {
  // Both by their weapon, where they have one.
  skin: { itemType: 'Equipment' },
  base_weapon: { itemType: 'Equipment' },
  sticker: { itemType: 'Sticker', defIndex: 1209, isArt: true },
  keychain: { itemType: 'Charm', defIndex: 1355, isArt: true },
  // Charms with a sticker or a scene inside: the number is not that of a charm.
  sticker_slab: { itemType: 'Charm', defIndex: 1355 },
  highlight: { itemType: 'Charm', defIndex: 1355 },
  patch: { itemType: 'Patch', defIndex: 4609, isArt: true },
  graffiti: { itemType: 'Graffiti', defIndex: 1348, isArt: true },
  music_kit: { itemType: 'Music Kit', defIndex: 1314, isArt: true },
  crate: { itemType: 'Container' },
  key: { itemType: 'Key' },
  agent: { itemType: 'Agent' },
  collectible: { itemType: 'Collectible' },
  pet: { itemType: 'Pet' },
  tool: { itemType: 'Tool' },
}

/** What the list calls the categories of weapons; the heavy ones are two types. */
const TYPES: Readonly<Record<string, string>> = {
  Pistols: 'Pistol',
  SMGs: 'SMG',
  Rifles: 'Rifle',
  Heavy: 'Shotgun',
  Knives: 'Knife',
  Gloves: 'Gloves',
  Equipment: 'Equipment',
}
const TYPES_OF_WEAPONS: Readonly<Record<string, string>> = {
  AWP: 'Sniper Rifle',
  'SSG 08': 'Sniper Rifle',
  'SCAR-20': 'Sniper Rifle',
  G3SG1: 'Sniper Rifle',
  M249: 'Machinegun',
  Negev: 'Machinegun',
}
/** What the game gives to what has no rarity of its own, such as keys. */
const PLAIN_RARITY = { name: 'Base Grade', color: 'b0c3d9' }

/** The kind of the rows of a file whose ids do not say it. */
const KINDS_OF_FILES: Readonly<Record<string, string>> = {
  skins_not_grouped: 'skin',
  base_weapons: 'base_weapon',
  stickers: 'sticker',
  sticker_slabs: 'sticker_slab',
  keychains: 'keychain',
  highlights: 'highlight',
  patches: 'patch',
  graffiti: 'graffiti',
  music_kits: 'music_kit',
  crates: 'crate',
  keys: 'key',
  agents: 'agent',
  collectibles: 'collectible',
  pets: 'pet',
  tools: 'tool',
}

/** Our own form spells its names in another way, and has no ids. */
export function isPublicRow(row: unknown): boolean {
  const fields = fieldsOf(row)
  return fields !== null && Object.hasOwn(fields, 'id') && !Object.hasOwn(fields, 'marketHashName')
}

/** Null for a row that is no item; what has no name on the markets is not traded. `file` has the row. */
export function readPublicItem(row: unknown, file = ''): ListedItem | 'not traded' | null {
  const fields = fieldsOf(row)
  if (fields === null) return null
  const named = own(fields, 'market_hash_name')
  if (named === null || named === undefined) return 'not traded'
  const [, word = '', number = ''] = /^([a-z_]+)-(\d*)/.exec(textOf(own(fields, 'id')) ?? '') ?? []
  const kind = lookUp(KINDS, word) ?? lookUp(KINDS, lookUp(KINDS_OF_FILES, file) ?? '')
  if (kind === undefined) return null
  const marketHashName = textOf(named)
  const paint = naturalOf(own(fields, 'paint_index'))
  const phase = phaseIn(fields, marketHashName)
  if (marketHashName === null || paint === undefined || phase === undefined) return null
  // Without the paint a market's listing could be of any other phase.
  if (phase !== null && paint === null) return null
  const weapon = partOf(fields, 'weapon')
  const exterior = nameOf(fields, 'wear')
  const category = categoryOf(fields, kind, marketHashName)
  const itemType = typeOf(fields, kind)
  const rarity = nameOf(fields, 'rarity') ?? PLAIN_RARITY.name
  const name = exterior === null ? marketHashName : withoutEnd(marketHashName, ` (${exterior})`)
  const marks = [
    marketHashName.startsWith('★') ? '★' : '',
    category === 'Normal' ? '' : category,
  ].filter(Boolean)
  return {
    item: {
      marketHashName,
      phase,
      name,
      type: [...marks, rarity, itemType].join(' '),
      itemType,
      weapon: weapon === null ? null : textOf(own(weapon, 'name')),
      rarity,
      rarityColor: colorIn(fields),
      category,
      collection: collectionIn(fields),
      exterior,
      floatRange: rangeIn(fields),
      iconUrl: pictureIn(fields),
      defIndex: defIndexOf(fields, weapon, kind, number),
      paintIndex: paint,
      referencePriceMills: null,
      volume: null,
    },
    artIndex: kind.isArt && number !== '' ? Number(number) : null,
  }
}

function typeOf(fields: Fields, kind: Kind): string {
  const weapon = nameOf(fields, 'weapon') ?? ''
  const category = nameOf(fields, 'category') ?? ''
  return lookUp(TYPES_OF_WEAPONS, weapon) ?? lookUp(TYPES, category) ?? kind.itemType
}

const lookUp = <Value>(table: Readonly<Record<string, Value>>, key: string): Value | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined

/** Of music kits only the name says it; boxes and tools that bear the word count nothing themselves. */
function categoryOf(fields: Fields, kind: Kind, marketHashName: string): SourceItem['category'] {
  if (flagOf(own(fields, 'souvenir')) === true) return 'Souvenir'
  const isCounted =
    flagOf(own(fields, 'stattrak')) === true ||
    (kind === KINDS.music_kit && marketHashName.startsWith('StatTrak™ '))
  return isCounted ? 'StatTrak™' : 'Normal'
}

/** Undefined: it has one that we do not know. */
function phaseIn(fields: Fields, marketHashName: string | null): string | null | undefined {
  const spelled = own(fields, 'phase')
  if (spelled === undefined || spelled === null || spelled === '') return null
  if (marketHashName === null || !hasPhases(marketHashName)) return null
  return phaseOf(textOf(spelled)) ?? undefined
}

/** Of the row where it says it, else the number in the id; 0 where neither does. */
function defIndexOf(fields: Fields, weapon: Fields | null, kind: Kind, number: string): number {
  if (kind.defIndex !== undefined) return kind.defIndex
  const said = weapon === null ? own(fields, 'def_index') : own(weapon, 'weapon_id')
  return naturalOf(said) ?? (weapon === null ? (naturalOf(number) ?? 0) : 0)
}

/** Null: it has none; undefined: what stands there is no number. */
function naturalOf(value: unknown): number | null | undefined {
  if (value === undefined || value === null || value === '') return null
  const integer = integerOf(value)
  return integer !== null && integer >= 0n && integer <= 1_000_000n ? Number(integer) : undefined
}

const colorIn = (fields: Fields): string =>
  colorOf(own(partOf(fields, 'rarity') ?? {}, 'color')) ?? PLAIN_RARITY.color

function collectionIn(fields: Fields): string | null {
  const first = fieldsOf(listOf(own(fields, 'collections'))?.[0])
  return first === null ? null : textOf(own(first, 'name'))
}

function rangeIn(fields: Fields): SourceItem['floatRange'] {
  const least = own(fields, 'min_float')
  const most = own(fields, 'max_float')
  if (typeof least !== 'number' || typeof most !== 'number') return null
  return least >= 0 && least <= most && most <= 1 ? [least, most] : null
}

/** The platform's own address of a picture is kept as its bare hash, as everywhere. */
function pictureIn(fields: Fields): string {
  const address = pictureOf(own(fields, 'image'))
  return /\/economy\/image\/([\w-]+)/.exec(address)?.[1] ?? address
}

const partOf = (fields: Fields, key: string): Fields | null => fieldsOf(own(fields, key))

function nameOf(fields: Fields, key: string): string | null {
  const part = partOf(fields, key)
  return part === null ? null : textOf(own(part, 'name'))
}

const withoutEnd = (text: string, end: string): string =>
  text.endsWith(end) ? text.slice(0, -end.length) : text
