import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  createRefusalPace,
  LONGEST_HOLD_MS,
  MOST_HELD,
  REFUSALS_AT_ONCE,
  REFUSALS_PER_SECOND,
} from './refusal-pace.ts'

const INTERVAL_MS = 1000 / REFUSALS_PER_SECOND

/** The pace under a clock that is moved by hand; what is held is let go by hand, too. */
function startPace() {
  let at = 1000
  const held: { milliseconds: number; letGo: () => void }[] = []
  const pace = createRefusalPace({
    nowMs: () => at,
    pause: (milliseconds) =>
      new Promise((resolve) => {
        held.push({ milliseconds, letGo: resolve })
      }),
  })
  /** How long the refusal is held, in milliseconds. */
  const refuse = (tenantId = 'one'): number => {
    const before = held.length
    const next = pace.next(tenantId)
    assert.equal(next !== null, held.length > before)
    return held[before]?.milliseconds ?? 0
  }
  return {
    ...{ pace, held, refuse },
    refuseTimes: (times: number) => Array.from({ length: times }, () => refuse()),
    advance: (milliseconds: number) => {
      at += milliseconds
    },
  }
}

test('a burst of refusals is answered at once, and further ones one each interval', () => {
  const { refuseTimes } = startPace()
  assert.deepEqual(refuseTimes(REFUSALS_AT_ONCE), Array(REFUSALS_AT_ONCE).fill(0))
  assert.deepEqual(refuseTimes(3), [INTERVAL_MS, 2 * INTERVAL_MS, 3 * INTERVAL_MS])
})

test('no refusal is held for longer than a client waits', () => {
  const { refuseTimes } = startPace()
  assert.equal(Math.max(...refuseTimes(REFUSALS_AT_ONCE + MOST_HELD)), LONGEST_HOLD_MS)
})

test('a client that is refused once each interval waits for nothing', () => {
  const { refuse, advance } = startPace()
  for (let i = 0; i < 10 * REFUSALS_AT_ONCE; i++) {
    assert.equal(refuse(), 0)
    advance(INTERVAL_MS)
  }
})

test('a client that has paused has its burst again, however often it was refused before', () => {
  const { refuse, refuseTimes, advance } = startPace()
  refuseTimes(REFUSALS_AT_ONCE + MOST_HELD / 2)
  advance(LONGEST_HOLD_MS + REFUSALS_AT_ONCE * INTERVAL_MS)
  assert.deepEqual(refuseTimes(REFUSALS_AT_ONCE), Array(REFUSALS_AT_ONCE).fill(0))
  assert.ok(refuse() > 0)
})

test('the refusals of one tenant hold up none of another', () => {
  const { refuse, refuseTimes } = startPace()
  refuseTimes(REFUSALS_AT_ONCE + MOST_HELD)
  assert.equal(refuse('another'), 0)
})

test('a tenant holds so many requests at most; when one of them is answered, the next is held', async () => {
  const { pace, held, refuse, refuseTimes } = startPace()
  refuseTimes(REFUSALS_AT_ONCE + MOST_HELD - 1)
  const last = pace.next('one')
  assert.equal(held.length, MOST_HELD)
  assert.equal(refuse(), 0)
  held.at(-1)?.letGo()
  await last
  assert.equal(refuse(), LONGEST_HOLD_MS)
})
