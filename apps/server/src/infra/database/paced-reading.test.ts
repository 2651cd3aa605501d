import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { describe, test } from 'node:test'
import { setImmediate as nextRound } from 'node:timers/promises'
import { createPacedReading } from './paced-reading.ts'

const BYTES_A_ROUND = 100

/** Streams under one pace, and how many bytes each has brought. */
function reading(count: number) {
  const paced = createPacedReading(BYTES_A_ROUND)
  const brought = new Array<number>(count).fill(0)
  const streams = brought.map((_, i) => {
    const stream = new PassThrough()
    stream.on('data', (chunk: Buffer) => {
      brought[i] = (brought[i] as number) + chunk.length
    })
    paced(stream)
    return stream
  })
  return { streams, brought }
}

const chunk = (bytes: number): Buffer => Buffer.alloc(bytes, 'x')

describe('reading at a pace', () => {
  test('takes a large result in pieces of some rounds, and loses nothing of it', async () => {
    const { streams, brought } = reading(1)
    const [stream] = streams as [PassThrough]
    for (let i = 0; i < 20; i++) stream.write(chunk(60))
    const steps: number[] = []
    while (brought[0] !== 1200) {
      const before = brought[0] as number
      await nextRound()
      steps.push((brought[0] as number) - before)
      assert.ok(steps.length < 1000, `it goes on: ${steps}`)
    }
    // The piece that fills a round is the last of it.
    assert.ok(Math.max(...steps) <= BYTES_A_ROUND + 60, `${steps}`)
  })

  test('takes a small result at once while large ones wait for their turns', async () => {
    const { streams, brought } = reading(5)
    const [small, ...large] = streams as [PassThrough, ...PassThrough[]]
    for (const stream of large) for (let i = 0; i < 50; i++) stream.write(chunk(60))
    await nextRound()
    small.write(chunk(10))
    await nextRound()
    assert.equal(brought[0], 10)
    assert.ok(brought.slice(1).some((bytes) => bytes < 3000))
    for (let i = 0; brought.reduce((sum, bytes) => sum + bytes) < 4 * 3000 + 10; i++) {
      await nextRound()
      assert.ok(i < 1000, `${brought}`)
    }
  })

  test('gives each of several large results its turns', async () => {
    const { streams, brought } = reading(3)
    for (const stream of streams) for (let i = 0; i < 40; i++) stream.write(chunk(60))
    for (let i = 0; i < 15; i++) await nextRound()
    const most = Math.max(...brought)
    const least = Math.min(...brought)
    assert.ok(most < 2400, `not all is read yet: ${brought}`)
    assert.ok(most - least <= 2 * (BYTES_A_ROUND + 60), `${brought}`)
  })
})
