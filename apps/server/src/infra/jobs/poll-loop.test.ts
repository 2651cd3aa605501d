import assert from 'node:assert/strict'
import { afterEach, beforeEach, mock, test } from 'node:test'
import { type PollLoop, type PollLoopOptions, startPollLoop } from './poll-loop.ts'

let loop: PollLoop | undefined

beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }))
afterEach(async () => {
  await loop?.stop()
  mock.timers.reset()
})

/** Timers pass by hand; what they begin runs to its next wait. */
async function pass(milliseconds: number): Promise<void> {
  mock.timers.tick(milliseconds)
  await new Promise((resolve) => setImmediate(resolve))
}

/** Counts its runs; polls every 1000 ms and rests for 100. */
function counting(options: Partial<PollLoopOptions> = {}): { runs(): number } {
  let runs = 0
  loop = startPollLoop({
    pollMs: 1000,
    restMs: 100,
    onError: () => {},
    ...options,
    run: async (signal) => {
      runs++
      return options.run?.(signal)
    },
  })
  return { runs: () => runs }
}

test('a loop runs at once, and then in its rhythm', async () => {
  const { runs } = counting()
  await pass(0)
  assert.equal(runs(), 1)
  await pass(999)
  assert.equal(runs(), 1)
  await pass(1)
  assert.equal(runs(), 2)
})

test('a loop may begin later, or only when woken', async () => {
  const { runs } = counting({ pollMs: Number.POSITIVE_INFINITY, firstMs: Number.POSITIVE_INFINITY })
  await pass(1_000_000)
  assert.equal(runs(), 0)
  loop?.wake()
  await pass(0)
  assert.equal(runs(), 1)
  await pass(1_000_000)
  assert.equal(runs(), 1)
})

test('a wake begins a run at once, and many wakes of one turn begin one', async () => {
  const { runs } = counting()
  await pass(0)
  await pass(500)
  for (let i = 0; i < 10; i++) loop?.wake()
  await pass(0)
  assert.equal(runs(), 2)
  await pass(999)
  assert.equal(runs(), 2, 'the rhythm begins again after the woken run')
})

test('woken runs are a rest apart, and a wake during the rest is not lost', async () => {
  const { runs } = counting()
  await pass(0)
  loop?.wake()
  await pass(99)
  assert.equal(runs(), 1)
  await pass(1)
  await pass(0)
  assert.equal(runs(), 2)
  await pass(200)
  assert.equal(runs(), 2)
})

test('a wake during a run begins another run after it, and runs never overlap', async () => {
  let end = (): void => {}
  let under = 0
  let most = 0
  const { runs } = counting({
    run: async () => {
      most = Math.max(most, ++under)
      await new Promise<void>((resolve) => (end = resolve))
      under--
    },
  })
  await pass(0)
  loop?.wake()
  await pass(5000)
  assert.equal(runs(), 1)
  end()
  await pass(0)
  await pass(100)
  await pass(0)
  assert.deepEqual([runs(), most], [2, 1])
  end()
})

test('what a run returns replaces the pause after it, and only that one', async () => {
  let left = 3
  const { runs } = counting({ run: async () => (--left > 0 ? { pollMs: 0 } : undefined) })
  for (let i = 0; i < 5; i++) await pass(0)
  assert.equal(runs(), 3)
  await pass(1000)
  assert.equal(runs(), 4)
})

test('a failed run is reported with the failures in a row, and the loop goes on', async () => {
  const failures: number[] = []
  let fails = true
  const { runs } = counting({
    run: async () => {
      if (fails) throw new Error('not now')
    },
    onError: (_, inARow) => {
      failures.push(inARow)
      return { pollMs: 10 * inARow }
    },
  })
  await pass(0)
  await pass(10)
  assert.deepEqual(failures, [1, 2])
  await pass(19)
  assert.equal(runs(), 2)
  fails = false
  await pass(1)
  assert.equal(runs(), 3)
  fails = true
  await pass(1000)
  assert.deepEqual(failures, [1, 2, 1])
})

test('stopping aborts the signal, waits for the run and begins no other', async () => {
  let signal: AbortSignal | undefined
  let end = (): void => {}
  const { runs } = counting({
    run: async (given) => {
      signal = given
      await new Promise<void>((resolve) => (end = resolve))
    },
  })
  await pass(0)
  loop?.wake()
  let isStopped = false
  const stopped = loop?.stop().then(() => (isStopped = true))
  await pass(0)
  assert.deepEqual([signal?.aborted, isStopped], [true, false])
  end()
  await stopped
  await pass(5000)
  assert.equal(runs(), 1)
})
