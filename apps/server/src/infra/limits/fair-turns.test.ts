import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createFairTurns } from './fair-turns.ts'

const full = (): never => {
  throw new Error('full')
}

/** Starts work of a source that ends when `gate` does, and notes whose turn it was. */
function begin(bounds: { waitingPerSource: number; waiting: number }) {
  const inTurn = createFairTurns({ atOnce: 1, ...bounds }, full)
  const gate = Promise.withResolvers<void>()
  const order: string[] = []
  const start = (source: string): Promise<void> =>
    inTurn(source, async () => {
      order.push(source)
      await gate.promise
    })
  return { start, order, open: () => gate.resolve() }
}

describe('turns', () => {
  test('of a source that floods are refused beyond its share, and others wait one round at most', async () => {
    const { start, order, open } = begin({ waitingPerSource: 3, waiting: 32 })
    const flood = Array.from({ length: 40 }, () => start('flood'))
    const flooded = Promise.allSettled(flood)
    const other = start('other')
    open()
    await other
    const results = await flooded
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 4)
    assert.deepEqual(order, ['flood', 'flood', 'other', 'flood', 'flood'])
  })

  test('that a few sources have taken all of leave the next source one, of the one that has the most', async () => {
    const { start, order, open } = begin({ waitingPerSource: 3, waiting: 5 })
    const begun = [start('a'), start('a'), start('a'), start('b'), start('b'), start('b')]
    const settled = Promise.allSettled(begun)
    const other = start('other')
    await assert.rejects(start('b'), /full/)
    open()
    await other
    const refused = (await settled).map(({ status }) => status === 'rejected')
    assert.deepEqual(refused, [false, false, false, false, false, true])
    assert.deepEqual(order, ['a', 'a', 'b', 'other', 'a', 'b'])
  })

  test('of all sources together are bounded, and a failure hands its turn over', async () => {
    const { start, order, open } = begin({ waitingPerSource: 3, waiting: 2 })
    const begun = [start('a'), start('b'), start('c')]
    await assert.rejects(start('d'), /full/)
    open()
    await Promise.all(begun)
    assert.deepEqual(order, ['a', 'b', 'c'])

    const inTurn = createFairTurns({ atOnce: 1, waitingPerSource: 1, waiting: 1 }, full)
    await assert.rejects(
      inTurn('a', () => Promise.reject(new Error('failed'))),
      /failed/,
    )
    assert.equal(await inTurn('a', async () => 'done'), 'done')
  })
})
