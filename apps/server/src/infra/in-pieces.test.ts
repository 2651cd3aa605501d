import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inPieces, mapInPieces } from './in-pieces.ts'

const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i)

test('pieces are the whole list, in its order', async () => {
  const pieces: (readonly number[])[] = []
  for await (const piece of inPieces(upTo(7), 3)) pieces.push(piece)
  assert.deepEqual(pieces, [[0, 1, 2], [3, 4, 5], [6]])
  assert.deepEqual(await mapInPieces(upTo(7), 3, (entry) => 2 * entry), [0, 2, 4, 6, 8, 10, 12])
})

test('an empty list has no piece', async () => {
  assert.deepEqual(await mapInPieces([], 3, () => assert.fail('there is no entry')), [])
})

test('what came to the event loop meanwhile runs between two pieces', async () => {
  let turns = 0
  let isOver = false
  const count = (): void => {
    turns++
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const seen = await mapInPieces(upTo(6), 2, () => turns)
  isOver = true
  assert.deepEqual(new Set(seen).size, 3, `three pieces in ${turns} turns`)
})
