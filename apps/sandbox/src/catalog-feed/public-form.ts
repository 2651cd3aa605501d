// The catalogue in the public form: a file for each sort of goods, a row for each wear and state, numbers as
// texts, colours with `#`, and no prices.
import type { CatalogueItem } from '../dataset/types.ts'

export const PUBLIC_FILES = [
  ...['skins_not_grouped', 'stickers', 'sticker_slabs', 'keychains', 'crates', 'keys', 'agents'],
  ...['patches', 'graffiti', 'music_kits', 'collectibles', 'tools', 'base_weapons', 'highlights'],
  'pets',
]

const PICTURES = 'https://community.akamai.steamstatic.com/economy/image/'

type Row = Readonly<Record<string, unknown>>

/** The file of a type of item, and the word before the number in the ids of its rows. */
const FILES: Readonly<Record<string, readonly [file: string, word: string]>> = {
  Sticker: ['stickers', 'sticker'],
  Charm: ['keychains', 'keychain'],
  Container: ['crates', 'crate'],
  Agent: ['agents', 'agent'],
  Patch: ['patches', 'patch'],
  Graffiti: ['graffiti', 'graffiti'],
  'Music Kit': ['music_kits', 'music_kit'],
  Collectible: ['collectibles', 'collectible'],
  Tool: ['tools', 'tool'],
}
const SKINS = 'skins_not_grouped'

const CATEGORIES: Readonly<Record<string, string>> = {
  Pistol: 'Pistols',
  SMG: 'SMGs',
  Rifle: 'Rifles',
  'Sniper Rifle': 'Rifles',
  Shotgun: 'Heavy',
  Machinegun: 'Heavy',
  Knife: 'Knives',
  Gloves: 'Gloves',
  Equipment: 'Equipment',
}

/** The rows of a file; none of a file of goods that no market here trades. */
export const rowsOf = (file: string, catalogue: readonly CatalogueItem[]): readonly Row[] =>
  file === 'base_weapons'
    ? baseWeaponsOf(catalogue)
    : catalogue.flatMap((item, at) => (fileOf(item) === file ? [rowOf(item, at)] : []))

const fileOf = ({ itemType }: CatalogueItem): string => FILES[itemType]?.[0] ?? SKINS

function rowOf(item: CatalogueItem, at: number): Row {
  const named = {
    rarity: { id: 'rarity', name: item.rarity, color: `#${item.rarityColor.toLowerCase()}` },
    market_hash_name: item.marketHashName,
    image: item.iconUrl === '' ? '' : `${PICTURES}${item.iconUrl}`,
  }
  const [, word] = FILES[item.itemType] ?? []
  if (word !== undefined) {
    const number = item.artIndex ?? item.defIndex
    return { id: `${word}-${number}`, name: item.name, def_index: String(number), ...named }
  }
  return {
    id: `skin-${at}`,
    skin_id: `skin-${item.defIndex}-${item.paintIndex}`,
    name: item.marketHashName,
    weapon: { id: 'weapon', weapon_id: item.defIndex, name: item.weapon },
    category: { id: 'category', name: CATEGORIES[item.itemType] ?? item.itemType },
    pattern: { id: 'pattern', name: item.name.split(' | ')[1] ?? 'Vanilla' },
    min_float: item.floatRange?.[0] ?? null,
    max_float: item.floatRange?.[1] ?? null,
    wear: item.exterior === null ? null : { id: 'wear', name: item.exterior },
    stattrak: item.category === 'StatTrak™',
    souvenir: item.category === 'Souvenir',
    paint_index: item.paintIndex === null ? null : String(item.paintIndex),
    ...(item.phase !== null && { phase: item.phase }),
    ...(item.collection !== null && { collections: [{ id: 'collection', name: item.collection }] }),
    ...named,
  }
}

/** What all players have cannot be sold, and has no name on a market. */
function baseWeaponsOf(catalogue: readonly CatalogueItem[]): readonly Row[] {
  const byNumber = new Map<number, CatalogueItem>()
  for (const item of catalogue) {
    if (fileOf(item) === SKINS && item.weapon !== null) byNumber.set(item.defIndex, item)
  }
  return [...byNumber].map(([number, { weapon }]) => ({
    id: `base_weapon-${number}`,
    name: weapon,
    weapon: { id: 'weapon', weapon_id: number, name: weapon },
    market_hash_name: null,
    image: '',
  }))
}
