// Changes of listings as a stream of events, for readers that pass them on. The log of changes says where to
// look; an event carries the state of the moment, so several changes of one listing are one event, and a
// reader of all events knows what the database says.

import { isDeepStrictEqual } from 'node:util'
import type { Db } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import type { Listing } from './listing.ts'
import type { MarketId } from './ports.ts'
import { listChangesAfter, startOfChanges } from './store/change.ts'
import { findListings, listIdsOfMarket } from './store/listings.ts'
import { isForSale, listMarkets } from './store/markets.ts'
import type { ListingAttributes } from './view/listing-table.ts'
import { attributesOf, type ListingNote, type ListingsView } from './view/listings-view.ts'

/** One listing as it is now. */
export interface ListingEvent {
  readonly id: bigint
  /** Null when it is so long gone that nothing is known of it. */
  readonly itemId: string | null
  /** Null when it cannot be bought. */
  readonly listing: Listing | null
  /** It was not for sale before. */
  readonly appeared: boolean
  /** Never falls from one event to the next: a reader has seen everything before it. */
  readonly atMs: number
}

/** An event with what it changed. */
export interface ListingMove extends ListingEvent {
  /** What the listing was when it was last reported; null: not offered. */
  readonly before: ListingAttributes | null
}

export interface ListingsRead {
  readonly events: readonly ListingMove[]
  /** There is more already. */
  readonly more: boolean
  /**
   * The reading was interrupted for so long that changes are forgotten, or so many wait that they are given
   * up: begin again from a snapshot.
   */
  readonly lost: boolean
  /** Markets that went or came back since the last reading. */
  readonly switched: boolean
}

export interface ListingsFollower {
  /** Reads events of at most so many listings. One call at a time. */
  read(limit: number): Promise<ListingsRead>
  /** Everything that was committed before this moment has been reported, or waits to be. */
  currentAt(): Date | null
  /** When a market last went or came back. */
  switchedAt(): Date | null
}

/** The first reading goes back this far, so that a reader can serve clients that connected before it. */
export const FIRST_LOOK_BACK_MS = 60_000
const BATCHES_AT_ONCE = 100
/**
 * Some ten seconds of reading. More waits only while a market is read for the first time, and readers would
 * be minutes behind with what happens meanwhile.
 */
const MOST_WAITING = 20_000
/** A market that fails two health checks and is back is not worth fifty thousand events. */
const SWITCH_SETTLES_MS = 3000

export function followListings({
  db,
  clock,
  listings,
}: {
  readonly db: Db
  readonly clock: Clock
  readonly listings: Pick<ListingsView, 'find' | 'follow' | 'refresh' | 'currentAt'>
}): ListingsFollower {
  // In the order in which they came: a listing that changes again keeps its position, and is
  // reported as it is when its turn comes.
  const waiting = new Map<bigint, Waiting>()
  // What was reported of listings of which the view does not show as much yet; its next change of them takes
  // that away.
  const ahead = new Map<bigint, ListingAttributes | null>()
  const sweeps = createSweeps({ db, clock })
  let hasBegun = false
  let isLost = false
  let isSwitched = false
  let lastAtMs = 0
  let currentAt: Date | null = null

  const note = ({ id, appeared, atMs }: Pick<ListingNote, 'id' | 'appeared' | 'atMs'>): Waiting => {
    lastAtMs = Math.max(lastAtMs, atMs)
    const known = waiting.get(id) ?? { appeared: false, atMs: lastAtMs }
    known.appeared ||= appeared
    waiting.set(id, known)
    return known
  }
  const takeReported = (id: bigint, shown: ListingAttributes | null): ListingAttributes | null => {
    const reported = ahead.get(id)
    ahead.delete(id)
    return reported === undefined ? shown : reported
  }
  /** Of what changed again while it was read, `before` is what was read. */
  const noteReported = (id: bigint, reported: ListingAttributes | null): void => {
    const again = waiting.get(id)
    if (again !== undefined) again.before = reported
    else if (!isSame(reported, listings.find(Number(id)))) ahead.set(id, reported)
  }
  listings.follow({
    onListing: (change) => {
      if (!hasBegun || isLost) return
      const isFirst = !waiting.has(change.id)
      const one = note(change)
      if (isFirst) one.before = takeReported(change.id, change.before)
      // The next reading begins anew.
      isLost = waiting.size > MOST_WAITING
    },
    onMarket: (market, at) => {
      if (!hasBegun) return
      sweeps.note(market, at)
      isSwitched = true
    },
    onReload: () => {
      isLost = true
    },
  })

  const begin = async (): Promise<void> => {
    const { switchedAt } = await startOfChanges(db, clock.now())
    await sweeps.begin(switchedAt)
    waiting.clear()
    ahead.clear()
    isLost = false
    hasBegun = true
  }

  /** What changed before this follower was there. */
  const lookBack = async (): Promise<void> => {
    let { after } = await startOfChanges(db, new Date(clock.now().getTime() - FIRST_LOOK_BACK_MS))
    for (;;) {
      const changes = await listChangesAfter(db, after, BATCHES_AT_ONCE)
      if (changes.length === 0) return
      for (const { seq, at, listing } of changes) {
        after = seq
        if (listing !== null) note({ ...listing, atMs: at.getTime() })
      }
    }
  }

  return {
    async read(limit) {
      const isFirst = !hasBegun
      await listings.refresh()
      const lost = isLost
      if (isFirst || lost) await begin()
      if (isFirst) await lookBack()
      const readAt = listings.currentAt
      const switched = isSwitched
      isSwitched = false
      const turn = takeFirst(waiting, limit)
      const swept = await sweeps.next(limit - turn.size)
      for (const id of swept) {
        if (!waiting.has(id) && !turn.has(id)) turn.set(id, { appeared: true, atMs: lastAtMs })
      }
      for (const [id, one] of turn) {
        if (one.before === undefined) one.before = takeReported(id, listings.find(Number(id)))
      }
      const states = await readStates(db, [...turn.keys()]).catch((error) => {
        // Put back in front of what came later: they are reported by the next reading.
        const later = [...waiting]
        waiting.clear()
        for (const [id, one] of turn) waiting.set(id, one)
        for (const [id, one] of later) {
          const first = turn.get(id)
          if (first === undefined) waiting.set(id, one)
          else first.appeared ||= one.appeared
        }
        throw error
      })
      for (const { id, offered } of states) noteReported(id, offered && attributesOf(offered))
      currentAt = readAt
      const events = movesOf(states, turn, sweeps.isUp)
      return { events, more: waiting.size > 0 || sweeps.underWay(), lost, switched }
    },
    currentAt: () => currentAt,
    switchedAt: sweeps.switchedAt,
  }
}

interface Waiting {
  appeared: boolean
  readonly atMs: number
  /** What it was when it was last reported, if anything; undefined: as it is known now. */
  before?: ListingAttributes | null
}

function takeFirst(waiting: Map<bigint, Waiting>, limit: number): Map<bigint, Waiting> {
  const turn = new Map<bigint, Waiting>()
  for (const [id, one] of waiting) {
    if (turn.size >= limit) break
    turn.set(id, one)
    waiting.delete(id)
  }
  return turn
}

/** A listing as the database has it. */
interface State {
  readonly id: bigint
  readonly itemId: string | null
  /** Null when it is not offered, whether its market is up or not. */
  readonly offered: Listing | null
}

async function readStates(db: Db, ids: readonly bigint[]): Promise<State[]> {
  if (ids.length === 0) return []
  const found = await findListings(db, ids)
  return ids.map((id, i) => {
    const known = found[i] ?? null
    return { id, itemId: known?.itemId ?? null, offered: known?.available === true ? known : null }
  })
}

function movesOf(
  states: readonly State[],
  turn: ReadonlyMap<bigint, Waiting>,
  isUp: (market: MarketId) => boolean,
): ListingMove[] {
  let atMs = 0
  return states.map(({ id, itemId, offered }) => {
    const one = turn.get(id) as Waiting
    atMs = Math.max(atMs, one.atMs)
    return {
      ...{ id, itemId, appeared: one.appeared, atMs },
      listing: offered !== null && isUp(offered.market) ? offered : null,
      before: one.before ?? null,
    }
  })
}

/** Stickers may be in any order. */
const isSame = (one: ListingAttributes | null, other: ListingAttributes | null): boolean =>
  isDeepStrictEqual(
    one && { ...one, stickers: one.stickers.toSorted() },
    other && { ...other, stickers: other.stickers.toSorted() },
  )

/**
 * Markets that went or came back: all of their listings are reported, slice by slice. Until that begins
 * they are reported as if nothing had happened, so that a market which is back at once was never away.
 */
function createSweeps({ db, clock }: { readonly db: Db; readonly clock: Clock }) {
  const noted = new Map<MarketId, number>()
  const underWay = new Map<MarketId, bigint>()
  let up: ReadonlySet<MarketId> = new Set()
  let switchedAt: Date | null = null

  const readUp = async (): Promise<Set<MarketId>> =>
    new Set((await listMarkets(db)).flatMap((market) => (isForSale(market) ? [market.id] : [])))

  const settle = async (): Promise<void> => {
    const settledMs = clock.now().getTime() - SWITCH_SETTLES_MS
    const settled = [...noted].filter(([, sinceMs]) => sinceMs <= settledMs)
    if (settled.length === 0) return
    const now = await readUp()
    const reported = new Set(up)
    for (const [market] of settled) {
      noted.delete(market)
      if (now.has(market) === reported.has(market)) continue
      if (now.has(market)) reported.add(market)
      else reported.delete(market)
      underWay.set(market, 0n)
    }
    up = reported
  }

  return {
    begin: async (lastSwitchAt: Date | null): Promise<void> => {
      noted.clear()
      underWay.clear()
      up = await readUp()
      switchedAt = lastSwitchAt
    },
    note: (market: MarketId, at: Date): void => {
      noted.set(market, clock.now().getTime())
      if (switchedAt === null || at > switchedAt) switchedAt = at
    },
    next: async (limit: number): Promise<bigint[]> => {
      await settle()
      const [first] = underWay
      if (first === undefined || limit <= 0) return []
      const [market, after] = first
      const ids = await listIdsOfMarket(db, { market, after, limit })
      if (ids.length < limit) underWay.delete(market)
      else underWay.set(market, ids.at(-1) ?? after)
      return ids
    },
    /** Is the market up, as far as it was reported? */
    isUp: (market: MarketId): boolean => up.has(market),
    underWay: (): boolean => underWay.size > 0,
    switchedAt: (): Date | null => switchedAt,
  }
}
