import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deckOf, diceOf, shuffled } from './dice.ts'

const VALUES = ['a', 'b', 'c', 'd', 'e'] as const

test('the same seed throws the same numbers, and another seed others', () => {
  const throws = (seed: number): number[] => Array.from({ length: 5 }, diceOf(seed))
  assert.deepEqual(throws(7), throws(7))
  assert.notDeepEqual(throws(7), throws(8))
  for (const number of throws(7)) assert.ok(number >= 0 && number < 1)
})

test('a deck shows all of its values before one comes again, and one that is put back last', () => {
  const deck = deckOf(VALUES, diceOf(7))
  for (let round = 0; round < 3; round++) {
    const shown = VALUES.map(() => deck.next())
    assert.deepEqual(shown.toSorted(), VALUES)
  }
  const first = deck.next()
  deck.putBack(first)
  assert.equal(Array.from(VALUES, () => deck.next()).at(-1), first)
})

test('a shuffle keeps every value, also those that are there twice', () => {
  assert.deepEqual(shuffled(['a', 'a', 'b'], diceOf(7)).toSorted(), ['a', 'a', 'b'])
})
