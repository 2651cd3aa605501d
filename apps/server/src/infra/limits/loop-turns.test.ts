import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate as nextRound } from 'node:timers/promises'
import { createLoopTurns } from './loop-turns.ts'

/** Every ask waits. */
const SPENT_AT_ONCE = { sliceMs: Number.NEGATIVE_INFINITY, perRound: 2 }

function asker(bounds: { readonly sliceMs: number; readonly perRound: number }) {
  const inTurn = createLoopTurns(bounds)
  const order: string[] = []
  const ask = async (source: string): Promise<void> => {
    await inTurn(source)
    order.push(source)
  }
  return { inTurn, ask, order }
}

describe('turns on the event loop', () => {
  test('are not waited for while the round has time', () => {
    const { inTurn } = asker({ sliceMs: 60_000, perRound: 2 })
    for (let i = 0; i < 1000; i++) assert.equal(inTurn('a'), null)
  })

  test('go round by source, so that one with a hundred waiting delays another by one turn', async () => {
    const { ask, order } = asker(SPENT_AT_ONCE)
    const many = Array.from({ length: 100 }, () => ask('many'))
    const one = ask('one')
    await one
    assert.deepEqual(order, ['many', 'one'])
    await Promise.all(many)
    assert.equal(order.length, 101)
  })

  test('are given to so many in one round of the loop, and the rest waits for later rounds', async () => {
    const { ask, order } = asker(SPENT_AT_ONCE)
    const asked = Array.from({ length: 5 }, () => ask('a'))
    const seen: number[] = []
    while (order.length < 5) {
      await nextRound()
      seen.push(order.length)
    }
    await Promise.all(asked)
    for (const [i, count] of seen.entries()) assert.ok(count - (seen[i - 1] ?? 0) <= 2, `${seen}`)
  })

  test('of a source are in the order in which they were asked for', async () => {
    const inTurn = createLoopTurns(SPENT_AT_ONCE)
    const order: number[] = []
    const ask = async (i: number): Promise<void> => {
      await inTurn('a')
      order.push(i)
    }
    await Promise.all(Array.from({ length: 20 }, (_, i) => ask(i)))
    assert.deepEqual(order, [...Array(20).keys()])
  })

  test('of what comes while others wait are not taken before them', async () => {
    const { ask, order } = asker({ ...SPENT_AT_ONCE, perRound: 1 })
    const waiting = [ask('a'), ask('a'), ask('a')]
    await nextRound()
    await Promise.all([...waiting, ask('b')])
    assert.equal(order.filter((source) => source === 'a').length, 3)
    assert.ok(order.indexOf('b') > 0, `${order}`)
  })
})
