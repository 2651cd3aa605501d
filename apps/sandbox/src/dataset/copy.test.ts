import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeHex } from '@csfloat/cs2-inspect-serializer'
import {
  AcidFadeCalculator,
  AmberFadeCalculator,
  FadeCalculator,
} from 'csgo-fade-percentage-calculator'
import { createDataset } from './create-dataset.ts'
import { exteriorOf } from './exterior.ts'
import { phaseOf } from './phases.ts'
import type { Asset, Listing } from './types.ts'

// Every copy of a dataset of full size is looked at: the rare ones are where a rule breaks.
const dataset = createDataset({
  seed: 11,
  listingCount: 55_000,
  nowMs: 1_800_000_000_000,
  changesPerTick: 5,
})
const listings: readonly Listing[] = [
  ...dataset.listings('market_a'),
  ...dataset.listings('market_b'),
]
const assets: readonly Asset[] = listings.map(({ asset }) => asset)

test('wear is a float32 in the range of the item and in the band of its exterior', () => {
  let worn = 0
  for (const { wear, item } of assets) {
    assert.equal(wear === null, item.floatRange === null, item.marketHashName)
    if (wear === null || item.floatRange === null) continue
    worn += 1
    assert.equal(Math.fround(wear), wear)
    assert.ok(wear >= item.floatRange[0] && wear <= item.floatRange[1], item.marketHashName)
    assert.equal(exteriorOf(wear), item.exterior, item.marketHashName)
  }
  assert.ok(worn > 20_000)
})

test('paint seeds go from 0 to 1000, and things without a finish have none', () => {
  for (const { paintSeed, item } of assets) {
    assert.equal(paintSeed === null, item.floatRange === null)
    if (paintSeed !== null)
      assert.ok(Number.isInteger(paintSeed) && paintSeed >= 0 && paintSeed <= 1000)
  }
})

test('the phase is that of the paint index', () => {
  let phased = 0
  for (const { item } of assets) {
    assert.equal(item.phase, item.paintIndex === null ? null : phaseOf(item.paintIndex))
    if (item.phase !== null) phased += 1
  }
  assert.ok(phased > 100)
})

test('a fade shows the percentage of its seed', () => {
  const calculators = {
    Fade: FadeCalculator,
    'Amber Fade': AmberFadeCalculator,
    'Acid Fade': AcidFadeCalculator,
  }
  let fades = 0
  for (const { item, paintSeed, fadePercentage } of assets) {
    const finish = /\| ((Amber |Acid )?Fade)$/.exec(item.name)?.[1] as
      | keyof typeof calculators
      | undefined
    if (finish === undefined || paintSeed === null || item.itemType === 'Gloves') {
      assert.equal(fadePercentage, null, item.marketHashName)
      continue
    }
    fades += 1
    const expected = calculators[finish].getFadePercentage(item.weapon ?? '', paintSeed)
    assert.equal(fadePercentage, expected.percentage)
    assert.ok(fadePercentage !== null && fadePercentage >= 80 && fadePercentage <= 100)
  }
  assert.ok(fades > 20, `${fades} fades`)
})

test('stickers and charms are on weapons only, real, each in a slot of its own', () => {
  const stickers = new Map(
    dataset.catalogue
      .filter(({ itemType }) => itemType === 'Sticker')
      .map((item) => [item.artIndex, item]),
  )
  const charms = new Map(
    dataset.catalogue
      .filter(({ itemType }) => itemType === 'Charm')
      .map((item) => [item.artIndex, item]),
  )
  const weaponTypes = new Set([
    'Pistol',
    'Rifle',
    'Sniper Rifle',
    'SMG',
    'Shotgun',
    'Machinegun',
    'Equipment',
  ])
  let stickered = 0
  let charmed = 0
  for (const { item, stickers: applied, charm } of assets) {
    if (applied.length > 0 || charm !== null) assert.ok(weaponTypes.has(item.itemType), item.name)
    assert.ok(applied.length <= 5)
    assert.equal(new Set(applied.map(({ slot }) => slot)).size, applied.length)
    for (const { name, stickerId, slot, wear, iconUrl } of applied) {
      assert.equal(stickers.get(stickerId)?.marketHashName, name)
      assert.equal(stickers.get(stickerId)?.iconUrl, iconUrl)
      assert.ok(slot >= 0 && slot <= 4)
      assert.ok(wear >= 0 && wear < 1 && Math.fround(wear) === wear)
    }
    if (charm !== null) {
      assert.equal(charms.get(charm.charmId)?.marketHashName, charm.name)
      assert.ok(charm.pattern >= 1 && charm.pattern <= 100_000)
      charmed += 1
    }
    if (applied.length > 0) stickered += 1
    if (item.category === 'Souvenir') assert.ok(applied.length >= 3, item.name)
  }
  assert.ok(
    stickered > 3_000 && charmed > 500,
    `${stickered} with stickers, ${charmed} with charms`,
  )
})

test('an inspect token encodes exactly the copy', () => {
  let read = 0
  for (const { item, wear, paintSeed, stickers, charm, inspectToken } of assets) {
    assert.equal(inspectToken === null, item.paintIndex === null, item.marketHashName)
    if (inspectToken === null) continue
    read += 1
    assert.match(inspectToken, /^00[0-9A-F]+$/)
    const decoded = decodeHex(inspectToken)
    assert.equal(decoded.defindex, item.defIndex)
    assert.equal(decoded.paintindex, item.paintIndex)
    assert.equal(decoded.paintwear, wear ?? 0)
    assert.equal(decoded.paintseed ?? null, paintSeed)
    assert.equal(decoded.killeatervalue !== undefined, item.category === 'StatTrak™')
    assert.deepEqual(
      decoded.stickers.map(({ slot, stickerId, wear: scraped }) => ({
        slot,
        stickerId,
        wear: scraped,
      })),
      stickers.map(({ slot, stickerId, wear: scraped }) => ({ slot, stickerId, wear: scraped })),
    )
    assert.deepEqual(
      decoded.keychains.map(({ stickerId, pattern }) => [stickerId, pattern]),
      charm === null ? [] : [[charm.charmId, charm.pattern]],
    )
  }
  assert.ok(read > 20_000)
})

test('the stock is plausible: some items in hundreds, many in a few, some not at all', () => {
  const counts = new Map(dataset.catalogue.map((item) => [item, 0]))
  for (const { item } of assets) counts.set(item, (counts.get(item) ?? 0) + 1)
  const all = [...counts.values()]
  const share = (test: (count: number) => boolean): number => all.filter(test).length / all.length
  assert.ok(Math.max(...all) >= 150 && Math.max(...all) <= 600, `at most ${Math.max(...all)}`)
  assert.ok(share((count) => count === 0) > 0.05 && share((count) => count === 0) < 0.5)
  assert.ok(share((count) => count >= 1 && count <= 5) > 0.4)
})

test('both markets carry what is popular, and a third is delivered at once', () => {
  const popular = [...Map.groupBy(listings, ({ asset }) => asset.item).values()].filter(
    (some) => some.length >= 10,
  )
  const onBoth = popular.filter((some) => new Set(some.map(({ market }) => market)).size === 2)
  assert.ok(popular.length > 300)
  assert.ok(onBoth.length / popular.length > 0.99)
  const instant = listings.filter(({ auto }) => auto).length / listings.length
  assert.ok(instant > 0.3 && instant < 0.38)
})

test('asking prices are near the reference price', () => {
  const ratios = listings
    .filter(({ asset }) => asset.item.referencePriceMills >= 1000 && asset.stickers.length === 0)
    .map(({ priceMills, asset }) => priceMills / asset.item.referencePriceMills)
    .sort((left, right) => left - right)
  assert.ok((ratios[0] ?? 0) > 0.88)
  const middle = ratios[ratios.length >> 1] ?? 0
  assert.ok(middle > 0.95 && middle < 1.1, `the middle is ${middle}`)
  for (const { priceMills } of listings)
    assert.ok(Number.isSafeInteger(priceMills) && priceMills >= 30)
})

test('ids look like the real ones and are unique', () => {
  const ids = { market_a: new Set<string>(), market_b: new Set<string>() }
  const assetIds = new Set<string>()
  for (const { market, id, assetId, sellerId, asset } of listings) {
    assert.match(id, market === 'market_a' ? /^\d{10}$/ : /^\d{11}$/)
    assert.match(assetId, /^\d{11}$/)
    if (market === 'market_b') assert.equal(id, assetId)
    assert.match(sellerId, /^7656119\d{10}$/)
    assert.match(asset.classId, /^\d{9}$/)
    assert.match(asset.instanceId, /^[1-9]\d{8,9}$/)
    ids[market].add(id)
    assetIds.add(assetId)
  }
  assert.equal(ids.market_a.size + ids.market_b.size, 55_000)
  assert.equal(assetIds.size, 55_000)
})
