// Which permits a claim may take: what slow, silent and unknown destinations hold is bounded for each of
// them, for their owner and for all of them together, so that destinations that answer find a free permit.
// Time is given.

/**
 * A permit is the right to one post under way in this process. A key names the destination that is posted to.
 */
export interface PermitBounds {
  readonly total: number
  /**
   * Of one key, divided by its siblings: it is claimed for while it holds less than half of them.
   */
  readonly perKey: number
  /** Of one owner, over all of its keys. */
  readonly perOwner: number
  /** Of a key that is slow, or that has not answered yet. */
  readonly perUnhealthyKey: number
  /** Of all slow keys together; and as many of all that have not answered yet. */
  readonly unhealthy: number
  /**
   * The last ones of `total`. An owner gets one of them, while it holds no other permit and the key is not
   * slow: as many owners as this have to begin at once, each for one deadline, before an answering one waits.
   */
  readonly reserved: number
  /** Items of one claim. */
  readonly perClaim: number
  /**
   * Of posts that may wait for all others, which would otherwise find every permit held by these. All by
   * default.
   */
  readonly broadcasts?: number
}

/** Who is posted to. */
export interface Destination {
  readonly key: string
  /** Whose keys share `perOwner`. */
  readonly owner: string
  /** How many keys share `perKey`, this one included. One by default. */
  readonly siblings?: number
  /** It has never answered as it should. */
  readonly isUnproven: boolean
  /** What is posted may wait for all other posts. */
  readonly isBroadcast?: boolean
}

/** How a post ended. `deferred`: by a cause on our side, which says nothing of the destination. */
export type Outcome = 'answered' | 'failed' | 'deferred'

/** What a claim may take. Owners take turns: one that holds fewer permits goes first. */
export interface Capacity {
  /** Items in all, at least one. */
  readonly limit: number
  /** Items of one key. */
  readonly perKey: number
  /** Items of one key that is slow or unproven. */
  readonly perUnhealthyKey: number
  /** Items of all slow keys together, and of all unproven ones. */
  readonly slow: number
  readonly unproven: number
  /** Items that may wait for all others. */
  readonly broadcasts: number
  /** Permits of one owner, those included that it holds already. */
  readonly perOwner: number
  readonly heldByOwner: Readonly<Record<string, number>>
  readonly slowKeys: readonly string[]
  /** Nothing is claimed for them now. */
  readonly busyKeys: readonly string[]
}

export interface Permits {
  hold(destination: Destination): void
  release(
    destination: Destination,
    post: { readonly tookMs: number; readonly outcome: Outcome },
    nowMs: number,
  ): void
  /** Null when every permit is held. */
  capacity(nowMs: number): Capacity | null
  /** How many permits the key may hold now. */
  boundOf(key: string, nowMs: number): number
}

/** A post that held its permit for so long was slow. */
const SLOW_MS = 1000
const HALF_LIFE_MS = 60_000
/** A key with less slow time than this is not slow. */
const FORGOTTEN_MS = 100
/** Beyond these the one that ended a post longest ago counts as new: its next post shows. */
const MAX_REMEMBERED = 10_000

/** Slot time of a key, each millisecond worth half of it a half-life later. */
interface Health {
  /** Of posts that were answered in time. */
  readonly quickMs: number
  /** Of posts that were slow, whatever came of them. */
  readonly slowMs: number
  readonly at: number
}

/**
 * A key is slow while more of its permit time went to slow posts than to quick answers. Both fade by half in
 * a minute: one slow answer is forgotten after minutes, and quick answers, which take little time, do not
 * make up for many hung posts. A refused connection is no answer, and a cause on our side counts for nothing.
 */
export function createPermits(bounds: PermitBounds): Permits {
  const held = new Map<string, { count: number; isUnproven: boolean; siblings: number }>()
  const heldByOwner = new Map<string, number>()
  const remembered = new Map<string, Health>()
  let total = 0
  let ofBroadcasts = 0

  const healthOf = (key: string, nowMs: number): Health => {
    const { quickMs, slowMs, at } = remembered.get(key) ?? { quickMs: 0, slowMs: 0, at: nowMs }
    const worth = 2 ** ((at - nowMs) / HALF_LIFE_MS)
    return { quickMs: quickMs * worth, slowMs: slowMs * worth, at: nowMs }
  }
  const isSlow = (key: string, nowMs: number): boolean => {
    const known = remembered.get(key)
    if (known === undefined || known.slowMs <= known.quickMs) return false
    return healthOf(key, nowMs).slowMs >= FORGOTTEN_MS
  }
  const remember = (key: string, health: Health): void => {
    remembered.delete(key)
    remembered.set(key, health)
    const [oldest] = remembered.keys()
    if (remembered.size > MAX_REMEMBERED && oldest !== undefined) remembered.delete(oldest)
  }
  const boundOf = (key: string, nowMs: number): number => {
    const { isUnproven = false, siblings = 1 } = held.get(key) ?? {}
    return isSlow(key, nowMs) || isUnproven ? bounds.perUnhealthyKey : shareOf(siblings)
  }
  const shareOf = (siblings: number): number =>
    Math.max(Math.floor(bounds.perKey / siblings), Math.min(bounds.perKey, bounds.perUnhealthyKey))

  return {
    boundOf,
    hold: ({ key, owner, isUnproven, siblings = 1, isBroadcast = false }) => {
      held.set(key, { count: (held.get(key)?.count ?? 0) + 1, isUnproven, siblings })
      heldByOwner.set(owner, (heldByOwner.get(owner) ?? 0) + 1)
      total++
      if (isBroadcast) ofBroadcasts++
    },
    release: ({ key, owner, isBroadcast = false }, { tookMs, outcome }, nowMs) => {
      total--
      if (isBroadcast) ofBroadcasts--
      const ofOwner = (heldByOwner.get(owner) ?? 1) - 1
      if (ofOwner === 0) heldByOwner.delete(owner)
      else heldByOwner.set(owner, ofOwner)
      const ofKey = held.get(key)
      if (ofKey && ofKey.count > 1) held.set(key, { ...ofKey, count: ofKey.count - 1 })
      else held.delete(key)
      if (outcome === 'deferred') return
      const { quickMs, slowMs, at } = healthOf(key, nowMs)
      if (tookMs >= SLOW_MS) remember(key, { quickMs, slowMs: slowMs + tookMs, at })
      else if (outcome === 'answered') remember(key, { quickMs: quickMs + tookMs, slowMs, at })
    },
    capacity: (nowMs) => {
      const free = bounds.total - total
      if (free === 0) return null
      const isLast = free <= bounds.reserved
      const slowKeys = [...remembered.keys()].filter((key) => isSlow(key, nowMs))
      const slow = new Set(slowKeys)
      const busy = new Set<string>()
      let ofSlow = 0
      let ofUnproven = 0
      for (const [key, { count, isUnproven, siblings }] of held) {
        if (slow.has(key)) ofSlow += count
        else if (isUnproven) ofUnproven += count
        const bound = slow.has(key) || isUnproven ? bounds.perUnhealthyKey : shareOf(siblings)
        if (isLast || 2 * count >= bound) busy.add(key)
      }
      const limit = Math.min(isLast ? free : free - bounds.reserved, bounds.perClaim)
      const perKey = isLast ? 1 : Math.min(bounds.perKey, limit)
      const capacityOf = (holding: number): number =>
        Math.max(0, Math.min(bounds.unhealthy - holding, limit))
      const capacityOfSlow = isLast ? 0 : capacityOf(ofSlow)
      if (capacityOfSlow === 0) for (const key of slowKeys) busy.add(key)
      return {
        limit,
        perKey,
        perUnhealthyKey: Math.min(perKey, bounds.perUnhealthyKey),
        slow: capacityOfSlow,
        unproven: capacityOf(ofUnproven),
        broadcasts: Math.max(
          0,
          Math.min((bounds.broadcasts ?? bounds.total) - ofBroadcasts, limit),
        ),
        perOwner: isLast ? 1 : bounds.perOwner,
        heldByOwner: Object.fromEntries(heldByOwner),
        slowKeys,
        busyKeys: [...busy],
      }
    },
  }
}
