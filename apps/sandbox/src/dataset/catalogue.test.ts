import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readCatalogue } from './catalogue.ts'
import { exteriorOf } from './exterior.ts'
import { fadePercentagesOf } from './fade.ts'
import { libraryItems } from './library.ts'
import { phaseOf } from './phases.ts'
import type { CatalogueItem } from './types.ts'

const { entries } = readCatalogue()
const items = entries.map(({ item }) => item)
const named = (name: string): readonly CatalogueItem[] =>
  items.filter(({ marketHashName }) => marketHashName === name)

test('a smaller catalogue has the most abundant items of every kind, in the same order', () => {
  const small = readCatalogue(2_000)
  assert.equal(small.entries.length, 2_000)
  assert.deepEqual(
    new Set(small.entries.map(({ kind }) => kind)),
    new Set(entries.map((e) => e.kind)),
  )
  const kept = new Set(small.entries)
  assert.deepEqual(
    entries.filter((entry) => kept.has(entry)),
    small.entries,
  )
  assert.ok(small.entries.some(({ item }) => item.phase !== null))
  assert.notEqual(small.fingerprint, readCatalogue().fingerprint)
})

test('names are spelled as the platform spells them', () => {
  const known = [
    'AK-47 | Redline (Field-Tested)',
    'StatTrak™ AK-47 | Redline (Minimal Wear)',
    'Souvenir AWP | Dragon Lore (Field-Tested)',
    'M4A4 | 龍王 (Dragon King) (Field-Tested)',
    'StatTrak™ M4A4 | Howl (Minimal Wear)',
    'Souvenir AK-47 | Steel Delta (Factory New)',
    '★ Karambit',
    '★ StatTrak™ Karambit',
    '★ StatTrak™ Karambit | Doppler (Factory New)',
    '★ Butterfly Knife | Fade (Factory New)',
    '★ Sport Gloves | Vice (Minimal Wear)',
    'Zeus x27 | Dragon Snore (Factory New)',
    'Sticker | Crown (Foil)',
    'Sticker | Titan (Holo) | Katowice 2014',
    'Sticker | device (Gold) | Cologne 2016',
    "Charm | Lil' Ava",
    'Bloody Darryl The Strapped | The Professionals',
    'Ground Rebel  | Elite Crew',
    'CS:GO Weapon Case',
    'Dreams & Nightmares Case',
    'ESL One Cologne 2014 Cobblestone Souvenir Package',
    'Music Kit | Daniel Sadowski, Crimson Assault',
    'StatTrak™ Music Kit | Daniel Sadowski, Crimson Assault',
    'Sealed Graffiti | Question Mark (Brick Red)',
    'Patch | Crazy Banana',
    'Dust II Pin',
    'StatTrak™ Swap Tool',
  ]
  for (const name of known) assert.equal(named(name).length === 0, false, name)
})

test('the catalogue has only items of the game', () => {
  const wrong = [
    'StatTrak™ AWP | Dragon Lore (Field-Tested)',
    'Souvenir AK-47 | Redline (Field-Tested)',
    'AK-47 | Redline (Factory New)',
    '★ StatTrak™ Sport Gloves | Vice (Minimal Wear)',
    'StatTrak™ AK-47 | Steel Delta (Factory New)',
    '★ Karambit (Factory New)',
    'Knife',
    'AK-47',
    'Music Kit | Valve, CS:GO',
  ]
  for (const name of wrong) assert.deepEqual(named(name), [], name)
  assert.deepEqual(
    items.filter(({ name }) => /Slab|Medal|\bCoin\b|Case Key/.test(name)).map(({ name }) => name),
    [],
  )
})

test('a type line has category, rarity and type in the terms of its kind', () => {
  const lines = new Map([
    ['AK-47 | Redline (Field-Tested)', 'Classified Rifle'],
    ['StatTrak™ AWP | Asiimov (Field-Tested)', 'StatTrak™ Covert Sniper Rifle'],
    ['Souvenir AWP | Dragon Lore (Field-Tested)', 'Souvenir Covert Sniper Rifle'],
    ['M4A4 | Howl (Field-Tested)', 'Contraband Rifle'],
    ['★ StatTrak™ Karambit', '★ StatTrak™ Covert Knife'],
    ['★ Sport Gloves | Vice (Minimal Wear)', '★ Extraordinary Gloves'],
    ['Bloody Darryl The Strapped | The Professionals', 'Superior Agent'],
    ['CS:GO Weapon Case', 'Base Grade Container'],
    ['Music Kit | Daniel Sadowski, Crimson Assault', 'High Grade Music Kit'],
  ])
  for (const [name, type] of lines) assert.equal(named(name)[0]?.type, type, name)
})

test('Dopplers are one item for each phase, all under one name', () => {
  const phases = (name: string): (string | null)[] => named(name).map(({ phase }) => phase)
  assert.deepEqual(
    new Set(phases('★ Karambit | Doppler (Factory New)')),
    new Set(['Ruby', 'Sapphire', 'Black Pearl', 'Phase 1', 'Phase 2', 'Phase 3', 'Phase 4']),
  )
  assert.equal(phases('★ Butterfly Knife | Doppler (Factory New)').length, 7)
  assert.deepEqual(
    new Set(phases('Glock-18 | Gamma Doppler (Minimal Wear)')),
    new Set(['Emerald', 'Phase 1', 'Phase 2', 'Phase 3', 'Phase 4']),
  )
})

test('our table of paint indexes agrees with the phases that the item list names', () => {
  let checked = 0
  for (const { name, type, index, altName } of libraryItems) {
    if ((type !== 'weapon' && type !== 'melee') || index === undefined) continue
    assert.equal(phaseOf(index), / \| (Gamma )?Doppler$/.test(name) ? altName : null, name)
    checked += 1
  }
  assert.ok(checked > 1500)
})

test('an item is one name and phase, and one class', () => {
  const keys = new Set(items.map(({ marketHashName, phase }) => `${marketHashName}\u0000${phase}`))
  assert.equal(keys.size, items.length)
  assert.equal(new Set(entries.map(({ classId }) => classId)).size, items.length)
})

test('the catalogue has all kinds of goods in plausible numbers', () => {
  assert.ok(items.length > 20_000 && items.length < 32_000, String(items.length))
  const counts = Map.groupBy(entries, ({ kind }) => kind)
  assert.equal(counts.size, 14)
  for (const [kind, some] of counts) assert.ok(some.length > 0, kind)
})

test('every item is complete, and its exterior is within its range', () => {
  for (const { item, band } of entries) {
    assert.match(item.rarityColor, /^[0-9A-F]{6}$/)
    assert.match(item.iconUrl, /^[0-9a-f]{64}(_light|_medium|_heavy)?$/, item.marketHashName)
    assert.ok(Number.isSafeInteger(item.defIndex) && Number.isSafeInteger(item.volume))
    assert.ok(item.marketHashName.isWellFormed() && item.marketHashName.length <= 300)
    assert.equal(item.exterior === null, item.floatRange === null)
    if (item.exterior === null || item.floatRange === null || band === null) continue
    assert.ok(item.floatRange[0] <= band[0] && band[1] <= item.floatRange[1])
    assert.equal(exteriorOf((band[0] + band[1]) / 2), item.exterior)
    assert.ok(item.marketHashName.endsWith(` (${item.exterior})`))
  }
})

test('prices begin at 30 mills, most things cost cents or a few dollars, a few cost thousands', () => {
  const prices = items.map((item) => item.referencePriceMills).sort((left, right) => left - right)
  const at = (share: number): number => prices[Math.floor(share * (prices.length - 1))] ?? 0
  for (const price of prices) assert.ok(Number.isSafeInteger(price))
  assert.equal(at(0), 30)
  assert.ok(at(0.5) > 200 && at(0.5) < 5_000)
  assert.ok(at(0.9) > 20_000)
  assert.ok(at(1) > 5_000_000 && at(1) <= 12_000_000)
})

test('worse wear is cheaper, a kill counter dearer', () => {
  const price = (name: string): number => named(name)[0]?.referencePriceMills ?? Number.NaN
  const asiimov = 'AK-47 | Asiimov'
  assert.ok(price(`${asiimov} (Factory New)`) > price(`${asiimov} (Battle-Scarred)`))
  assert.ok(price(`StatTrak™ ${asiimov} (Field-Tested)`) > price(`${asiimov} (Field-Tested)`))
})

test('fades have a percentage for every paint seed of their kind of copy; gloves have none', () => {
  for (const { item, kind, fades } of entries) {
    if (fades !== null) assert.ok(fades.length >= (kind === 'weapon' ? 1001 : 1000), item.name)
    if (kind !== 'gloves' && /\| (Amber |Acid )?Fade$/.test(item.name)) assert.ok(fades !== null)
  }
  assert.equal(fadePercentagesOf('Specialist Gloves', 'Fade'), null)
})
