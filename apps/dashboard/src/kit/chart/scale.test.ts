import assert from 'node:assert/strict'
import { it } from 'node:test'
import { barsOf, marksOf } from './scale.ts'

it('marks are round numbers from zero to the top or just above it', () => {
  const of = (top: number, least = 1) => marksOf(top, { count: 4, least })
  assert.deepEqual(of(8), [0, 2, 4, 6, 8])
  assert.deepEqual(of(7), [0, 2, 4, 6, 8])
  assert.deepEqual(of(1234), [0, 500, 1000, 1500])
  assert.deepEqual(of(987_654), [0, 500_000, 1_000_000])
})

it('marks are at least as far apart as what is counted: no half of a trade, no half cent', () => {
  assert.deepEqual(marksOf(1, { count: 4, least: 1 }), [0, 1])
  assert.deepEqual(marksOf(3, { count: 4, least: 1 }), [0, 1, 2, 3])
  assert.deepEqual(marksOf(0.03, { count: 4, least: 0.01 }), [0, 0.01, 0.02, 0.03])
  assert.deepEqual(marksOf(0.3, { count: 4, least: 0.01 }), [0, 0.1, 0.2, 0.3])
})

it('marks of any top begin at zero, end at or above it, and are few', () => {
  for (let top = 0.01; top < 1e9; top *= 1.37) {
    const marks = marksOf(top, { count: 4, least: 0.01 })
    assert.equal(marks[0], 0)
    assert.ok((marks.at(-1) ?? 0) >= top * (1 - 1e-9), `${top}: ${marks}`)
    assert.ok(marks.length >= 2 && marks.length <= 6, `${top}: ${marks}`)
  }
})

it('bars fill their room with equal gaps', () => {
  const { width, leftOf } = barsOf(3, 10, 140)
  assert.deepEqual([width, leftOf(0), leftOf(1), leftOf(2)], [30, 20, 60, 100])
})
