// A catalogue of any size with the name forms of the real one.
import { type Mills, mills } from '#kernel/money'
import { type CatalogItem, itemIdOf } from '../item.ts'
import type { Stock } from '../view/search-index.ts'

export const WEAPONS = ['AK-47', 'AWP', 'M4A1-S', 'Glock-18', '★ Karambit', 'Desert Eagle', 'P250']
const FINISHES = [
  ...['Redline', 'Asiimov', 'Dragon Lore', 'Fade', 'Doppler', 'Case Hardened', 'Printstream'],
  ...['Blaze', 'Kami', 'Neo-Noir', 'Vulcan', 'Medusa', "Ol' Rusty", 'Señorita', 'Fever Dream'],
]
export const EXTERIORS = [
  ...['Factory New', 'Minimal Wear', 'Field-Tested', 'Well-Worn', 'Battle-Scarred'],
]
const CATEGORIES = ['Normal', 'StatTrak™', 'Souvenir'] as const
const PHASES = ['Phase 1', 'Phase 2', 'Ruby', 'Sapphire']
export const RARITIES = ['Covert', 'Classified', 'Restricted']

export type Random = (below: number) => number

/** Mulberry32, a public-domain generator by Tommy Ettinger. */
export function seededRandom(seed: number): Random {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

/** Different items, at most `count`: a name that comes up twice is left out the second time. */
export function generateItems(count: number, random: Random): CatalogItem[] {
  const items = new Map<string, CatalogItem>()
  for (let i = 0; i < count; i++) {
    const item = generateItem(random, count > 5000 ? ` ${syllables(random)}` : '')
    items.set(item.id, item)
  }
  return [...items.values()]
}

function generateItem(random: Random, extra: string): CatalogItem {
  const pick = <T>(values: readonly T[]): T => values[random(values.length)] as T
  const weapon = pick(WEAPONS)
  const finish = pick(FINISHES)
  const exterior = pick(EXTERIORS)
  const category = pick(CATEGORIES)
  const phase = finish === 'Doppler' ? pick(PHASES) : null
  const prefix = category === 'Normal' ? '' : `${category} `
  const name = `${prefix}${weapon} | ${finish}${extra}`
  const marketHashName = `${name} (${exterior})`
  return {
    id: itemIdOf(marketHashName, phase),
    game: 'cs2',
    marketHashName,
    phase,
    name,
    type: 'Covert Rifle',
    itemType: weapon.startsWith('★') ? 'Knife' : 'Weapon',
    weapon,
    rarity: pick(RARITIES),
    rarityColor: 'eb4b4b',
    category,
    collection: random(3) === 0 ? null : `The ${finish} Collection`,
    exterior,
    floatRange: [0, 1],
    iconUrl: `https://cdn.example/${random(1e9)}.png`,
    defIndex: random(100),
    paintIndex: random(1000),
    referenceMills: random(5) === 0 ? null : mills(BigInt(random(100_000) + 1)),
    quotable: true,
    volume: random(50),
    ownSales: random(4) === 0 ? random(10) : 0,
    weekSales: 0,
    lastSale: null,
  }
}

const SYLLABLES = ['ka', 'lo', 'mir', 'ten', 'zu', 'shi', 'bra', 'vel', 'on', 'dra', 'qui', 'po']
const syllables = (random: Random): string =>
  Array.from({ length: 2 + random(3) }, () => SYLLABLES[random(SYLLABLES.length)]).join('')

export function generateStock(random: Random): Stock {
  const price = (): Mills => mills(BigInt(1 + random(60) * 10))
  const standardCount = random(3)
  const instantCount = random(2)
  const standard = standardCount > 0 ? price() : null
  const instant = instantCount > 0 ? price() : null
  const floors = [standard, instant].filter((floor) => floor !== null)
  const lowest = floors.sort((left, right) => Number(left - right))[0] ?? null
  const isForSale = standardCount + instantCount > 0
  const markets = isForSale ? MARKETS.slice(random(2), 1 + random(2)) : []
  return { lowest, instant, standardCount, instantCount, markets, seq: 0n }
}

const MARKETS: Stock['markets'] = ['market_a', 'market_b']

export const NO_STOCK: Stock = {
  ...{ lowest: null, instant: null, standardCount: 0, instantCount: 0 },
  markets: [],
  seq: 0n,
}
