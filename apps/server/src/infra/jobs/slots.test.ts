import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createSlots, type Ending, type Party, type Room, type SlotBounds } from './slots.ts'

const BOUNDS: SlotBounds = {
  ...{ total: 1024, perKey: 128, perOwner: 256, perUnhealthyKey: 8, unhealthy: 256 },
  ...{ reserved: 128, perClaim: 256 },
}
const SECOND = 1000
const DEADLINE_MS = 10 * SECOND

interface Behavior extends Party {
  /** One item is due so long after the last; without it there is always another one. */
  readonly eachMs?: number
  /** How its next post goes. */
  next(nowMs: number): { readonly tookMs: number; readonly ending: Ending }
}

const silent = () => ({ tookMs: DEADLINE_MS, ending: 'failed' }) as const
const quick = () => ({ tookMs: 20, ending: 'answered' }) as const

const party = (key: string, more: Partial<Behavior> = {}): Behavior => ({
  ...{ key, owner: key, isUnproven: false, next: quick },
  ...more,
})

/** Claims every 20 ms as the room allows, owners by turns; answers how long each post waited for its slot. */
function simulate(parties: readonly Behavior[], forMs: number, bounds = BOUNDS) {
  const slots = createSlots(bounds)
  const proven = new Set(parties.filter((one) => !one.isUnproven).map(({ key }) => key))
  const ends: { at: number; party: Behavior; post: ReturnType<Behavior['next']> }[] = []
  const dueSince = new Map(parties.map(({ key }) => [key, 0]))
  const waits = new Map(parties.map(({ key }) => [key, [] as number[]]))
  let most = 0
  for (let now = 0; now < forMs; now += 20) {
    for (const end of ends.splice(0)) {
      if (end.at > now) ends.push(end)
      else {
        slots.release(end.party, end.post, end.at)
        if (end.post.ending === 'answered') proven.add(end.party.key)
      }
    }
    const room = slots.room(now)
    const due = parties.filter(({ key }) => (dueSince.get(key) ?? 0) <= now)
    for (const one of room ? taken(room, due, proven) : []) {
      slots.hold({ ...one, isUnproven: !proven.has(one.key) })
      waits.get(one.key)?.push(now - (dueSince.get(one.key) ?? 0))
      if (one.eachMs !== undefined) dueSince.set(one.key, now + one.eachMs)
      const post = one.next(now)
      ends.push({ at: now + post.tookMs, party: one, post })
    }
    most = Math.max(most, ends.length)
  }
  return { waits: (key: string) => waits.get(key) ?? [], most }
}

/** As a claim in the database chooses: by turns among owners, within what there is room for. */
function taken(room: Room, due: readonly Behavior[], proven: ReadonlySet<string>): Behavior[] {
  const heldBy = new Map(Object.entries(room.heldByOwner))
  const left = new Map<string, number>([
    ['slow', room.slow],
    ['unproven', room.unproven],
  ])
  const waiting = due
    .filter(({ key }) => !room.busyKeys.includes(key))
    .map((one) => {
      const kind = room.slowKeys.includes(one.key) ? 'slow' : proven.has(one.key) ? '' : 'unproven'
      const perKey = kind === '' ? room.perKey : room.perUnhealthyKey
      return { one, kind, most: one.eachMs === undefined ? perKey : 1 }
    })
  const chosen: Behavior[] = []
  while (chosen.length < room.limit) {
    const heldOf = ({ one }: { one: Behavior }): number => heldBy.get(one.owner) ?? 0
    const open = waiting.filter(
      (item) => item.most > 0 && left.get(item.kind) !== 0 && heldOf(item) < room.perOwner,
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
  Array.from({ length: count }, (_, i) => party(`well-${i}`, { eachMs: 240 }))

describe('parties that answer wait for no slot', () => {
  it('beside 128 silent ones and 8 that answer once in a while and hang the rest', () => {
    const silentOnes = Array.from({ length: 128 }, (_, i) => party(`silent-${i}`, { next: silent }))
    // Quick for half a second, then silent for a whole deadline, again and again.
    const alternating = Array.from({ length: 8 }, (_, i) =>
      party(`alternating-${i}`, {
        next: (now) => (now % (DEADLINE_MS + 500) < 500 ? quick() : silent()),
      }),
    )
    const { waits } = simulate([...silentOnes, ...alternating, ...well(50)], 120 * SECOND)
    for (const { key } of well(50)) assert.ok(Math.max(...waits(key)) <= 20, key)
  })

  it('beside a partner with 200 children that hang: its share is its own', () => {
    const children = Array.from({ length: 200 }, (_, i) =>
      party(`child-${i}`, { owner: 'partner', next: silent }),
    )
    const { waits, most } = simulate([...children, ...well(5)], 30 * SECOND)
    for (const { key } of well(5)) assert.ok(Math.max(...waits(key)) <= 20, key)
    assert.ok(most <= BOUNDS.perOwner + 5, `${most} slots held`)
  })

  it('beside endpoints that are made anew and never answer', () => {
    const made = Array.from({ length: 300 }, (_, i) =>
      party(`new-${i}`, { isUnproven: true, next: silent }),
    )
    const { most, waits } = simulate([...made, ...well(5)], 9 * SECOND)
    for (const { key } of well(5)) assert.ok(Math.max(...waits(key)) <= 20, key)
    assert.ok(most <= BOUNDS.unhealthy + 5, `${most} slots held`)
  })
})

describe('a key', () => {
  const one = party('one')
  const boundAfter = (
    posts: readonly { tookMs: number; ending: Ending; at: number }[],
    at: number,
  ): number => {
    const slots = createSlots(BOUNDS)
    for (const { at: ended, ...post } of posts) {
      slots.hold(one)
      slots.release(one, post, ended)
    }
    return slots.boundOf('one', at)
  }
  const hung = { tookMs: DEADLINE_MS, ending: 'failed', at: 0 } as const

  it('that hung is slow although it answers once, is refused or is deferred, and no more after minutes', () => {
    const quickly = { tookMs: 20, ending: 'answered', at: 100 } as const
    const refused = { tookMs: 1, ending: 'failed', at: 100 } as const
    const deferred = { tookMs: 0, ending: 'deferred', at: 100 } as const
    for (const post of [quickly, refused, deferred]) {
      assert.equal(boundAfter([hung, post], 100), BOUNDS.perUnhealthyKey)
    }
    assert.equal(boundAfter([hung], 300 * SECOND), BOUNDS.perUnhealthyKey)
    assert.equal(boundAfter([hung], 420 * SECOND), BOUNDS.perKey)
  })

  it('that answers much and seldom slowly keeps its slots', () => {
    const posts = Array.from({ length: 1000 }, (_, i) => ({
      ...({ tookMs: i === 500 ? 1500 : 20, ending: 'answered', at: i * 20 } as const),
    }))
    assert.equal(boundAfter(posts, 20 * SECOND), BOUNDS.perKey)
  })

  it('is not slow by what had its cause on our side', () => {
    assert.equal(boundAfter([{ ...hung, ending: 'deferred' }], 0), BOUNDS.perKey)
  })
})

it('every slot is used while one party alone has work, but for the last ones', () => {
  const keys = Array.from({ length: 8 }, (_, i) => party(`key-${i}`, { owner: `owner-${i}` }))
  const slots = createSlots(BOUNDS)
  for (const key of keys) for (let i = 0; i < 112; i++) slots.hold(key)
  const room = slots.room(0)
  assert.deepEqual([room?.limit, room?.perKey, room?.perOwner], [128, 1, 1])
  assert.equal(room?.busyKeys.length, 8)
})

it('a key gets its part of what its siblings share, and never less than an unhealthy one', () => {
  const slots = createSlots(BOUNDS)
  for (const [siblings, bound] of [
    [1, 128],
    [2, 64],
    [10, 12],
    [100, 8],
  ] as const) {
    const one = { key: `of ${siblings}`, owner: 'o', isUnproven: false, siblings }
    slots.hold(one)
    assert.equal(slots.boundOf(one.key, 0), bound)
    for (let held = 1; 2 * held < bound; held++) {
      assert.ok(!slots.room(0)?.busyKeys.includes(one.key), `${one.key} with ${held}`)
      slots.hold(one)
    }
    assert.ok(slots.room(0)?.busyKeys.includes(one.key), one.key)
  }
})
