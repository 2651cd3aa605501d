import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { cents } from '#kernel/money'
import { type CatalogItem, itemIdOf } from '../item.ts'
import { NO_STOCK } from '../testing/items.ts'
import { search, suggest } from './search.ts'
import { buildSearchIndex, type SearchIndex } from './search-index.ts'

const REDLINE_FT = 'AK-47 | Redline (Field-Tested)'
const ST_REDLINE_FT = 'StatTrak™ AK-47 | Redline (Field-Tested)'
const KUKRI = '★ Kukri Knife | Safari Mesh (Field-Tested)'
const CAPSULE = 'Atlanta 2017 Legends (Holo/Foil)'
const PHASES = [
  ...['Phase 1', 'Phase 2', 'Phase 3', 'Phase 4', 'Ruby', 'Sapphire', 'Emerald', 'Black Pearl'],
]
const KARAMBITS = PHASES.map(() => '★ Karambit | Doppler (Factory New)')

const ITEMS: readonly CatalogItem[] = [
  ...['Factory New', 'Minimal Wear', 'Field-Tested', 'Well-Worn', 'Battle-Scarred'].map((wear) =>
    item(`AK-47 | Redline (${wear})`, { weapon: 'AK-47', itemType: 'Rifle' }),
  ),
  item(ST_REDLINE_FT, { weapon: 'AK-47', itemType: 'Rifle', category: 'StatTrak™' }),
  item('AWP | Asiimov (Field-Tested)', { weapon: 'AWP', itemType: 'Sniper Rifle' }),
  item('Souvenir AWP | Dragon Lore (Factory New)', { weapon: 'AWP', itemType: 'Sniper Rifle' }),
  item('M4A1-S | Printstream (Factory New)', { weapon: 'M4A1-S', itemType: 'Rifle' }),
  item('USP-S | Orion (Factory New)', { weapon: 'USP-S' }),
  item('MP9 | Hot Rod (Factory New)', { weapon: 'MP9' }),
  item('MP7 | Starlight Protector (Minimal Wear)', { weapon: 'MP7' }),
  item('P2000 | Fire Elemental (Factory New)', { weapon: 'P2000' }),
  item('MAC-10 | Stalker (Factory New)', { weapon: 'MAC-10' }),
  item('Galil AR | Chatterbox (Field-Tested)', { weapon: 'Galil AR' }),
  item('SSG 08 | Dragonfire (Factory New)', { weapon: 'SSG 08', itemType: 'Sniper Rifle' }),
  item('Desert Eagle | Blaze (Factory New)', { weapon: 'Desert Eagle' }),
  item('CZ75-Auto | Victoria (Factory New)', { weapon: 'CZ75-Auto' }),
  item(KUKRI, { weapon: 'Kukri Knife', itemType: 'Knife' }),
  ...PHASES.map((phase) =>
    item('★ Karambit | Doppler (Factory New)', { phase, weapon: 'Karambit', itemType: 'Knife' }),
  ),
  item(CAPSULE, { itemType: 'Container' }),
  item('Sticker | Señor Espiral', { itemType: 'Sticker' }),
  item('Sticker | BØBO', { itemType: 'Sticker' }),
  item('Sticker | BS Gaming', { itemType: 'Sticker' }),
  item('Sticker | Craft', { itemType: 'Sticker' }),
]

let index: SearchIndex
before(async () => {
  index = await buildSearchIndex(ITEMS, () => NO_STOCK)
})

test('what people type finds what they mean, and nothing else', () => {
  for (const [text, names] of [
    ['ak47 redline ft', [REDLINE_FT, ST_REDLINE_FT]],
    ['AK-47 Redline (FT)', [REDLINE_FT, ST_REDLINE_FT]],
    ['awp asiimov ft', ['AWP | Asiimov (Field-Tested)']],
    ['redlime ft', [REDLINE_FT, ST_REDLINE_FT]],
    ['redline fn', ['AK-47 | Redline (Factory New)']],
    ['redline mw', ['AK-47 | Redline (Minimal Wear)']],
    ['redline ww', ['AK-47 | Redline (Well-Worn)']],
    ['redline bs', ['AK-47 | Redline (Battle-Scarred)']],
    ['st redline', [ST_REDLINE_FT]],
    ['stattrak redline', [ST_REDLINE_FT]],
    ['StatTrak™ redline', [ST_REDLINE_FT]],
    ['stat-trak redline', [ST_REDLINE_FT]],
    ['souv awp', ['Souvenir AWP | Dragon Lore (Factory New)']],
    ['m4a1s', ['M4A1-S | Printstream (Factory New)']],
    ['usps', ['USP-S | Orion (Factory New)']],
    ['mp9', ['MP9 | Hot Rod (Factory New)']],
    ['p2000', ['P2000 | Fire Elemental (Factory New)']],
    ['mac10', ['MAC-10 | Stalker (Factory New)']],
    ['galil', ['Galil AR | Chatterbox (Field-Tested)']],
    ['ssg', ['SSG 08 | Dragonfire (Factory New)']],
    ['ssg08', ['SSG 08 | Dragonfire (Factory New)']],
    ['deagle', ['Desert Eagle | Blaze (Factory New)']],
    ['deag', ['Desert Eagle | Blaze (Factory New)']],
    ['cz75', ['CZ75-Auto | Victoria (Factory New)']],
    ['★', [...KARAMBITS, KUKRI]],
    ['knife', [KUKRI, ...KARAMBITS]],
    ['atlanta holo/foil', [CAPSULE]],
    ['Atlanta 2017 Legends (Holo-Foil)', [CAPSULE]],
    ['espiral senor', ['Sticker | Señor Espiral']],
    ['bo bo', ['Sticker | BØBO']],
  ] as const) {
    assert.deepEqual(found(text).sort(), [...names].sort(), text)
  }
})

test('a phase is found by its name and by its number', () => {
  for (const [text, phase] of [
    ['karambit ruby', 'Ruby'],
    ['karambit sapphire', 'Sapphire'],
    ['emerald karambit', 'Emerald'],
    ['karambit black pearl', 'Black Pearl'],
    ['karambit blackpearl', 'Black Pearl'],
    ['karambit phase 2', 'Phase 2'],
    ['karambit phase2', 'Phase 2'],
    ...(['1', '2', '3', '4'] as const).map((one) => [`doppler p${one}`, `Phase ${one}`] as const),
  ]) {
    const phases = search(index, { ...ALL, text: text ?? '' }).entries.map(({ item }) => item.phase)
    assert.deepEqual(phases, [phase], text)
  }
})

test('a name that matches as typed comes before what its words mean', () => {
  assert.equal(found('bs')[0], 'Sticker | BS Gaming')
  assert.equal(found('p2')[0], 'P2000 | Fire Elemental (Factory New)')
  assert.equal(found('knife')[0], KUKRI)
  // Both begin so; what is called so comes first.
  assert.equal(found('st')[0], ST_REDLINE_FT)
  assert.ok(found('st').includes('MP7 | Starlight Protector (Minimal Wear)'))
})

test('a wear is never read out of a word that contains its letters', () => {
  for (const text of ['craft', 'ftw', 'absolution', 'aft', 'mwx', 'redlineft', 'bsx']) {
    assert.deepEqual(found(text), text === 'craft' ? ['Sticker | Craft'] : [], text)
  }
})

test('suggestions understand what search understands', () => {
  for (const text of ['ak47 redline ft', 'deagle', 'knife', 'st', 'doppler p2']) {
    const suggested = suggest(index, text, 100).map(({ item }) => item.marketHashName)
    assert.deepEqual(suggested, found(text), text)
  }
})

const ALL = {
  sort: 'relevance',
  facets: {},
  delivery: null,
  inStock: false,
  minPrice: null,
  maxPrice: null,
  priceOf: (asked: bigint) => cents(asked / 10n),
  offset: 0,
  limit: 100,
} as const

const found = (text: string): string[] =>
  search(index, { ...ALL, text }).entries.map((entry) => entry.item.marketHashName)

function item(marketHashName: string, change: Partial<CatalogItem>): CatalogItem {
  const phase = change.phase ?? null
  return {
    id: itemIdOf(marketHashName, phase),
    game: 'cs2',
    marketHashName,
    phase,
    name: marketHashName.replace(/ \([^)]*\)$/, ''),
    type: 'Classified Pistol',
    itemType: 'Pistol',
    weapon: null,
    rarity: 'Classified',
    rarityColor: 'd32ce6',
    category: 'Normal',
    collection: null,
    exterior: /\(((?:Factory|Minimal|Field|Well|Battle)[^)]*)\)$/.exec(marketHashName)?.[1] ?? null,
    floatRange: null,
    iconUrl: '',
    defIndex: 1,
    paintIndex: null,
    referenceMills: null,
    quotable: false,
    volume: 1,
    ownSales: 0,
    weekSales: 0,
    lastSale: null,
    ...change,
  }
}
