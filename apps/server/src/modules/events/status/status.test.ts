import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { daysOf } from './days.ts'
import { BETTER_HOLDS_MS, decide, type Period, type Status, WORSE_HOLDS_MS } from './status.ts'

const START = new Date('2026-11-21T12:00:00.000Z')
const after = (ms: number): Date => new Date(START.getTime() + ms)

type Current = Pick<Period, 'status' | 'reason' | 'fromAt' | 'seenStatus' | 'seenSince'>
const period = (change: Partial<Current> = {}): Current => ({
  ...{ status: 'operational', reason: null, fromAt: START, seenStatus: null, seenSince: null },
  ...change,
})
const reading = (status: Status | null, since?: Date) => ({
  ...{ component: 'market' as const, name: 'market_a', status, reason: null },
  ...(since !== undefined && { since }),
})

/** What a component is said to be after looks at these seconds. */
function saidAfter(first: Status, looks: readonly (readonly [seconds: number, seen: Status])[]) {
  let current = period({ status: first })
  const said: string[] = []
  for (const [seconds, seen] of looks) {
    const decision = decide(current, reading(seen), after(seconds * 1000))
    if (decision.kind === 'seen') {
      current = { ...current, seenStatus: decision.status, seenSince: decision.since }
    }
    if (decision.kind === 'changed') {
      current = period({ status: seen, fromAt: decision.at })
      said.push(`${seconds} s: ${seen} since ${(decision.at.getTime() - START.getTime()) / 1000} s`)
    }
  }
  return said
}

describe('another status', () => {
  it('counts once it has held: worse 15 s, better 30 s, from when it was first seen', () => {
    assert.deepEqual([WORSE_HOLDS_MS, BETTER_HOLDS_MS], [15_000, 30_000])
    assert.deepEqual(
      saidAfter('operational', [
        ...([
          [5, 'down'],
          [19.9, 'down'],
          [20, 'down'],
          [25, 'operational'],
        ] as const),
        ...([
          [54.9, 'operational'],
          [55, 'operational'],
        ] as const),
      ]),
      ['20 s: down since 5 s', '55 s: operational since 25 s'],
    )
  })
  it('that comes and goes is none', () => {
    const looks = Array.from(
      { length: 40 },
      (_, i) => [i * 5, i % 3 ? 'operational' : 'down'] as const,
    )
    assert.deepEqual(saidAfter('operational', looks), [])
    assert.deepEqual(saidAfter('down', looks), [])
  })
  it('counts from the first of two that differ and are both worse, not from a better one before', () => {
    assert.deepEqual(
      saidAfter('operational', [
        [5, 'degraded'],
        [15, 'down'],
        [20, 'down'],
      ]),
      ['20 s: down since 5 s'],
    )
    assert.deepEqual(
      saidAfter('degraded', [
        [5, 'operational'],
        [19, 'down'],
        [20, 'down'],
        [34, 'down'],
      ]),
      ['34 s: down since 19 s'],
    )
  })
  it('that a person has decided holds at once, also back', () => {
    assert.deepEqual(
      saidAfter('operational', [
        [5, 'disabled'],
        [10, 'operational'],
      ]),
      ['5 s: disabled since 5 s', '10 s: operational since 10 s'],
    )
  })
  it('began when it is said to have, within its own period and not in the future', () => {
    const at = (since: Date) => {
      const decision = decide(period(), reading('paused', since), after(10_000))
      return decision.kind === 'changed' ? decision.at.getTime() - START.getTime() : null
    }
    assert.deepEqual([at(after(4000)), at(after(-4000)), at(after(99_000))], [4000, 1, 10_000])
  })
  it('is none where nothing is known', () => {
    assert.deepEqual(decide(period({ status: 'down' }), reading(null), after(99_000)), {
      kind: 'same',
    })
  })
})

describe('a day of the history', () => {
  const now = new Date('2026-11-21T12:00:00.000Z')
  const of = (periods: readonly [Status, string, string | null][]) =>
    daysOf(
      periods.map(([status, from, until]) => ({
        status,
        fromAt: new Date(from),
        untilAt: until === null ? null : new Date(until),
      })),
      now,
    )
  it('has the gravest status of the day, and the seconds of each but operational', () => {
    const days = of([
      ['operational', '2026-11-18T00:00:00Z', '2026-11-19T23:59:00Z'],
      ['down', '2026-11-19T23:59:00Z', '2026-11-20T00:02:00Z'],
      ['degraded', '2026-11-20T00:02:00Z', '2026-11-20T00:03:00Z'],
      ['operational', '2026-11-20T00:03:00Z', null],
    ])
    assert.equal(days.length, 90)
    assert.deepEqual(days.slice(-4), [
      { date: '2026-11-18', status: 'operational', seconds: {} },
      { date: '2026-11-19', status: 'down', seconds: { down: 60 } },
      { date: '2026-11-20', status: 'down', seconds: { down: 120, degraded: 60 } },
      { date: '2026-11-21', status: 'operational', seconds: {} },
    ])
  })
  it('before anything was recorded has none', () => {
    const days = of([['operational', '2026-11-21T11:00:00Z', null]])
    assert.deepEqual(days[0], { date: '2026-08-24', status: null, seconds: {} })
    assert.deepEqual(days.at(-2)?.status, null)
  })
})
