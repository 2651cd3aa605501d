import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { TSchema } from 'typebox'
import { isDate, isDateTime, isEmail, isUuid } from './patterns.ts'
import {
  AmountString,
  ExternalId,
  FilterList,
  filterListOf,
  ITEM_CATEGORIES,
  ItemId,
  ListingId,
  ListingRawId,
  PlatformId,
  PositiveAmountString,
  SubUserExternalId,
  textLine,
} from './primitives.ts'
import { compile } from './testing/validator.ts'

function table(schema: TSchema, { good, bad }: { good: unknown[]; bad: unknown[] }): void {
  const accepts = compile(schema)
  for (const value of good) assert.ok(accepts(value), `${JSON.stringify(value)} should pass`)
  for (const value of bad) assert.ok(!accepts(value), `${JSON.stringify(value)} should not pass`)
}

const ZEROS = ['0', '0.0', '0.00']

describe('amounts', () => {
  const good = ['1', '0.01', '0.1', '0.10', '0.99', '5.50', '10', '999999999.99', '100.0', '20.05']
  const bad = [
    ...['', ' ', '.', '.5', '5.', '00', '01', '01.5', '1.234', '-1', '+1', '1e3', '1,5', '0x1'],
    ...['1000000000', '5.50 ', ' 5.50', '5.50\n', '٥', 'NaN', 'Infinity', 5.5, 5, null, ['1']],
  ]
  test('are decimal strings with at most two decimals', () => {
    table(AmountString, { good: [...good, ...ZEROS], bad })
  })
  test('that move money are never zero', () => {
    table(PositiveAmountString, { good, bad: [...bad, ...ZEROS] })
  })
  test('of zero aside, both spellings agree on every number of cents up to 20.00', () => {
    const any = compile(AmountString)
    const positive = compile(PositiveAmountString)
    for (let cents = 0; cents <= 2000; cents++) {
      const text = `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`
      for (const spelling of [text, text.slice(0, -1), text.slice(0, -3)]) {
        assert.ok(any(spelling), spelling)
        assert.equal(positive(spelling), Number(spelling) > 0, spelling)
      }
    }
  })
})

describe('ids', () => {
  test('of items are 16 lower-case hex digits', () => {
    table(ItemId, {
      good: ['0123456789abcdef', 'ffffffffffffffff'],
      bad: ['0123456789ABCDEF', '0123456789abcde', '0123456789abcdef0', 'g123456789abcdef', 1],
    })
  })
  test('of listings are numbers of at most 18 digits as text', () => {
    table(ListingId, {
      good: ['0', '7', '999999999999999999'],
      bad: ['', '01', '-1', '1.0', '1000000000000000000', 'x', 12],
    })
  })
  test('of suppliers carry the name of their market', () => {
    table(ListingRawId, {
      good: ['market_a:4700012345', 'market_b:38211234567'],
      bad: ['market_c:1', 'market_a:', '4700012345', 'market_a:1 2', 'market_a:1;', 'market_a'],
    })
  })
  test('of platform accounts are 17 digits', () => {
    table(PlatformId, {
      good: ['76561197960265729', '76561198000000001', '76561202255233023'],
      bad: [
        '7656119800000000',
        '765611980000000011',
        '12345678901234567',
        76561198,
        '7656119800000000x',
      ],
    })
  })
  test('of our own are UUIDs in either case', () => {
    assert.ok(isUuid('019b2c3d-4e5f-7a6b-8c7d-9e0f1a2b3c4d'))
    assert.ok(isUuid('019B2C3D-4E5F-7A6B-8C7D-9E0F1A2B3C4D'))
    for (const bad of [
      '',
      '019b2c3d4e5f7a6b8c7d9e0f1a2b3c4d',
      `{${'0'.repeat(36)}}`,
      'urn:uuid:x',
    ]) {
      assert.ok(!isUuid(bad), bad)
    }
  })
})

test('a reference has 1 to 128 characters and none that a database or a log would choke on', () => {
  table(ExternalId, {
    good: ['a', 'order #7 / ä', '😀'.repeat(128), 'x'.repeat(128), '019b2c3d'],
    bad: [
      '',
      'x'.repeat(129),
      '😀'.repeat(129),
      'a\u0000b',
      'a\nb',
      'a\u007fb',
      'a\u0085b',
      '\ud800',
      7,
    ],
  })
})

test('a line that a person types has something to see', () => {
  table(textLine(8), {
    good: ['a', ' a ', '?', 'ä\u0301', '😀', 'א', '\u202eabc'],
    bad: [
      '',
      ' ',
      '\u00a0',
      '\u200b',
      '\u2060 \u200d',
      '\ufeff',
      '\u202e',
      '\u3164',
      'a\nb',
      'x'.repeat(9),
    ],
  })
})

describe('comma-separated filters', () => {
  test('have values of 1 to 128 characters', () => {
    table(FilterList, {
      good: ['Rifle', 'Rifle,Knife', 'The Dust 2 Collection,The Cache Collection', 'x'.repeat(128)],
      bad: ['', ',', 'a,', ',a', 'a,,b', 'x'.repeat(129), `a,${'x'.repeat(129)}`, 'a\u0000'],
    })
  })
  test('over a closed set know every value of it and no other', () => {
    table(filterListOf(ITEM_CATEGORIES), {
      good: [...ITEM_CATEGORIES, ITEM_CATEGORIES.join(',')],
      bad: ['normal', 'StatTrak', 'Normal,', 'Normal,Other', ''],
    })
  })
})

describe('times', () => {
  test('are RFC 3339 with an offset, on a day that exists', () => {
    const good = [
      ...['2026-11-21T09:30:00Z', '2026-11-21T09:30:00.000Z', '2026-11-21t09:30:00z'],
      ...['2024-02-29T23:59:59+14:00', '2000-02-29T00:00:00-00:30', '0001-01-01T00:00:00Z'],
    ]
    const bad = [
      ...['', '2026-11-21', '2026-11-21T09:30:00', '2026-11-21 09:30:00Z', '2026-11-21T09:30Z'],
      ...['2023-02-29T00:00:00Z', '1900-02-29T00:00:00Z', '2026-04-31T00:00:00Z'],
      ...['2026-13-01T00:00:00Z', '2026-00-01T00:00:00Z', '2026-01-00T00:00:00Z'],
      ...['0000-01-01T00:00:00Z', '2026-11-21T24:00:00Z', '2026-11-21T23:60:00Z'],
      ...[
        '2026-11-21T23:59:60Z',
        '2026-11-21T09:30:00+0100',
        '+2026-11-21T09:30:00Z',
        '1763717400',
      ],
    ]
    for (const value of good) assert.ok(isDateTime(value), value)
    for (const value of bad) assert.ok(!isDateTime(value), value)
  })
  test('that pass are instants that JavaScript reads', () => {
    for (const value of ['2024-02-29T23:59:59+14:00', '2026-11-21T09:30:00.123456Z']) {
      assert.ok(isDateTime(value))
      assert.ok(!Number.isNaN(Date.parse(value)))
    }
  })
  test('of days have no hour', () => {
    assert.ok(isDate('2026-11-21'))
    for (const bad of ['2026-11-31', '2026-11-21T00:00:00Z', '26-11-21']) assert.ok(!isDate(bad))
  })
})

test('an email has a name, a host with a dot, and ordinary characters', () => {
  for (const good of ['a@b.co', 'ada.lovelace+x@mail.example.com', `${'x'.repeat(64)}@b.co`]) {
    assert.ok(isEmail(good), good)
  }
  for (const bad of [
    '',
    'a',
    'a@b',
    '@b.co',
    'a@',
    'a b@c.de',
    'a@b.co\n',
    'a@-b.co',
    'a@@b.co',
    `${'x'.repeat(65)}@b.co`,
  ]) {
    assert.ok(!isEmail(bad), bad)
  }
})

test('a reference is no step in the path of a URL', () => {
  for (const schema of [ExternalId, SubUserExternalId]) {
    table(schema, { good: ['...', '.a', 'a.', '..a', '%2e', 'a'], bad: ['.', '..'] })
  }
})
