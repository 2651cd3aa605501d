// /market/live: changes of listings, sent in one piece to all sockets that see the same prices. A tick
// gathers the events of a tenth of a second, writes its frames once for each scope and price tag, and gives
// each socket one write.
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import type { LiveScope } from '@tradepost/contract'
import { FIRST_LOOK_BACK_MS, type ListingsFollower } from '#catalog'
import { type PollPause, startPollLoop } from '#infra/jobs/poll-loop'
import type { Clock } from '#infra/process/clock'
import type { PriceTag } from '#pricing'
import { frameText } from '#wire/merchant/live'
import { joinFrames, type Tick, textFrame } from './frames.ts'
import type { LiveSocket } from './live-socket.ts'
import type { LiveMeters } from './meters.ts'
import { type News, newsFrame, newsOf, newsText } from './news.ts'
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
  /** The `ts` of the last frame that the client saw; 'unknown' when it says something that is none. */
  readonly sinceMs: number | 'unknown' | null
}

export interface MarketChannelDeps {
  readonly follower: ListingsFollower
  readonly watchlist: Watchlist
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
const NEWS_AT_ONCE = 300
/** Sockets that are written to before other work of the process gets its turn. */
const WRITES_AT_ONCE = 250
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
  readonly sockets: Set<LiveSocket>
}

/** Ready when everything up to now is known. */
export async function openMarketChannel(deps: MarketChannelDeps): Promise<MarketChannel> {
  const { follower, watchlist, clock, slow, meters } = deps
  const groups = createGroups()
  const recent: Readonly<Record<LiveScope, Recent>> = {
    all: createRecent(),
    watchlist: createRecent(),
  }

  const deliver = async (scope: LiveScope, news: readonly News[]): Promise<void> => {
    if (news.length === 0) return
    for (const group of groups.of(scope)) {
      const tick = tickOf(news, group.tag)
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

  /** True when there is more already. */
  const tick = async (): Promise<boolean> => {
    const read = await follower.read(NEWS_AT_ONCE)
    const nowMs = clock.now().getTime()
    if (read.lost) {
      for (const scope of SCOPES) {
        recent[scope].begin(nowMs)
        for (const { tag, sockets } of groups.of(scope)) {
          for (const socket of sockets) sendGap(socket, { scope, tag, tsMs: nowMs })
        }
      }
    }
    const listed = read.events.map((event) => newsOf(event, 'all'))
    recent.all.add(listed, nowMs)
    await deliver('all', listed)
    if (read.switched || read.lost) watchlist.doubt()
    const touched = new Set(read.events.flatMap(({ itemId }) => itemId ?? []))
    const events = await watchlist.update(touched, nowMs)
    const watched = events.map((event) => newsOf(event, 'watchlist'))
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
    if (scope === 'all' && switchedMs > sinceMs - SWITCH_TOLD_MS) return null
    return recent[scope].since(sinceMs - RESUME_OVERLAP_MS)
  }

  const startMs = clock.now().getTime()
  recent.all.begin(startMs - FIRST_LOOK_BACK_MS)
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
    join: (socket, { scope, tag, sinceMs }) => {
      const tsMs = currentMs()
      const nowMs = clock.now().getTime()
      const missed = missedSince(scope, sinceMs)
      groups.add(socket, scope, tag)
      if (
        socket.write(textFrame(frameText('market.ready', JSON.stringify({ scope }), tsMs)), nowMs)
      )
        slow.add(socket)
      if (missed === null) sendGap(socket, { scope, tag, tsMs })
      else if (missed.length > 0) {
        const frames = missed.map((news) => newsFrame(news, tag))
        socket.writeLater(frames, nowMs)
        socket.lookAfter(nowMs)
        if (socket.isSlow) slow.add(socket)
      }
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
      groups.add(socket, group.scope, tag)
      // All its prices are others: only a snapshot has them.
      sendGap(socket, { scope: group.scope, tag, tsMs: currentMs() })
    },
    announce: (event, dataText) => {
      const nowMs = clock.now().getTime()
      const frame = textFrame(frameText(event, dataText, currentMs()))
      for (const { scope, sockets } of SCOPES.flatMap((each) => groups.of(each))) {
        for (const socket of sockets) if (socket.write(frame, nowMs)) slow.add(socket)
        meters.onFrames(scope, sockets.size)
      }
    },
    wake: loop.wake,
    currentMs,
    counts: () => ({ all: groups.count('all'), watchlist: groups.count('watchlist') }),
    stop: loop.stop,
  }
}

const SCOPES = ['all', 'watchlist'] as const satisfies readonly LiveScope[]

const tickOf = (news: readonly News[], tag: PriceTag): Tick =>
  joinFrames(news.map((one) => ({ id: one.event.id, text: newsText(one, tag) })))

function createGroups() {
  const groups = new Map<string, Group>()
  const memberships = new Map<LiveSocket, Group>()
  return {
    add: (socket: LiveSocket, scope: LiveScope, tag: PriceTag): void => {
      const key = `${scope} ${tag.key}`
      let group = groups.get(key)
      if (group === undefined) {
        group = { scope, tag, sockets: new Set() }
        groups.set(key, group)
      }
      group.sockets.add(socket)
      memberships.set(socket, group)
    },
    remove: (socket: LiveSocket): void => {
      const group = memberships.get(socket)
      if (group === undefined) return
      memberships.delete(socket)
      group.sockets.delete(socket)
      if (group.sockets.size === 0) groups.delete(`${group.scope} ${group.tag.key}`)
    },
    groupOf: (socket: LiveSocket): Group | null => memberships.get(socket) ?? null,
    of: (scope: LiveScope): Group[] => [...groups.values()].filter((one) => one.scope === scope),
    count: (scope: LiveScope): number => {
      let count = 0
      for (const group of groups.values()) if (group.scope === scope) count += group.sockets.size
      return count
    },
    size: (): number => memberships.size,
  }
}
