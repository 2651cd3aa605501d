import assert from 'node:assert/strict'
import { test } from 'node:test'
import { generateHex } from '@csfloat/cs2-inspect-serializer'
import { emptyGameBook } from '../shared/game-book.ts'
import { readChange as readChangeWith } from './change.ts'
import { readFrame } from './frames.ts'
import { isLocked, readDetailedRow, readSnapshotRow } from './listing.ts'
import { columnsOf } from './snapshot.ts'

const readChange = (name: string, data: unknown, manualSellers = true) =>
  readChangeWith(name, data, { manualSellers })

const TOKEN = generateHex({
  defindex: 507,
  paintindex: 420,
  paintseed: 391,
  paintwear: Math.fround(0.02),
  rarity: 6,
  stickers: [],
  keychains: [],
}).toUpperCase()

const CELLS: Readonly<Record<string, string>> = {
  item_id: '53857957789',
  name: '★ Karambit | Doppler Phase 3 (Factory New)',
  price: '000000900002',
  auto: 'true',
  inspect: `steam://run/730//+csgo_econ_action_preview%20${TOKEN}`,
  unlock_at: '',
  class_id: '5075999874',
  instance_id: '188530139',
}
const snapshotRow = (changes: Record<string, string | undefined> = {}) =>
  readSnapshotRow((column) => ({ ...CELLS, ...changes })[column], emptyGameBook)

test('a row of the snapshot is a listing, its details out of the inspect token', () => {
  assert.deepEqual(snapshotRow(), {
    market: 'market_b',
    rawId: '53857957789',
    marketHashName: '★ Karambit | Doppler (Factory New)',
    phase: 'Phase 3',
    priceMills: 900_002n,
    assetId: '53857957789',
    classId: '5075999874',
    instanceId: '188530139',
    wear: String(Math.fround(0.02)),
    paintSeed: 391,
    paintIndex: 420,
    stickers: [],
    charm: null,
    inspectToken: TOKEN,
    delivery: 'instant',
  })
})

test('a row without an id, a price or a name is no listing; the rest may be missing', () => {
  for (const changes of [
    { item_id: 'x' },
    { item_id: '0' },
    { price: '0' },
    { price: '' },
    { name: '' },
  ]) {
    assert.equal(snapshotRow(changes), null, JSON.stringify(changes))
  }
  const bare = snapshotRow({ auto: '', inspect: 'rubbish', class_id: '', instance_id: '' })
  assert.deepEqual(
    [
      bare?.wear,
      bare?.paintSeed,
      bare?.inspectToken,
      bare?.classId,
      bare?.instanceId,
      bare?.delivery,
    ],
    [null, null, null, null, null, 'standard'],
  )
  assert.equal(snapshotRow({ auto: undefined, delivery: 'bot' })?.delivery, 'instant')
})

test('columns are found by name, wherever they stand and whatever is appended', () => {
  const columns = columnsOf(['\uFEFFitem_id', 'new', 'price ', 'name', 'more'])
  assert.deepEqual([columns.get('item_id'), columns.get('price'), columns.get('name')], [0, 2, 3])
  assert.throws(() => columnsOf(['item_id', 'name']), /no column price/)
  assert.throws(() => columnsOf(['<html>']), /no column/)
})

test('trade locked listings are known by their date', () => {
  for (const locked of ['1790636153', 1790636153, '2026-10-05T12:00:00Z']) {
    assert.equal(isLocked(locked), true)
  }
  for (const free of ['', '0', 0, null, undefined, false]) assert.equal(isLocked(free), false)
})

test('a detailed row says more than its token and names the stickers', () => {
  const listing = readDetailedRow(
    {
      item_id: 53857957789,
      name: CELLS.name,
      price: 900002,
      float: 0.0123,
      phase: 'Phase 3',
      auto: false,
      delivery: 'p2p',
      paintseed: 7,
      paintindex: 420,
      inspect: CELLS.inspect,
      stickers: [
        { name: 'Sticker | Black Dog', slot: 2, wear: 0.25, img: 'hash' },
        { name: 'Sticker | Nameless' },
        null,
        { slot: 1 },
      ],
    },
    emptyGameBook,
  )
  assert.deepEqual(
    [listing?.wear, listing?.paintSeed, listing?.delivery, listing?.inspectToken],
    ['0.0123', 7, 'standard', TOKEN],
  )
  assert.deepEqual(listing?.stickers, [
    { name: 'Sticker | Black Dog', slot: 2, wear: 0.25, iconUrl: 'hash' },
    { name: 'Sticker | Nameless', slot: 1, wear: null, iconUrl: '' },
  ])
})

const ITEM = { item_id: '53857957789', name: CELLS.name, price: 900002, game: 'csgo' }

test('events of the socket become changes', () => {
  const upsert = readChange('new', {
    ...ITEM,
    auto: true,
    float: 0.0123,
    paint_index: 420,
    phase: 'Phase 3',
    sticker_names: ['A', ''],
  })
  assert.ok(upsert !== null && upsert !== 'unreadable' && upsert.kind === 'upsert')
  const { listing } = upsert
  assert.deepEqual(
    [listing.rawId, listing.phase, listing.wear, listing.paintIndex, listing.delivery],
    ['53857957789', 'Phase 3', '0.0123', 420, 'instant'],
  )
  assert.deepEqual(listing.stickers, [{ name: 'A', slot: 0, wear: null, iconUrl: '' }])
  const rawId = '53857957789'
  assert.deepEqual(readChange('update', ITEM), { kind: 'price', rawId, priceMills: 900_002n })
  assert.deepEqual(readChange('removed', ITEM), { kind: 'remove', rawId })
})

test('a listing that gets trade locked is gone for us', () => {
  const change = readChange('new', { ...ITEM, unlock_at: '1790636153' })
  assert.deepEqual(change, { kind: 'remove', rawId: '53857957789' })
})

test('events about other things are none, and broken ones are unreadable', () => {
  assert.equal(readChange('handshake', {}), null)
  for (const data of [null, [], {}, { item_id: 0 }])
    assert.equal(readChange('new', data), 'unreadable')
  assert.equal(readChange('update', { item_id: 5, price: -1 }), 'unreadable')
  assert.equal(readChange('new', { item_id: 5, price: 10 }), 'unreadable')
})

test('frames are distinguished', () => {
  for (const [text, kind] of [
    ['0{"sid":"a","pingInterval":25000,"pingTimeout":20000}', 'open'],
    ['0', 'open'],
    ['2', 'ping'],
    ['40{"sid":"b"}', 'connected'],
    ['41', 'refused'],
    ['44{"message":"no"}', 'refused'],
    ['42["subscribed",{"name":"csgo"}]', 'event'],
    ['42{"not":"a list"}', 'other'],
    ['42[5]', 'other'],
    ['42["broken"', 'other'],
    ['3probe', 'other'],
    ['', 'other'],
  ] as const) {
    assert.equal(readFrame(text).kind, kind, text)
  }
})

test('a listing whose seller sends by hand is not for sale unless that is chosen', () => {
  const rawId = '53857957789'
  for (const auto of [false, 'false', 0, undefined]) {
    assert.deepEqual(readChange('new', { ...ITEM, auto }, false), { kind: 'remove', rawId })
    const change = readChange('new', { ...ITEM, auto }, true)
    assert.ok(change !== null && change !== 'unreadable' && change.kind === 'upsert')
  }
  const change = readChange('new', { ...ITEM, auto: true }, false)
  assert.ok(change !== null && change !== 'unreadable' && change.kind === 'upsert')
})
