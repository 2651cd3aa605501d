import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EXTERIORS, exteriorOf, exteriorsWithin, wearWithin } from './exterior.ts'

test('a wear on a border belongs to the worse exterior', () => {
  const expected = new Map([
    [0, 'Factory New'],
    [0.0699, 'Factory New'],
    [0.07, 'Minimal Wear'],
    [0.15, 'Field-Tested'],
    [0.38, 'Well-Worn'],
    [0.45, 'Battle-Scarred'],
    [1, 'Battle-Scarred'],
  ])
  for (const [wear, name] of expected) assert.equal(exteriorOf(wear), name)
})

test('a finish has the exteriors that its range reaches into, and none that it only touches', () => {
  const names = (range: readonly [number, number]): string[] =>
    exteriorsWithin(range).map(({ exterior }) => exterior.name)
  assert.deepEqual(names([0, 0.08]), ['Factory New', 'Minimal Wear'])
  assert.deepEqual(names([0, 0.38]), ['Factory New', 'Minimal Wear', 'Field-Tested'])
  assert.deepEqual(names([0.15, 0.8]), ['Field-Tested', 'Well-Worn', 'Battle-Scarred'])
  assert.deepEqual(names([0.06, 0.8]).length, 5)
})

test('a wear is a float32 inside its band, at both ends too', () => {
  for (const { from, to, name } of EXTERIORS) {
    for (const share of [0, 0.5, 1 - 2 ** -32]) {
      const wear = wearWithin([from, to], share)
      assert.equal(Math.fround(wear), wear)
      assert.ok(wear > from && wear < to)
      assert.equal(exteriorOf(wear), name)
      assert.doesNotMatch(String(wear), /e/)
    }
  }
})
