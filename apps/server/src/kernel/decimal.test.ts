import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatDecimal, inverseOf, ONE_TOKEN, parseDecimal } from './decimal.ts'

test('an inverse has ten digits, half up, and no binary fraction', () => {
  const inverse = (text: string): string =>
    formatDecimal(inverseOf(parseDecimal(text) ?? ONE_TOKEN))
  assert.equal(inverse('1'), '1')
  assert.equal(inverse('1.161710037174721189'), '0.8608')
  assert.equal(inverse('3'), '0.3333333333')
  assert.equal(inverse('1.5'), '0.6666666667')
  assert.equal(inverse('3000'), '0.0003333333')
})
