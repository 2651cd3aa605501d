import { type LibraryItem, splitName } from './library.ts'

export type Kind =
  | 'weapon'
  | 'knife'
  | 'gloves'
  | 'sticker'
  | 'charm'
  | 'agent'
  | 'case'
  | 'capsule'
  | 'souvenirPackage'
  | 'musicKit'
  | 'graffiti'
  | 'patch'
  | 'pin'
  | 'tool'

/**
 * What sort of goods an entry of the item list is; null for what no market may list: the free
 * equipment, coins and medals, store-bought keys, and entries that never became items of their own.
 *
 * Sticker slabs (a charm that seals a sticker, one for each of ten thousand stickers) are left out
 * as well: they would double the catalogue with goods that are rarely traded.
 */
export function kindOf(item: LibraryItem, unboxed: ReadonlySet<number>): Kind | null {
  switch (item.type) {
    case 'weapon':
      return item.base === true ? null : 'weapon'
    case 'melee':
      return item.free === true ? null : 'knife'
    case 'glove':
      return item.base === true ? null : 'gloves'
    case 'sticker':
      return item.rarity === NEVER_GIVEN_OUT ? null : 'sticker'
    case 'keychain':
      return isPlainCharm(item) ? 'charm' : null
    case 'agent':
      return 'agent'
    case 'case':
      return containerKindOf(item)
    case 'musickit':
      return item.base === true ? null : 'musicKit'
    case 'graffiti':
      return 'graffiti'
    case 'patch':
      return 'patch'
    case 'collectible':
      // Pins out of a capsule can be sold; those that came with a purchase in a shop bear the same
      // name in the list and are not unboxed.
      return item.name.endsWith(' Pin') && unboxed.has(item.id) ? 'pin' : null
    case 'tool':
      return MARKETABLE_TOOLS.has(item.name) ? 'tool' : null
    default:
      return null
  }
}

/** The platform's name of the type, as in the tag 'Type' and at the end of a type line. */
export function itemTypeOf(kind: Kind, item: LibraryItem): string {
  if (kind !== 'weapon') return ITEM_TYPES[kind]
  const model = item.model ?? ''
  if (SNIPER_RIFLES.has(model)) return 'Sniper Rifle'
  if (SHOTGUNS.has(model)) return 'Shotgun'
  if (MACHINE_GUNS.has(model)) return 'Machinegun'
  return WEAPON_TYPES[item.category ?? ''] ?? 'Equipment'
}

/** The name as the platform writes it, before any word of category or exterior is added. */
export function plainNameOf(kind: Kind, item: LibraryItem): string {
  switch (kind) {
    // The item list puts the kind before every name; on the platform only some bear it.
    case 'agent':
    case 'case':
    case 'capsule':
    case 'souvenirPackage':
    case 'pin':
    case 'tool':
      return splitName(item.name)[1] ?? item.name
    case 'graffiti':
      return `Sealed ${item.name}`
    default:
      return item.name
  }
}

const NEVER_GIVEN_OUT = '#ded6cc'
const MARKETABLE_TOOLS: ReadonlySet<string> = new Set([
  'Tool | Name Tag',
  'Tool | StatTrak™ Swap Tool',
])
const SNIPER_RIFLES: ReadonlySet<string> = new Set(['awp', 'ssg08', 'g3sg1', 'scar20'])
const SHOTGUNS: ReadonlySet<string> = new Set(['nova', 'xm1014', 'mag7', 'sawedoff'])
const MACHINE_GUNS: ReadonlySet<string> = new Set(['m249', 'negev'])
const WEAPON_TYPES: Readonly<Record<string, string>> = {
  secondary: 'Pistol',
  smg: 'SMG',
  rifle: 'Rifle',
}
const ITEM_TYPES: Readonly<Record<Exclude<Kind, 'weapon'>, string>> = {
  knife: 'Knife',
  gloves: 'Gloves',
  sticker: 'Sticker',
  charm: 'Charm',
  agent: 'Agent',
  case: 'Container',
  capsule: 'Container',
  souvenirPackage: 'Container',
  musicKit: 'Music Kit',
  graffiti: 'Graffiti',
  patch: 'Patch',
  pin: 'Collectible',
  tool: 'Tool',
}

function isPlainCharm(item: LibraryItem): boolean {
  if (item.stickerId !== undefined) return false
  // Empty forms: the slab without its sticker, the souvenir charm without its scene.
  return item.name !== 'Charm | Sticker Slab' && !item.name.endsWith(' Highlight')
}

function containerKindOf(item: LibraryItem): Kind {
  if (item.containerType === CONTAINER_OF_SOUVENIRS) return 'souvenirPackage'
  return item.containerType === CONTAINER_OF_WEAPONS ? 'case' : 'capsule'
}

// The library's CS2ContainerType, by its numbers: importing it for two of them reads no better.
const CONTAINER_OF_WEAPONS = 0
const CONTAINER_OF_SOUVENIRS = 3
