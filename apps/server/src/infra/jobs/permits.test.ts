import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  type Capacity,
  createPermits,
  type Destination,
  type Outcome,
  type PermitBounds,
} from './permits.ts'

const BOUNDS: PermitBounds = {
  ...{ total: 1024, perKey: 128, perOwner: 256, perUnhealthyKey: 8, unhealthy: 256 },
  ...{ reserved: 128, perClaim: 256 },
}
const SECOND = 1000
const DEADLINE_MS = 10 * SECOND

interface Behavior extends Destination {
  /** One item is due so long after the last; without it there is always another one. */
  readonly eachMs?: number
  /** How its next post goes. */
  next(nowMs: number): { readonly tookMs: number; readonly outcome: Outcome }
}

const silent = () => ({ tookMs: DEADLINE_MS, outcome: 'failed' }) as const
const quick = () => ({ tookMs: 20, outcome: 'answered' }) as const

const destination = (key: string, more: Partial<Behavior> = {}): Behavior => ({
  ...{ key, owner: key, isUnproven: false, next: quick },
  ...more,
})

/**
 * Claims every 20 ms as the capacity allows, owners by turns; answers how long each post waited for its
 * permit.
 */
function simulate(destinations: readonly Behavior[], forMs: number, bounds = BOUNDS) {
  const permits = createPermits(bounds)
  const proven = new Set(destinations.filter((one) => !one.isUnproven).map(({ key }) => key))
  const ends: { at: number; destination: Behavior; post: ReturnType<Behavior['next']> }[] = []
  const dueSince = new Map(destinations.map(({ key }) => [key, 0]))
  const waits = new Map(destinations.map(({ key }) => [key, [] as number[]]))
  let most = 0
  for (let now = 0; now < forMs; now += 20) {
    for (const end of ends.splice(0)) {
      if (end.at > now) ends.push(end)
      else {
        permits.release(end.destination, end.post, end.at)
        if (end.post.outcome === 'answered') proven.add(end.destination.key)
      }
    }
    const capacity = permits.capacity(now)
    const due = destinations.filter(({ key }) => (dueSince.get(key) ?? 0) <= now)
    for (const one of capacity ? taken(capacity, due, proven) : []) {
      permits.hold({ ...one, isUnproven: !proven.has(one.key) })
      waits.get(one.key)?.push(now - (dueSince.get(one.key) ?? 0))
      if (one.eachMs !== undefined) dueSince.set(one.key, now + one.eachMs)
      const post = one.next(now)
      ends.push({ at: now + post.tookMs, destination: one, post })
    }
    most = Math.max(most, ends.length)
  }
  return { waits: (key: string) => waits.get(key) ?? [], most }
}

/** As a claim in the database chooses: by turns among owners, within what there is capacity for. */
function taken(
  capacity: Capacity,
  due: readonly Behavior[],
  proven: ReadonlySet<string>,
): Behavior[] {
  const heldBy = new Map(Object.entries(capacity.heldByOwner))
  const left = new Map<string, number>([
    ['slow', capacity.slow],
    ['unproven', capacity.unproven],
  ])
  const waiting = due
    .filter(({ key }) => !capacity.busyKeys.includes(key))
    .map((one) => {
      const kind = capacity.slowKeys.includes(one.key)
        ? 'slow'
        : proven.has(one.key)
          ? ''
          : 'unproven'
      const perKey = kind === '' ? capacity.perKey : capacity.perUnhealthyKey
      return { one, kind, most: one.eachMs === undefined ? perKey : 1 }
    })
  const chosen: Behavior[] = []
  while (chosen.length < capacity.limit) {
    const heldOf = ({ one }: { one: Behavior }): number => heldBy.get(one.owner) ?? 0
    const open = waiting.filter(
      (item) => item.most > 0 && left.get(item.kind) !== 0 && heldOf(item) < capacity.perOwner,
    )
    const [first, ...others] = open
    if (first === undefined) break
    const next = others.reduce(
      (least, item) => (heldOf(item) < heldOf(least) ? item : least),
      first,
    )
    next.most--
    heldBy.set(next.one.owner, heldOf(next) + 1)
    left.set(next.kind, (left.get(next.kind) ?? Number.POSITIVE_INFINITY) - 1)
    chosen.push(next.one)
  }
  return chosen
}

const well = (count: number): Behavior[] =>
  Array.from({ length: count }, (_, i) => destination(`well-${i}`, { eachMs: 240 }))

describe('destinations that answer wait for no permit', () => {
  it('beside 128 silent ones and 8 that answer once in a while and hang the rest', () => {
    const silentOnes = Array.from({ length: 128 }, (_, i) =>
      destination(`silent-${i}`, { next: silent }),
    )
    // Quick for half a second, then silent for a whole deadline, again and again.
    const alternating = Array.from({ length: 8 }, (_, i) =>
      destination(`alternating-${i}`, {
        next: (now) => (now % (DEADLINE_MS + 500) < 500 ? quick() : silent()),
      }),
    )
    const { waits } = simulate([...silentOnes, ...alternating, ...well(50)], 120 * SECOND)
    for (const { key } of well(50)) assert.ok(Math.max(...waits(key)) <= 20, key)
  })

  it('beside a partner with 200 children that hang: its share is its own', () => {
    const children = Array.from({ length: 200 }, (_, i) =>
      destination(`child-${i}`, { owner: 'partner', next: silent }),
    )
    const { waits, most } = simulate([...children, ...well(5)], 30 * SECOND)
    for (const { key } of well(5)) assert.ok(Math.max(...waits(key)) <= 20, key)
    assert.ok(most <= BOUNDS.perOwner + 5, `${most} permits held`)
  })

  it('beside endpoints that are made anew and never answer', () => {
    const made = Array.from({ length: 300 }, (_, i) =>
      destination(`new-${i}`, { isUnproven: true, next: silent }),
    )
    const { most, waits } = simulate([...made, ...well(5)], 9 * SECOND)
    for (const { key } of well(5)) assert.ok(Math.max(...waits(key)) <= 20, key)
    assert.ok(most <= BOUNDS.unhealthy + 5, `${most} permits held`)
  })
})

describe('a key', () => {
  const one = destination('one')
  const boundAfter = (
    posts: readonly { tookMs: number; outcome: Outcome; at: number }[],
    at: number,
  ): number => {
    const permits = createPermits(BOUNDS)
    for (const { at: ended, ...post } of posts) {
      permits.hold(one)
      permits.release(one, post, ended)
    }
    return permits.boundOf('one', at)
  }
  const hung = { tookMs: DEADLINE_MS, outcome: 'failed', at: 0 } as const

  it('that hung is slow although it answers once, is refused or is deferred, and no more after minutes', () => {
    const quickly = { tookMs: 20, outcome: 'answered', at: 100 } as const
    const refused = { tookMs: 1, outcome: 'failed', at: 100 } as const
    const deferred = { tookMs: 0, outcome: 'deferred', at: 100 } as const
    for (const post of [quickly, refused, deferred]) {
      assert.equal(boundAfter([hung, post], 100), BOUNDS.perUnhealthyKey)
    }
    assert.equal(boundAfter([hung], 300 * SECOND), BOUNDS.perUnhealthyKey)
    assert.equal(boundAfter([hung], 420 * SECOND), BOUNDS.perKey)
  })

  it('that answers much and seldom slowly keeps its permits', () => {
    const posts = Array.from({ length: 1000 }, (_, i) => ({
      ...({ tookMs: i === 500 ? 1500 : 20, outcome: 'answered', at: i * 20 } as const),
    }))
    assert.equal(boundAfter(posts, 20 * SECOND), BOUNDS.perKey)
  })

  it('is not slow by what had its cause on our side', () => {
    assert.equal(boundAfter([{ ...hung, outcome: 'deferred' }], 0), BOUNDS.perKey)
  })
})

it('every permit is used while one destination alone has work, but for the last ones', () => {
  const keys = Array.from({ length: 8 }, (_, i) => destination(`key-${i}`, { owner: `owner-${i}` }))
  const permits = createPermits(BOUNDS)
  for (const key of keys) for (let i = 0; i < 112; i++) permits.hold(key)
  const capacity = permits.capacity(0)
  assert.deepEqual([capacity?.limit, capacity?.perKey, capacity?.perOwner], [128, 1, 1])
  assert.equal(capacity?.busyKeys.length, 8)
})

it('a key gets its part of what its siblings share, and never less than an unhealthy one', () => {
  const permits = createPermits(BOUNDS)
  for (const [siblings, bound] of [
    [1, 128],
    [2, 64],
    [10, 12],
    [100, 8],
  ] as const) {
    const one = { key: `of ${siblings}`, owner: 'o', isUnproven: false, siblings }
    permits.hold(one)
    assert.equal(permits.boundOf(one.key, 0), bound)
    for (let held = 1; 2 * held < bound; held++) {
      assert.ok(!permits.capacity(0)?.busyKeys.includes(one.key), `${one.key} with ${held}`)
      permits.hold(one)
    }
    assert.ok(permits.capacity(0)?.busyKeys.includes(one.key), one.key)
  }
})
