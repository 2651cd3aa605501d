import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { mapAtOnce } from './at-once.ts'

test('no more than so many are under way, each is asked once, and the answers are in order', async () => {
  const asked: number[] = []
  let underWay = 0
  let most = 0
  const answers = await mapAtOnce([5, 4, 3, 2, 1, 0], 3, async (turns) => {
    asked.push(turns)
    underWay += 1
    most = Math.max(most, underWay)
    for (let i = 0; i <= turns; i++) await nextTurn()
    underWay -= 1
    return 10 * turns
  })
  assert.deepEqual(answers, [50, 40, 30, 20, 10, 0])
  assert.deepEqual([asked.length, most], [6, 3])
})

test('after a failure nothing further is asked for', async () => {
  const asked: number[] = []
  const work = mapAtOnce([0, 1, 2, 3, 4, 5], 2, async (entry) => {
    asked.push(entry)
    await nextTurn()
    if (entry === 1) throw new Error('no answer')
  })
  await assert.rejects(work, /no answer/)
  for (let i = 0; i < 10; i++) await nextTurn()
  assert.deepEqual(asked, [0, 1, 2])
})
