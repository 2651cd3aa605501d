import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Permit, TakePermit } from '#infra/database/call-permits'
import type { ReserveSlot } from '#infra/database/call-slots'
import { systemClock } from '#infra/process/clock'
import { createPacer, type Urgency } from './pacer.ts'

/** A budget of one process: the slots are one spacing apart. */
function localSlots(): { readonly reserveSlot: ReserveSlot; readonly taken: number[] } {
  const taken: number[] = []
  let nextAtMs = 0
  return {
    taken,
    reserveSlot: async (_name, spacingMs, { maxWaitMs = 5_000 } = {}) => {
      const nowMs = performance.now()
      if (nextAtMs > nowMs + maxWaitMs) return { kind: 'refused', retryAfterMs: maxWaitMs }
      const atMs = Math.max(nextAtMs, nowMs)
      nextAtMs = atMs + spacingMs
      taken.push(atMs)
      return { kind: 'granted', waitMs: atMs - nowMs, giveBack: async () => {} }
    },
  }
}

/** Permits of one process; those of calls that ended are free at once. */
function localPermits(most: number): { readonly takePermit: TakePermit; out(): number } {
  let out = 0
  const end = async (): Promise<void> => {
    out--
  }
  const takePermit = async (): Promise<Permit | null> => {
    if (out >= most) return null
    out++
    return { end, giveBack: end }
  }
  return { takePermit, out: () => out }
}

const pacerOf = (
  reserveSlot: ReserveSlot,
  spacingMs = 20,
  { takePermit } = localPermits(Number.POSITIVE_INFINITY),
) =>
  createPacer({
    name: 'test',
    spacingMs,
    permits: { most: 1, lingerMs: 0, holdMs: 0 },
    reserveSlot,
    takePermit,
    clock: systemClock,
  })

test('purchases go before look-ups, look-ups before re-reads, however they came', async () => {
  const pacer = pacerOf(localSlots().reserveSlot)
  const order: Urgency[] = []
  const ask = (urgency: Urgency) =>
    pacer.take(urgency, 5_000).then((turn) => turn && order.push(urgency))
  // The first slot is free at once and goes to the first caller.
  await ask('re-read')
  await Promise.all([
    ask('re-read'),
    ask('look-up'),
    ask('purchase'),
    ask('look-up'),
    ask('purchase'),
  ])
  assert.deepEqual(order, ['re-read', 'purchase', 'purchase', 'look-up', 'look-up', 're-read'])
})

test('a look-up that waited long goes before purchases, every other turn at most', async () => {
  const pacer = pacerOf(localSlots().reserveSlot, 100)
  const order: Urgency[] = []
  const ask = (urgency: Urgency) => pacer.take(urgency, 60_000).then(() => order.push(urgency))
  await Promise.all([
    ...Array.from({ length: 12 }, () => ask('purchase')),
    ask('look-up'),
    ask('look-up'),
  ])
  const first = order.indexOf('look-up')
  assert.ok(first >= 2 && first <= 6, `after ${first} purchases`)
  assert.equal(order[first + 1], 'purchase')
  assert.equal(order[first + 2], 'look-up')
})

test('cancels, look-ups and purchases share the turns while all of them are many', async () => {
  const pacer = pacerOf(localSlots().reserveSlot, 10)
  const order: Urgency[] = []
  const ask = (urgency: Urgency) => pacer.take(urgency, 60_000).then(() => order.push(urgency))
  const many = (urgency: Urgency, count: number) =>
    Array.from({ length: count }, () => ask(urgency))
  await Promise.all([...many('purchase', 60), ...many('cancel', 60), ...many('look-up', 20)])
  // From when all have waited for long until the look-ups are served: half of the turns are purchases'.
  const from = order.indexOf('look-up')
  const shared = order.slice(from, order.lastIndexOf('look-up'))
  const countOf = (urgency: Urgency): number => shared.filter((one) => one === urgency).length
  assert.ok(countOf('purchase') >= 15, String(shared))
  assert.ok(countOf('cancel') >= 15, String(shared))
})

test('a caller whose patience ends gets no turn and takes no slot', async () => {
  const { reserveSlot, taken } = localSlots()
  const pacer = pacerOf(reserveSlot, 150)
  assert.ok(await pacer.take('purchase', 1_000))
  assert.equal(await pacer.take('re-read', 60), null)
  assert.equal(taken.length, 1)
})

test('a caller that is stopped leaves the turn to the next', async () => {
  const permits = localPermits(1)
  const pacer = pacerOf(localSlots().reserveSlot, 5, permits)
  const first = await pacer.take('purchase', 5_000)
  const stop = new AbortController()
  const stopped = pacer.take('purchase', 60_000, stop.signal)
  const next = pacer.take('look-up', 60_000)
  stop.abort()
  assert.equal(await stopped, null)
  first?.end()
  const turn = await next
  turn?.end()
  assert.equal(permits.out(), 0)
  assert.equal(await pacer.take('purchase', 5_000, stop.signal), null)
})

test('a turn that is given back has kept nothing: its slot and its permit are free', async () => {
  const given: string[] = []
  const permits = localPermits(1)
  const slots = localSlots()
  const reserveSlot: ReserveSlot = async (...asked) => ({
    ...(await slots.reserveSlot(...asked)),
    giveBack: async () => void given.push('slot'),
  })
  const pacer = pacerOf(reserveSlot, 5, permits)
  const turn = await pacer.take('purchase', 5_000)
  assert.equal(turn?.isFresh(), true)
  turn?.giveBack()
  turn?.end()
  assert.deepEqual([given, permits.out(), turn?.isFresh()], [['slot'], 0, false])
})

test('calls are a spacing apart', async () => {
  const { reserveSlot, taken } = localSlots()
  const pacer = pacerOf(reserveSlot, 25)
  await Promise.all(Array.from({ length: 6 }, () => pacer.take('purchase', 5_000)))
  const gaps = taken.slice(1).map((atMs, i) => atMs - (taken[i] ?? 0))
  assert.ok(
    // Sums of fractions of a millisecond.
    gaps.every((gap) => gap > 24.999),
    String(gaps),
  )
})

test('while as many calls are out as are permitted, the next waits for the end of one', async () => {
  const permits = localPermits(2)
  const pacer = pacerOf(localSlots().reserveSlot, 5, permits)
  const [first, second] = [await pacer.take('look-up', 5_000), await pacer.take('look-up', 5_000)]
  assert.ok(first && second)
  const order: Urgency[] = []
  const waiting = (['re-read', 'purchase'] as const).map((urgency) =>
    pacer.take(urgency, 5_000).then((turn) => {
      order.push(urgency)
      return turn
    }),
  )
  assert.equal(await pacer.take('look-up', 150), null)
  assert.deepEqual(order, [])
  first.end()
  await Promise.race(waiting)
  assert.deepEqual(order, ['purchase'])
  second.end()
  const turns = await Promise.all(waiting)
  for (const turn of turns) turn?.end()
  assert.equal(permits.out(), 0)
})

test('without the shared budget no call may leave', async () => {
  const pacer = pacerOf(async () => {
    throw new Error('the database is away')
  })
  assert.deepEqual(
    await Promise.all([pacer.take('purchase', 5_000), pacer.take('look-up', 5_000)]),
    [null, null],
  )
})

test('no spacing is no limit and takes no slot', async () => {
  const takePermit = async () => assert.fail('asked')
  const pacer = pacerOf(async () => assert.fail('asked'), 0, { takePermit, out: () => 0 })
  assert.ok(await pacer.take('re-read', 0))
})
