// /market/live: changes of listings, sent in one piece to all sockets that see the same prices. A tick
// gathers the events of a tenth of a second, writes its frames once for each scope and price tag, and gives
// each socket one write.
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { LIVE_SCOPES, type LiveScope } from '@tradepost/contract'
import {
  attributesOf,
  type CatalogueView,
  FIRST_LOOK_BACK_MS,
  type ListingMove,
  type ListingsFollower,
} from '#catalog'
import { type PollPause, startPollLoop } from '#infra/jobs/poll-loop'
import { inChunks } from '#infra/limits/in-chunks'
import type { Clock } from '#infra/process/clock'
import type { PriceTag } from '#pricing'
import { frameText } from '#wire/merchant/live'
import { termsFor } from '../shared/market/listing-filter.ts'
import { createFilters } from './filters.ts'
import { type Frame, joinFrames, type Tick, textFrame, tickOfMade } from './frames.ts'
import {
  type LiveChange,
  liveChangeFrame,
  liveChangeOf,
  liveChangeText,
  removalFrame,
} from './live-change.ts'
import type { LiveSocket } from './live-socket.ts'
import type { LiveMeters } from './meters.ts'
import type { SocketFilter } from './read-filter.ts'
import { createRecent, type Recent } from './recent.ts'
import type { SlowReaders } from './slow-readers.ts'
import type { Watchlist } from './watchlist.ts'

export interface MarketChannel {
  /** Sends the socket its greeting and every change from then on; with `sinceMs`, from that moment on. */
  join(socket: LiveSocket, options: JoinOptions): void
  leave(socket: LiveSocket): void
  /** The prices of the account are others now. */
  retag(socket: LiveSocket, tag: PriceTag): void
  /** Sends an event that is of no listing to every socket. */
  announce(event: string, dataText: string): void
  /** Listings changed. */
  wake(): void
  /** Up to here every change has been read; the `ts` of a frame that is no change. */
  currentMs(): number
  /** How many sockets, by scope. */
  counts(): Readonly<Record<LiveScope, number>>
  stop(): Promise<void>
}

export interface JoinOptions {
  readonly scope: LiveScope
  readonly tag: PriceTag
  /** Of scope=filter, and of no other. */
  readonly filter: SocketFilter | null
  /** The `ts` of the last frame that the client saw; 'unknown' when it says something that is none. */
  readonly sinceMs: number | 'unknown' | null
}

export interface MarketChannelDeps {
  readonly follower: ListingsFollower
  readonly watchlist: Watchlist
  readonly view: Pick<CatalogueView, 'select' | 'isCurrent'>
  readonly clock: Clock
  readonly slow: SlowReaders
  readonly meters: LiveMeters
  onError(error: unknown): void
}

/** The least time between two ticks, and the most without a notification. */
const TICK_MS = 100
const POLL_MS = 2000
/** No socket is open: events are only kept. */
const IDLE_TICK_MS = 1000
/**
 * Some 200 kB of frames: far below what makes a reader slow for long. Reading 2,000 took 50 ms of the event
 * loop, in which all other requests waited.
 */
const CHANGES_AT_ONCE = 300
/** Sockets that are written to before other work of the process gets its turn. */
const WRITES_AT_ONCE = 250
/** Changes that are compared with the filters before the same. */
const MATCHED_AT_ONCE = 10
/** What a socket missed, before the same. */
const MISSED_AT_ONCE = 500
/** The pause after a tick, as a share of it. A longer one makes events older and delivers no more. */
const REST_SHARE = 0.25
/**
 * What the routes answer is this old at most (their memories of a second, and the catalogue's look every
 * two): who reads a snapshot after `market.ready` has missed nothing.
 */
const ROUTES_LAG_MS = 3500
/** Clocks of processes differ, and a change is seen some time after its moment. */
const RESUME_OVERLAP_MS = 10_000
/** For so long at most a market that went offline or came back is sent. */
const SWITCH_TOLD_MS = 10 * 60_000

interface Group {
  readonly scope: LiveScope
  readonly tag: PriceTag
  readonly filter: SocketFilter | null
  readonly sockets: Set<LiveSocket>
}

/** Ready when everything up to now is known. */
export async function openMarketChannel(deps: MarketChannelDeps): Promise<MarketChannel> {
  const { follower, watchlist, clock, slow, meters } = deps
  const filters = createFilters<Group>(deps.view)
  const groups = createGroups({
    onFirst: (group) => {
      const { filter, tag } = group
      if (filter !== null) filters.add(group, { items: filter.items, terms: termsFor(filter, tag) })
    },
    onLast: filters.remove,
  })
  const recent: Readonly<Record<LiveScope, Recent>> = {
    all: createRecent(),
    watchlist: createRecent(),
    filter: createRecent(),
  }

  const deliver = async (scope: LiveScope, changes: readonly LiveChange[]): Promise<void> => {
    if (changes.length === 0) return
    for (const group of groups.of(scope)) {
      const tick = tickOf(changes, group.tag)
      const nowMs = clock.now().getTime()
      let written = 0
      // A client that joins meanwhile received these events when it joined.
      for (const socket of [...group.sockets]) {
        if (socket.writeTick(tick, nowMs)) slow.add(socket)
        if (++written % WRITES_AT_ONCE === 0) await yieldToOthers()
      }
      meters.onFrames(scope, tick.frames.length * written)
    }
  }

  let keepingUp: Promise<void> | null = null
  const keepUp = (): void => {
    keepingUp ??= filters
      .keepUp()
      .catch(deps.onError)
      .finally(() => {
        keepingUp = null
        if (early.length > 0) loop.wake()
      })
  }

  /** Changes of items that are too new for filters which have not kept up yet. */
  let early: ListingMove[] = []
  /** What can be held against the filters now, each listing in its order; the rest waits in `early`. */
  const takeDue = (read: readonly ListingMove[]): readonly ListingMove[] => {
    const moves = [...early, ...read]
    const earlyIds = new Set<bigint>()
    const isDue = ({ id, listing, before }: ListingMove): boolean =>
      !earlyIds.has(id) &&
      ![listing, before].some((one) => one !== null && filters.isEarlyFor(one.itemId))
    early = []
    return moves.filter((move) => {
      if (isDue(move)) return true
      earlyIds.add(move.id)
      early.push(move)
      return false
    })
  }

  /** To each group what its filter lets through, and the end of what it let through before. */
  const deliverFiltered = async (read: readonly ListingMove[], nowMs: number): Promise<void> => {
    recent.filter.add(
      read.map((move) => liveChangeOf(move, 'filter')),
      nowMs,
    )
    if (groups.count('filter') === 0) {
      early = []
      return
    }
    keepUp()
    const moves = takeDue(read)
    // Others than those that are kept: what is written of these goes with the tick.
    const changes = moves.map((move) => liveChangeOf(move, 'filter'))
    const framesOf = new Map<Group, Frame[]>()
    const put = (group: Group, frame: Frame): void => {
      const frames = framesOf.get(group)
      if (frames === undefined) framesOf.set(group, [frame])
      else frames.push(frame)
    }
    for (const [i, { listing, before }] of moves.entries()) {
      const one = changes[i] as LiveChange
      const { fitting, left } = filters.concerned({
        now: listing === null ? null : attributesOf(listing),
        before,
      })
      for (const group of fitting) put(group, liveChangeFrame(one, group.tag))
      if (left.length > 0) {
        const removal = removalFrame(one)
        for (const group of left) put(group, removal)
      }
      if (i % MATCHED_AT_ONCE === 0) await yieldToOthers()
    }
    let written = 0
    for (const [group, frames] of framesOf) {
      const made = tickOfMade(frames)
      for (const socket of [...group.sockets]) {
        if (socket.writeTick(made, nowMs)) slow.add(socket)
        if (++written % WRITES_AT_ONCE === 0) await yieldToOthers()
      }
      meters.onFrames('filter', frames.length * group.sockets.size)
    }
  }

  /** True when there is more already. */
  const tick = async (): Promise<boolean> => {
    const read = await follower.read(CHANGES_AT_ONCE)
    const nowMs = clock.now().getTime()
    if (read.lost) {
      early = []
      for (const scope of LIVE_SCOPES) {
        recent[scope].begin(nowMs)
        for (const { tag, sockets } of groups.of(scope)) {
          for (const socket of sockets) sendGap(socket, { scope, tag, tsMs: nowMs })
        }
      }
    }
    const listed = read.events.map((event) => liveChangeOf(event, 'all'))
    recent.all.add(listed, nowMs)
    await deliver('all', listed)
    await deliverFiltered(read.events, nowMs)
    if (read.switched || read.lost) watchlist.doubt()
    const touched = new Set(read.events.flatMap(({ itemId }) => itemId ?? []))
    const events = await watchlist.update(touched, nowMs)
    const watched = events.map((event) => liveChangeOf(event, 'watchlist'))
    recent.watchlist.add(watched, nowMs)
    await deliver('watchlist', watched)
    for (const { atMs } of read.events.slice(-1)) meters.onTick(nowMs - atMs)
    return read.more
  }

  const sendGap = (
    socket: LiveSocket,
    { scope, tsMs }: { scope: LiveScope; tag: PriceTag; tsMs: number },
  ): void => {
    const frame = textFrame(frameText('market.gap', JSON.stringify({ scope }), tsMs))
    if (socket.write(frame, tsMs)) slow.add(socket)
  }

  const currentMs = (): number => (follower.currentAt() ?? clock.now()).getTime()

  /** Null when it is too long ago, or too much has happened. */
  const missedSince = (scope: LiveScope, sinceMs: JoinOptions['sinceMs']) => {
    const nowMs = currentMs()
    if (sinceMs === null) return recent[scope].since(nowMs - ROUTES_LAG_MS) ?? []
    if (sinceMs === 'unknown' || sinceMs > nowMs + RESUME_OVERLAP_MS) return null
    const switchedMs = follower.switchedAt()?.getTime() ?? Number.NEGATIVE_INFINITY
    if (scope !== 'watchlist' && switchedMs > sinceMs - SWITCH_TOLD_MS) return null
    return recent[scope].since(sinceMs - RESUME_OVERLAP_MS)
  }

  /** What a socket that joins gets of the past; with a filter, removals of what it may have had. */
  const framesFor = (missed: readonly LiveChange[], group: Group): Frame[] => {
    const { filter, tag } = group
    if (filter === null) return missed.map((change) => liveChangeFrame(change, tag))
    return missed.flatMap((change) => {
      const { listing, itemId } = change.event
      if (listing !== null && filters.fits(group, attributesOf(listing)))
        return liveChangeFrame(change, tag)
      return itemId === null || filters.mayFit(group, itemId) ? removalFrame(change) : []
    })
  }

  const writeMissed = async (
    socket: LiveSocket,
    missed: readonly LiveChange[],
    group: Group,
  ): Promise<void> => {
    socket.hold(clock.now().getTime())
    const frames: Frame[] = []
    for await (const piece of inChunks(missed, MISSED_AT_ONCE)) {
      frames.push(...framesFor(piece, group))
    }
    const nowMs = clock.now().getTime()
    // With other prices meanwhile it was sent a gap, which stands for all of this.
    socket.writeLater(groups.groupOf(socket) === group ? frames : [], nowMs)
    socket.lookAfter(nowMs)
    if (socket.isSlow) slow.add(socket)
  }

  const startMs = clock.now().getTime()
  recent.all.begin(startMs - FIRST_LOOK_BACK_MS)
  recent.filter.begin(startMs - FIRST_LOOK_BACK_MS)
  recent.watchlist.begin(startMs)
  while (await tick());
  // With ten thousand sockets a tick takes long: a rest in proportion makes fewer and larger ticks, which
  // deliver more.
  const tickAndRest = async (): Promise<Partial<PollPause>> => {
    const startedAt = performance.now()
    const more = await tick()
    const tookMs = performance.now() - startedAt
    const spacingMs = groups.size() > 0 || more ? TICK_MS : IDLE_TICK_MS
    const restMs = Math.max(spacingMs - tookMs, tookMs * REST_SHARE)
    return more ? { restMs, pollMs: restMs } : { restMs }
  }
  const loop = startPollLoop({
    pollMs: POLL_MS,
    restMs: TICK_MS,
    firstMs: POLL_MS,
    run: tickAndRest,
    onError: deps.onError,
  })

  return {
    join: (socket, { scope, tag, filter, sinceMs }) => {
      const tsMs = currentMs()
      const nowMs = clock.now().getTime()
      const missed = missedSince(scope, sinceMs)
      const group = groups.add(socket, { scope, tag, filter })
      if (
        socket.write(textFrame(frameText('market.ready', JSON.stringify({ scope }), tsMs)), nowMs)
      )
        slow.add(socket)
      if (missed === null) sendGap(socket, { scope, tag, tsMs })
      else if (missed.length > 0) writeMissed(socket, missed, group).catch(deps.onError)
      loop.wake()
    },
    leave: (socket) => {
      groups.remove(socket)
      slow.remove(socket)
    },
    retag: (socket, tag) => {
      const group = groups.groupOf(socket)
      if (group === null || group.tag.key === tag.key) return
      groups.remove(socket)
      groups.add(socket, { ...group, tag })
      // All its prices are others: only a snapshot has them.
      sendGap(socket, { scope: group.scope, tag, tsMs: currentMs() })
    },
    announce: (event, dataText) => {
      const nowMs = clock.now().getTime()
      const frame = textFrame(frameText(event, dataText, currentMs()))
      for (const { scope, sockets } of groups.all()) {
        for (const socket of sockets) if (socket.write(frame, nowMs)) slow.add(socket)
        meters.onFrames(scope, sockets.size)
      }
    },
    wake: loop.wake,
    currentMs,
    counts: () => ({
      all: groups.count('all'),
      watchlist: groups.count('watchlist'),
      filter: groups.count('filter'),
    }),
    stop: async () => {
      await loop.stop()
      await keepingUp
    },
  }
}

const tickOf = (changes: readonly LiveChange[], tag: PriceTag): Tick =>
  joinFrames(changes.map((one) => ({ id: one.event.id, text: liveChangeText(one, tag) })))

type GroupKind = Pick<Group, 'scope' | 'tag' | 'filter'>

function createGroups({
  onFirst,
  onLast,
}: {
  /** A group has its first socket; or had its last. */
  onFirst(group: Group): void
  onLast(group: Group): void
}) {
  const groups = new Map<string, Group>()
  const memberships = new Map<LiveSocket, Group>()
  const sizes: Record<LiveScope, number> = { all: 0, watchlist: 0, filter: 0 }
  const keyOf = ({ scope, tag, filter }: GroupKind): string =>
    `${scope} ${tag.key} ${filter?.key ?? ''}`
  return {
    add: (socket: LiveSocket, { scope, tag, filter }: GroupKind): Group => {
      const key = keyOf({ scope, tag, filter })
      let group = groups.get(key)
      if (group === undefined) {
        group = { scope, tag, filter, sockets: new Set() }
        groups.set(key, group)
        onFirst(group)
      }
      group.sockets.add(socket)
      memberships.set(socket, group)
      sizes[scope]++
      return group
    },
    remove: (socket: LiveSocket): void => {
      const group = memberships.get(socket)
      if (group === undefined) return
      memberships.delete(socket)
      group.sockets.delete(socket)
      sizes[group.scope]--
      if (group.sockets.size > 0) return
      groups.delete(keyOf(group))
      onLast(group)
    },
    groupOf: (socket: LiveSocket): Group | null => memberships.get(socket) ?? null,
    all: () => groups.values(),
    of: (scope: LiveScope): Group[] => [...groups.values()].filter((one) => one.scope === scope),
    count: (scope: LiveScope): number => sizes[scope],
    size: (): number => memberships.size,
  }
}
