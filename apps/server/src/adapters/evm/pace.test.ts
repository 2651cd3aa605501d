import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manualClock } from '#infra/testing/clock'
import { createPace } from './pace.ts'

function paced(callsPerSecond: number) {
  const clock = manualClock()
  const waits: number[] = []
  const pause = async (milliseconds: number) => void waits.push(Math.max(0, milliseconds))
  return { clock, waits, pace: createPace({ callsPerSecond, clock, pause }) }
}

test('a second of calls goes out at once, and more of them one after the other', async () => {
  const { pace, waits } = paced(25)
  for (let call = 0; call < 30; call += 1) await pace.turn(1)
  assert.deepEqual(
    waits.slice(0, 25),
    Array.from({ length: 25 }, () => 0),
  )
  assert.deepEqual(waits.slice(25), [40, 80, 120, 160, 200])
})

test('a batch counts as its calls, and what is idle saves up one second', async () => {
  const { pace, waits, clock } = paced(10)
  await pace.turn(20)
  clock.advance(60_000)
  await pace.turn(10)
  await pace.turn(5)
  assert.deepEqual(waits, [1000, 0, 500])
})

test('without a pace nothing waits', async () => {
  const { pace, waits } = paced(0)
  await pace.turn(1000)
  assert.deepEqual(waits, [])
})
