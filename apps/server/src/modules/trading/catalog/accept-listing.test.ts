import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { acceptListing } from './accept-listing.ts'
import { createItemNames } from './item-names.ts'

const names = createItemNames([
  {
    id: 'a'.repeat(16),
    marketHashName: 'AK-47 | Redline (Field-Tested)',
    phase: null,
    paintIndex: 282,
    listed: true,
  },
  {
    id: 'b'.repeat(16),
    marketHashName: '★ Karambit | Doppler (Factory New)',
    phase: 'Ruby',
    paintIndex: 415,
    listed: true,
  },
  {
    id: 'c'.repeat(16),
    marketHashName: '★ Karambit | Doppler (Factory New)',
    phase: 'Phase 1',
    paintIndex: 418,
    listed: true,
  },
])

const honest = {
  market: 'market_a',
  rawId: '4700012345',
  marketHashName: 'AK-47 | Redline (Field-Tested)',
  phase: null,
  priceMills: 12_341n,
  assetId: '38691476335',
  classId: '5075999874',
  instanceId: '188530139',
  wear: '0.14540666341782',
  paintSeed: 391,
  paintIndex: 282,
  stickers: [{ name: 'Sticker | Howl', slot: 0, wear: null, iconUrl: 'https://x/y' }],
  charm: null,
  inspectToken: '00AB',
  delivery: 'instant',
}

test('an honest listing is taken as it is', () => {
  const accepted = acceptListing(honest, names)
  assert.ok(typeof accepted === 'object')
  assert.equal(accepted.itemId, 'a'.repeat(16))
  assert.equal(accepted.priceMills, 12_341n)
  assert.equal(accepted.wear, 0.14540666341782)
  assert.equal(accepted.details.stickers.length, 1)
})

const refused: [string, Record<string, unknown>, string][] = [
  ['a negative price', { priceMills: -1n }, 'price'],
  ['no price', { priceMills: 0n }, 'price'],
  ['a price that is no whole number of mills', { priceMills: 12.5 }, 'price'],
  ['a price of over a million dollars', { priceMills: 1_000_000_001n }, 'price'],
  ['an id that is a number', { rawId: 4700012345 }, 'form'],
  ['an id with a space', { rawId: '47 00' }, 'form'],
  ['an id of a thousand characters', { rawId: '4'.repeat(1000) }, 'form'],
  ['a name with NUL', { marketHashName: 'AK\u0000' }, 'form'],
  ['a name with a character that was replaced', { marketHashName: 'AK\uFFFD' }, 'form'],
  ['half a character', { marketHashName: 'AK\ud800' }, 'form'],
  ['a way of delivery that we do not know', { delivery: 'pigeon' }, 'form'],
  ['a thousand stickers', { stickers: Array(1000).fill(honest.stickers[0]) }, 'size'],
  ['an item that does not exist', { marketHashName: 'AK-47 | Nothing' }, 'unknown-item'],
]
for (const [what, change, reason] of refused) {
  test(`${what} is dropped as ${reason}`, () => {
    assert.equal(acceptListing({ ...honest, ...change }, names), reason)
  })
}

test('invalid data of what is only shown costs that detail alone', () => {
  const accepted = acceptListing(
    {
      ...honest,
      wear: '1.5',
      paintSeed: -3,
      assetId: 'x',
      inspectToken: 'zz',
      charm: 7,
      stickers: [{ name: 3 }, honest.stickers[0]],
    },
    names,
  )
  assert.ok(typeof accepted === 'object')
  assert.deepEqual(
    [accepted.wear, accepted.wearText, accepted.paintSeed, accepted.details.assetId],
    [null, null, null, null],
  )
  assert.deepEqual([accepted.details.inspectToken, accepted.details.charm], [null, null])
  assert.equal(accepted.details.stickers.length, 1)
})

test('the phase comes from the market, else from the paint, else the item is unknown', () => {
  const doppler = { ...honest, marketHashName: '★ Karambit | Doppler (Factory New)' }
  const idOf = (change: object): unknown => {
    const accepted = acceptListing({ ...doppler, ...change }, names)
    return typeof accepted === 'object' ? accepted.itemId : accepted
  }
  assert.equal(idOf({ phase: 'Phase 1', paintIndex: null }), 'c'.repeat(16))
  assert.equal(idOf({ phase: null, paintIndex: 415 }), 'b'.repeat(16))
  assert.equal(idOf({ phase: null, paintIndex: null }), 'unknown-item')
  assert.equal(idOf({ phase: 'Phase 9', paintIndex: 1 }), 'unknown-item')
})

test('nothing that a market says throws', () => {
  fc.assert(
    fc.property(
      fc.record(
        Object.fromEntries(
          Object.keys(honest).map((key) => [key, fc.anything({ withBigInt: true })]),
        ),
        { requiredKeys: [] },
      ),
      fc.anything(),
      (part, other) => {
        acceptListing({ ...honest, ...part }, names)
        acceptListing(other, names)
      },
    ),
  )
})
