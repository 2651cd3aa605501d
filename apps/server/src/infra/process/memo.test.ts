import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manualClock } from '../testing/clock.ts'
import { createKeyedMemo, createMemo, memoized } from './memo.ts'

test('reads within the time share one load, and the next one loads again', async () => {
  const clock = manualClock()
  let loads = 0
  const read = createMemo(async () => ++loads, { clock, freshMs: 1000 })
  assert.deepEqual(await Promise.all([read(), read()]), [1, 1])
  clock.advance(999)
  assert.equal(await read(), 1)
  clock.advance(1)
  assert.equal(await read(), 2)
})

test('a clock that is set back does not make a value fresh for longer', async () => {
  const clock = manualClock()
  let loads = 0
  const read = createMemo(async () => ++loads, { clock, freshMs: 1000 })
  await read()
  clock.advance(-3_600_000)
  assert.equal(await read(), 2)
})

test('a value ages while it is loaded: a later read does not wait for an old load', async () => {
  const clock = manualClock()
  const loads: ((value: number) => void)[] = []
  const read = createMemo(() => new Promise<number>((resolve) => loads.push(resolve)), {
    clock,
    freshMs: 1000,
  })
  void read()
  clock.advance(1000)
  const later = read()
  loads[1]?.(2)
  assert.equal(await later, 2)
})

test('a failure reaches all who wait for it and is not kept', async () => {
  let loads = 0
  const read = createMemo(
    async () => {
      if (++loads === 1) throw new Error('down')
      return loads
    },
    { clock: manualClock(), freshMs: 1000 },
  )
  const results = await Promise.allSettled([read(), read()])
  assert.deepEqual(
    results.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  assert.equal(await read(), 2)
})

test('what must not be kept is given to those who wait for it only', async () => {
  let loads = 0
  const read = createMemo<number | null>(async () => (++loads === 1 ? null : loads), {
    clock: manualClock(),
    freshMs: 1000,
    isKept: (value) => value !== null,
  })
  assert.equal(await read(), null)
  assert.equal(await read(), 2)
  assert.equal(await read(), 2)
})

test('keys are kept apart, and the key that was used longest ago leaves first', async () => {
  const loads: string[] = []
  const memo = createKeyedMemo<string>({ clock: manualClock(), freshMs: 1000, max: 2 })
  const read = (key: string) =>
    memo(key, async () => {
      loads.push(key)
      return key
    })
  for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) assert.equal(await read(key), key)
  assert.deepEqual(loads, ['a', 'b', 'c', 'b'])
})

test('a pure function is called once for a text while the text is remembered', () => {
  let calls = 0
  const sizeOf = memoized(1, (text) => ({ size: text.length, call: ++calls }))
  assert.deepEqual(
    [sizeOf('ab').call, sizeOf('ab').call, sizeOf('c').call, sizeOf('ab').call],
    [1, 1, 2, 3],
  )
})

test('what is forgotten is loaded again, also while the load before it is under way', async () => {
  const answers: ((value: string) => void)[] = []
  const memo = createKeyedMemo<string>({ clock: manualClock(), freshMs: 1000, max: 2 })
  const read = () => memo('key', () => new Promise<string>((resolve) => answers.push(resolve)))
  const before = read()
  memo.forget()
  const after = read()
  answers[1]?.('new')
  answers[0]?.('old')
  assert.deepEqual(await Promise.all([before, after, read()]), ['old', 'new', 'new'])
})
