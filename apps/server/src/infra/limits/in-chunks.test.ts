import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { countingRounds } from '../testing/rounds.ts'
import { inChunks, mapInChunks, sortInChunks } from './in-chunks.ts'

const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i)

test('chunks are the whole list, in its order', async () => {
  const chunks: (readonly number[])[] = []
  for await (const chunk of inChunks(upTo(7), 3)) chunks.push(chunk)
  assert.deepEqual(chunks, [[0, 1, 2], [3, 4, 5], [6]])
  assert.deepEqual(await mapInChunks(upTo(7), 3, (entry) => 2 * entry), [0, 2, 4, 6, 8, 10, 12])
})

test('an empty list has no chunk', async () => {
  assert.deepEqual(await mapInChunks([], 3, () => assert.fail('there is no entry')), [])
})

test('what came to the event loop meanwhile runs between two chunks', async () => {
  const seen = await countingRounds((rounds) => mapInChunks(upTo(6), 2, rounds))
  assert.deepEqual(new Set(seen).size, 3, `three chunks in rounds ${seen}`)
})

test('a list of any length that is sorted in chunks is sorted, and equal entries keep their order', async () => {
  const lists = fc.array(fc.nat({ max: 500 }), { maxLength: 60 })
  await fc.assert(
    fc.asyncProperty(lists, fc.integer({ min: 1, max: 9 }), async (entries, size) => {
      const byTens = (left: number, right: number): number =>
        Math.floor(left / 10) - Math.floor(right / 10)
      const list = Int32Array.from(entries)
      await sortInChunks(list, size, byTens)
      assert.deepEqual([...list], entries.toSorted(byTens))
    }),
  )
})

test('between any two steps of so many a sort lets others run', async () => {
  const SIZE = 4
  let steps = 0
  let most = 0
  const compare = (left: number, right: number): number => {
    most = Math.max(most, ++steps)
    return left - right
  }
  let isOver = false
  const begin = (): void => {
    steps = 0
    if (!isOver) setImmediate(begin)
  }
  begin()
  await sortInChunks(Int32Array.from(upTo(64).reverse()), SIZE, compare)
  isOver = true
  assert.ok(most <= SIZE * Math.log2(SIZE), `${most} comparisons in one turn`)
})
