import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mills } from '#kernel/money'
import { emptyGameBook } from '../shared/game-book.ts'
import { parseExportIndex, readExportRow, stickersOf } from './export.ts'
import { createListingBook } from './listing-book.ts'
import { readReply } from './price-socket.ts'
import type { FoundListing } from './search.ts'

const INDEX = {
  success: true,
  time: 1724318846,
  currency: 'USD',
  format: [
    'price',
    'id',
    'market_hash_name',
    'classid',
    'instanceid',
    'asset',
    'float',
    'phase',
    'paintseed',
    'paintindex',
    'stickers',
    'type',
    'chance_to_transfer',
  ],
  items: ['17243188645717.json'],
}
/** In the order of INDEX.format. */
const ROW = [
  623,
  5649300794,
  '★ Karambit | Doppler (Factory New)',
  5075999874,
  188530139,
  38691476335,
  '0.14540666341782',
  'Phase 2',
  '391',
  '419',
  '18||19',
  'bot',
  97,
]

const read = (changes: Record<number, unknown> = {}) => {
  const row = ROW.map((cell, at) => (at in changes ? changes[at] : cell))
  return readExportRow(row, parseExportIndex(INDEX).columns, emptyGameBook)
}

test('a row of the export is read by the names of its columns', () => {
  assert.deepEqual(read(), {
    market: 'market_a',
    rawId: '5649300794',
    marketHashName: '★ Karambit | Doppler (Factory New)',
    phase: 'Phase 2',
    priceMills: 623n,
    assetId: '38691476335',
    classId: '5075999874',
    instanceId: '188530139',
    wear: '0.14540666341782',
    paintSeed: 391,
    paintIndex: 419,
    stickers: [
      { name: 'Sticker #18', iconUrl: '', slot: 0, wear: null },
      { name: 'Sticker #19', iconUrl: '', slot: 2, wear: null },
    ],
    charm: null,
    inspectToken: null,
    delivery: 'instant',
    chance: 97,
  })
})

test('a chance that is none, or is not said, is null', () => {
  for (const [said, chance] of [
    ['97', 97],
    [94.6, 94],
    ['', null],
    [101, null],
    [-1, null],
    ['x', null],
  ] as const) {
    assert.equal(read({ 12: said })?.chance, chance)
  }
})

test('the order of the columns is the market’s to choose', () => {
  const index = parseExportIndex({ ...INDEX, format: ['new', ...INDEX.format.toReversed()] })
  const row = readExportRow(['x', ...ROW.toReversed()], index.columns, emptyGameBook)
  assert.deepEqual(row, read())
})

test('a row without an id, a price or a name is no listing; the rest may be missing', () => {
  for (const changes of [{ 0: 0 }, { 0: '6.23' }, { 0: -5 }, { 1: null }, { 1: 0 }, { 2: '' }]) {
    assert.equal(read(changes), null, JSON.stringify(changes))
  }
  const bare = read({ 3: '', 4: null, 5: 0, 6: '', 7: '', 8: '', 9: '', 10: '', 11: null })
  assert.deepEqual(
    [bare?.classId, bare?.instanceId, bare?.assetId, bare?.wear, bare?.phase, bare?.paintSeed],
    [null, null, null, null, null, null],
  )
  assert.deepEqual([bare?.stickers, bare?.delivery], [[], 'standard'])
  assert.equal(readExportRow([], parseExportIndex(INDEX).columns, emptyGameBook), null)
})

test('instance 0 is an instance', () => {
  assert.equal(read({ 4: 0 })?.instanceId, '0')
})

test('an index of another form, currency or with strange files is refused', () => {
  for (const body of [
    undefined,
    null,
    [],
    {},
    { ...INDEX, success: false },
    { ...INDEX, currency: 'RUB' },
    { ...INDEX, format: ['id', 'market_hash_name'] },
    { ...INDEX, format: 'price' },
    { ...INDEX, items: ['../../etc/passwd'] },
    { ...INDEX, items: ['https://evil.example/a.json'] },
    { ...INDEX, items: [5] },
    { ...INDEX, items: Array.from({ length: 2_000 }, (_, at) => `${at}.json`) },
  ]) {
    assert.throws(() => parseExportIndex(body), /market A/, JSON.stringify(body)?.slice(0, 80))
  }
})

test('sticker numbers beyond the game’s are asset ids and name nothing', () => {
  assert.deepEqual(
    stickersOf('11289205989|18', emptyGameBook).map(({ slot }) => slot),
    [1],
  )
  assert.deepEqual(stickersOf('', emptyGameBook), [])
  assert.deepEqual(stickersOf('x|-1|0', emptyGameBook), [])
  assert.equal(
    stickersOf(Array.from({ length: 99 }, () => '5').join('|'), emptyGameBook).length,
    10,
  )
})

const found = (rawId: string, priceMills: bigint): FoundListing => ({
  rawId,
  priceMills: mills(priceMills),
  classId: null,
  instanceId: null,
  wear: '0.2',
  stickerIds: '',
  chance: null,
})

test('two looks at a name show what moved, came and went', () => {
  const book = createListingBook(emptyGameBook)
  const name = 'AK-47 | Redline (Field-Tested)'
  const kinds = (listings: readonly FoundListing[]) =>
    book
      .compare(name, listings)
      .map((c) => `${c.kind} ${c.kind === 'upsert' ? c.listing.rawId : c.rawId}`)
  assert.deepEqual(kinds([found('1', 10n), found('2', 20n)]), ['upsert 1', 'upsert 2'])
  assert.deepEqual(kinds([found('1', 10n), found('2', 20n)]), [])
  assert.deepEqual(kinds([found('2', 25n), found('3', 30n)]), ['price 2', 'upsert 3', 'remove 1'])
  assert.deepEqual(kinds([]), ['remove 2', 'remove 3'])
})

test('a new listing whose phase a search does not show waits for the export', () => {
  const book = createListingBook(emptyGameBook)
  const name = '★ Karambit | Doppler (Factory New)'
  assert.deepEqual(book.compare(name, [found('1', 10n)]), [])
  const listing = read()
  assert.ok(listing)
  book.put(listing)
  assert.deepEqual(book.compare(name, [found(listing.rawId, 700n)]), [
    { kind: 'price', rawId: listing.rawId, priceMills: 700n },
  ])
})

test('replies of the socket are distinguished', () => {
  for (const [message, kind] of [
    [{}, 'ping'],
    [{ id: 1, connect: { client: 'c' } }, 'connected'],
    [{ id: 2, subscribe: {} }, 'subscribed'],
    [{ id: 3, refresh: { ttl: 60 } }, 'refreshed'],
    [{ id: 1, error: { code: 3500, message: 'invalid token' } }, 'refused'],
    [
      {
        push: {
          channel: 'public:items:730:usd',
          pub: { data: { name_id: 63339, price: '13.754' } },
        },
      },
      'name-changed',
    ],
    [
      { push: { channel: 'public:items:730:usd', pub: { data: { name_id: '63339' } } } },
      'name-changed',
    ],
    [{ push: { channel: 'another', pub: { data: { name_id: 63339 } } } }, 'other'],
    [{ push: { channel: 'public:items:730:usd', pub: { data: {} } } }, 'other'],
    [{ push: false }, 'other'],
    [[], 'other'],
    [null, 'other'],
    [undefined, 'other'],
  ] as const) {
    assert.equal(readReply(message).kind, kind, JSON.stringify(message))
  }
})
