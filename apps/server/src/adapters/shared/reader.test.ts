import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  fieldsOf,
  flagOf,
  idOf,
  integerOf,
  millsOfDecimal,
  own,
  parseJson,
  pictureOf,
  priceOf,
  smallIntegerOf,
  textOf,
  wearOf,
} from './reader.ts'

/** Things that a supplier may send in any place. */
const RUBBISH: readonly unknown[] = [
  undefined,
  null,
  false,
  true,
  '',
  'x',
  '1e3',
  '0x10',
  Number.NaN,
  Number.POSITIVE_INFINITY,
  {},
  [],
  [1],
  () => 1,
  Symbol('s'),
]

test('nothing that a supplier may send makes a reader throw', () => {
  const readers = [
    fieldsOf,
    flagOf,
    idOf,
    integerOf,
    millsOfDecimal,
    pictureOf,
    priceOf,
    smallIntegerOf,
    textOf,
    wearOf,
  ]
  for (const read of readers) for (const value of RUBBISH) assert.doesNotThrow(() => read(value))
})

test('rubbish is no id, no number, no price, no amount and no wear', () => {
  for (const read of [idOf, integerOf, priceOf, millsOfDecimal, wearOf]) {
    for (const value of RUBBISH) assert.equal(read(value), null, `${read.name} ${String(value)}`)
  }
})

test('a text is one that PostgreSQL takes', () => {
  assert.equal(textOf('Обмен 龍 😀'), 'Обмен 龍 😀')
  assert.equal(textOf('a\0b\ud83d'), 'a\uFFFDb\uFFFD')
})

test('an id may be a number or digits; zero and what is rounded already are none', () => {
  assert.equal(idOf(11392691554), '11392691554')
  assert.equal(idOf('53523211386'), '53523211386')
  assert.equal(idOf('007'), '7')
  for (const none of [0, '0', -5, '-5', 1.5, 2 ** 53, '1234567890123456789']) {
    assert.equal(idOf(none), null, String(none))
  }
})

test('a price is whole mills above zero and below what anything costs', () => {
  assert.equal(priceOf('000000001234'), 1234n)
  assert.equal(priceOf(623), 623n)
  for (const none of [0, -1, 1.5, '1.5', 10_000_000_001]) assert.equal(priceOf(none), null)
})

test('decimal dollars become mills exactly or not at all', () => {
  assert.equal(millsOfDecimal('13.754'), 13_754n)
  assert.equal(millsOfDecimal(0.54), 540n)
  assert.equal(millsOfDecimal(123.45), 123_450n)
  assert.equal(millsOfDecimal('7'), 7_000n)
  assert.equal(millsOfDecimal('7.1000000'), 7_100n)
  assert.equal(millsOfDecimal('-2.5'), -2_500n)
  assert.equal(millsOfDecimal('999999999999.999'), 999_999_999_999_999n)
  for (const none of ['1.2345', 0.1 + 0.2, 1e-7, '1,5', ' ', '.5', '5.', '1e3', 1e21]) {
    assert.equal(millsOfDecimal(none), null, String(none))
  }
})

test('truth comes in several spellings, and silence is neither', () => {
  for (const yes of [true, 1, '1', 'true']) assert.equal(flagOf(yes), true)
  for (const no of [false, 0, '0', 'false']) assert.equal(flagOf(no), false)
  for (const silent of [null, undefined, '', 2, 'yes', {}]) assert.equal(flagOf(silent), null)
})

test('wear keeps the spelling of the market and stays between 0 and 1', () => {
  assert.equal(wearOf('0.14540666341782'), '0.14540666341782')
  assert.equal(wearOf(0.15000000596046448), '0.15000000596046448')
  assert.equal(wearOf(1e-7), '0.0000001')
  assert.equal(wearOf(1), '1')
  for (const none of ['0', 0, '1.5', -0.1, 2, '0.1f']) assert.equal(wearOf(none), null)
})

test('a picture is an address or a bare hash, never a script', () => {
  assert.equal(pictureOf('https://example.com/a.jpg'), 'https://example.com/a.jpg')
  assert.equal(
    pictureOf('-9a81dlWLwJ2UUGcVs_nsVtzdOEdtWwKGZZLQHTxDZ7I56KU0Zw'),
    '-9a81dlWLwJ2UUGcVs_nsVtzdOEdtWwKGZZLQHTxDZ7I56KU0Zw',
  )
  for (const none of [
    'javascript:alert(1)',
    'data:image/png;base64,x',
    'https://a/"onerror=',
    '<b>',
  ]) {
    assert.equal(pictureOf(none), '', none)
  }
})

test('only own fields are read', () => {
  const fields = fieldsOf(parseJson('{"a":1,"__proto__":{"b":2}}')) ?? {}
  assert.equal(own(fields, 'a'), 1)
  assert.equal(own(fields, 'b'), undefined)
  assert.equal(own(fields, 'constructor'), undefined)
  assert.equal(own(fields, 'toString'), undefined)
})

test('what is no JSON is undefined', () => {
  for (const text of ['', '<html>', '{"a":', 'NaN']) assert.equal(parseJson(text), undefined)
})
