import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createExportQueue } from './export-queue.ts'

function queueOf(send: (spans: readonly number[]) => Promise<boolean>) {
  const dropped: [string, number][] = []
  const queue = createExportQueue<number>({
    ...{ send, most: 4, batch: 2, everyMs: 60_000 },
    onDropped: (reason, count) => dropped.push([reason, count]),
  })
  return { queue, dropped }
}

describe('spans on their way to a collector', () => {
  it('leave in batches, one after the other', async () => {
    const sent: (readonly number[])[] = []
    let underWay = 0
    const { queue } = queueOf(async (spans) => {
      assert.equal(++underWay, 1)
      await new Promise(setImmediate)
      underWay--
      sent.push(spans)
      return true
    })
    for (const span of [1, 2, 3]) queue.add(span)
    await queue.stop(10_000)
    assert.deepEqual(sent, [[1, 2], [3]])
  })

  it('are dropped and counted when a collector that hangs leaves no room', async () => {
    const { queue, dropped } = queueOf(() => new Promise(() => {}))
    for (let span = 0; span < 1000; span++) queue.add(span)
    assert.equal(queue.waiting(), 4)
    assert.equal(dropped.length, 1000 - 2 - 4)
    assert.ok(dropped.every(([reason]) => reason === 'queue_full'))
    await queue.stop(0)
    assert.deepEqual(dropped.at(-1), ['not_taken', 4])
    assert.equal(queue.waiting(), 0)
  })

  it('are counted when the collector does not take them, and the next ones are sent all the same', async () => {
    const answers = [false, true]
    const sent: (readonly number[])[] = []
    const { queue, dropped } = queueOf(async (spans) => {
      sent.push(spans)
      return answers.shift() ?? true
    })
    for (const span of [1, 2, 3]) queue.add(span)
    await queue.stop(10_000)
    assert.deepEqual(dropped, [['not_taken', 2]])
    assert.deepEqual(sent, [[1, 2], [3]])
  })
})
