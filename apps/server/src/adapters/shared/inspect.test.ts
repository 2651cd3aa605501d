import assert from 'node:assert/strict'
import { test } from 'node:test'
import { generateHex } from '@csfloat/cs2-inspect-serializer'
import { emptyGameBook, type GameBook } from './game-book.ts'
import { inspect, inspectTokenOf } from './inspect.ts'

const wear = Math.fround(0.6336590647697449)
const token = generateHex({
  defindex: 7,
  paintindex: 474,
  paintseed: 306,
  paintwear: wear,
  rarity: 6,
  stickers: [
    { slot: 0, stickerId: 18, wear: 0.5 },
    { slot: 3, stickerId: 19 },
  ],
  keychains: [{ slot: 0, stickerId: 4, pattern: 777 }],
}).toUpperCase()

const book: GameBook = {
  ...emptyGameBook,
  sticker: (id) => (id === 18 ? { name: 'Sticker | Black Dog', iconUrl: 'hash' } : null),
  charm: (id) => (id === 4 ? { name: "Charm | Lil' Sandy", iconUrl: 'sandy' } : null),
}

test('the token of an inspect link is found in each way of writing it', () => {
  for (const link of [
    token,
    token.toLowerCase(),
    `steam://run/730//+csgo_econ_action_preview%20${token}`,
    `steam://rungame/730/76561202255233023/+csgo_econ_action_preview ${token}`,
  ]) {
    assert.equal(inspectTokenOf(link), token)
  }
})

test('older links and nonsense carry no token', () => {
  for (const link of [
    null,
    '',
    'steam://rungame/730/1/+csgo_econ_action_preview%20S76561198084749846A698323590D7935523998312483177',
    'ABC',
    `${token}A`.slice(0, token.length + 1),
    `x${token}`,
  ]) {
    assert.equal(inspectTokenOf(link), null, String(link))
  }
})

test('a token says what the item is', () => {
  const item = inspect(token, book)
  assert.ok(item)
  assert.equal(Math.fround(Number(item.wear)), wear)
  assert.deepEqual([item.paintSeed, item.paintIndex], [306, 474])
  assert.deepEqual(item.stickers, [
    { name: 'Sticker | Black Dog', iconUrl: 'hash', slot: 0, wear: 0.5 },
    { name: 'Sticker #19', iconUrl: '', slot: 3, wear: null },
  ])
  assert.deepEqual(item.charm, { name: "Charm | Lil' Sandy", iconUrl: 'sandy', pattern: 777 })
})

test('a token that is rubbish is no item and throws nothing', () => {
  for (const rubbish of ['00', 'FFFFFFFFFFFFFFFF', '0'.repeat(200), 'DEADBEEFDEADBEEF']) {
    assert.doesNotThrow(() => inspect(rubbish, book))
  }
})

test('a thing without a finish has neither wear nor seed', () => {
  const plain = generateHex({
    defindex: 1209,
    paintindex: 0,
    paintwear: 0,
    rarity: 3,
    stickers: [],
    keychains: [],
  })
  const item = inspect(plain, book)
  assert.deepEqual([item?.wear, item?.paintSeed, item?.paintIndex], [null, null, null])
})
