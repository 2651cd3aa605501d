import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decimalToMills, millsToDecimal, millsToUnits, shareOf } from './mills.ts'

test('mills are written with three decimals', () => {
  assert.equal(millsToDecimal(13_754), '13.754')
  assert.equal(millsToDecimal(5), '0.005')
  assert.equal(millsToDecimal(-1_200), '-1.200')
  assert.equal(millsToUnits(540), 0.54)
})

test('a decimal string is read exactly or not at all', () => {
  assert.equal(decimalToMills('12.34'), 12_340)
  assert.equal(decimalToMills('0.005'), 5)
  assert.equal(decimalToMills('7'), 7_000)
  for (const text of ['', '-1', '1.2345', '1e3', '01', '.5', '1.', ' 1']) {
    assert.equal(decimalToMills(text), null, text)
  }
})

test('a kept share is rounded down', () => {
  assert.equal(shareOf(999, 30), 299)
})
