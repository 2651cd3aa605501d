// The sockets of one process: who is let in, what keeps them, and how they end.
import { LIVE_CLOSE_CODES, type LiveScope } from '@tradepost/contract'
import type { Clock } from '#infra/process/clock'
import type { Log } from '#infra/process/log'
import type { Metrics } from '#infra/process/metrics'
import type { SocketEdge } from '../shared/sockets.ts'
import type { WsClaims } from '../shared/ws-token.ts'
import {
  type AcceptDeps,
  type Admitted,
  createAccept,
  type LiveAccount,
  SOCKET_PATHS,
} from './accept.ts'
import { sendHeartbeats } from './heartbeats.ts'
import type { LiveSocket, SocketOwner } from './live-socket.ts'
import { type MarketChannelDeps, openMarketChannel } from './market-channel.ts'
import type { LiveMeters } from './meters.ts'
import { watchSlowReaders } from './slow-readers.ts'
import { openUserChannel, type UserChannelDeps } from './user-channel.ts'

export interface LiveDeps
  extends Pick<MarketChannelDeps, 'follower' | 'watchlist' | 'view'>,
    Pick<UserChannelDeps, 'events' | 'renderEvents'>,
    Pick<AcceptDeps, 'tokens' | 'admit' | 'slots' | 'readFilter'> {
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
  /** Null without such an account, or when it, its merchant, the key or the session may not read. */
  findAccount(
    owner: Pick<WsClaims, 'accountId' | 'tenantId' | 'keyId' | 'address' | 'session'>,
  ): Promise<LiveAccount | null>
  /** Unsent bytes of all sockets of this process. */
  readonly maxBufferedBytes: number
}

/** Sockets: all, those of an account or of a merchant's sub-users, or those that a key opened. */
export type Whose = 'all' | { readonly accountId: string } | { readonly keyId: string }

export interface Live extends SocketEdge {
  /** Listings changed. */
  wake(): void
  /** Sends an event of the service to the sockets of the market; those of accounts have it as an event. */
  announce(event: string, data: object): void
  /** What let them in may hold no more, or give other prices. */
  recheck(whose: Whose): void
  stop(): Promise<void>
}

const PING_EVERY_MS = 30_000
const MISSED_PINGS = 2
const RECHECK_EVERY_MS = 30_000
const RECHECKED_AT_ONCE = 100

export async function openLive(deps: LiveDeps): Promise<Live> {
  const { clock, log, tokens, admit, slots, readFilter } = deps
  const sockets = new Map<LiveSocket, Admitted>()
  const onError = (error: unknown): void => log.error({ err: error }, 'the sockets are not kept up')
  const meters = createMeters(deps.metrics)
  const slow = watchSlowReaders({
    clock,
    maxBufferedBytes: deps.maxBufferedBytes,
    everySocket: () => sockets.keys(),
    onError,
  })
  const shared = { clock, slow, meters, onError }
  const market = await openMarketChannel({ ...deps, ...shared })
  const user = openUserChannel({ ...deps, ...shared })
  const heartbeats = sendHeartbeats({
    ...{ clock, slow, onError },
    everySocket: () => sockets.values(),
    tsOf: { market: market.currentMs, user: () => clock.now().getTime() },
  })
  measure(deps.metrics, {
    sockets: () => ({ ...market.counts(), user: user.count() }),
    bufferedBytes: () => {
      let total = 0
      for (const socket of sockets.keys()) total += socket.bufferedBytes
      return total
    },
  })

  let rechecks = 0
  /** How many rechecks there had been when a token was looked up: later ones do not find its socket yet. */
  const lookedUpAfter = new WeakMap<SocketOwner, number>()

  const accept = createAccept({
    tokens,
    clock,
    meters,
    admit,
    findAccount: (claims) => {
      lookedUpAfter.set(claims, rechecks)
      return deps.findAccount(claims)
    },
    slots,
    readFilter,
    onOpen: async (admitted) => {
      const { socket, channel, account, scope, filter, sinceMs } = admitted
      sockets.set(socket, admitted)
      socket.ws.on('pong', () => {
        socket.missedPings = 0
      })
      if (channel === 'user') await user.join(socket)
      else market.join(socket, { scope, tag: account.tag, filter, sinceMs })
      if (lookedUpAfter.get(socket.owner) !== rechecks) await recheckOwner([admitted])
    },
    onEnd: (socket) => {
      sockets.delete(socket)
      market.leave(socket)
      user.leave(socket)
    },
    onError,
  })

  /** What holds for the account and the key now: their sockets are closed, or get other prices. */
  const recheckOwner = async (ofOwner: readonly Admitted[]): Promise<void> => {
    const owner = ofOwner[0]?.socket.owner
    const account = owner && (await deps.findAccount(owner))
    for (const { socket, channel } of ofOwner) {
      if (!account) socket.close(LIVE_CLOSE_CODES.token, 'Invalid token')
      else if (channel === 'market') market.retag(socket, account.tag)
    }
  }
  const recheckAll = async (meant: readonly Admitted[]): Promise<void> => {
    const ownerOf = ({ socket: { owner } }: Admitted): string =>
      `${owner.accountId} ${owner.keyId} ${owner.address} ${owner.session?.sessionId}`
    const owners = [...Map.groupBy(meant, ownerOf).values()]
    // Some at a time: ten thousand questions at once would keep buyers waiting for the database.
    for (let at = 0; at < owners.length; at += RECHECKED_AT_ONCE) {
      await Promise.all(owners.slice(at, at + RECHECKED_AT_ONCE).map(recheckOwner))
    }
  }
  const recheck = (whose: Whose): void => {
    rechecks++
    const isMeant = ({ socket: { owner } }: Admitted): boolean => {
      if (whose === 'all') return true
      if ('keyId' in whose) return owner.keyId === whose.keyId
      return owner.accountId === whose.accountId || owner.tenantId === whose.accountId
    }
    recheckAll([...sockets.values()].filter(isMeant)).catch(onError)
  }
  const pinging = setInterval(() => {
    for (const socket of sockets.keys()) {
      if (socket.missedPings >= MISSED_PINGS) socket.ws.terminate()
      else if (socket.isOpen) {
        socket.missedPings++
        socket.ws.ping()
      }
    }
  }, PING_EVERY_MS)
  // A notice can be lost with its connection; the rate of the day has none.
  const rechecking = setInterval(() => recheck('all'), RECHECK_EVERY_MS)
  pinging.unref()
  rechecking.unref()

  return {
    paths: [...SOCKET_PATHS.keys()],
    accept,
    wake: market.wake,
    announce: (event, data) => market.announce(event, JSON.stringify(data)),
    recheck,
    stop: async () => {
      clearInterval(pinging)
      clearInterval(rechecking)
      for (const socket of sockets.keys()) {
        socket.close(LIVE_CLOSE_CODES.goingAway, 'Going away')
      }
      await Promise.all([market.stop(), user.stop(), heartbeats.stop()])
      await slow.stop()
    },
  }
}

function createMeters(metrics: Metrics): LiveMeters {
  const frames = metrics.counter('live_frames_total', 'Frames written to sockets', ['scope'])
  const conflated = metrics.counter(
    'live_conflated_total',
    'Frames that a later one of the same listing replaced, for slow readers',
  )
  const closes = metrics.counter('live_closes_total', 'Sockets that we closed', ['code'])
  const lag = metrics.histogram('live_lag_seconds', 'Age of a change when its frame was written')
  return {
    onFrames: (scope, count) => frames.labels(scope).inc(count),
    onConflated: (count) => conflated.inc(count),
    onClosed: (code) => closes.labels(String(code)).inc(),
    onTick: (lagMs) => lag.observe(Math.max(0, lagMs) / 1000),
  }
}

function measure(
  metrics: Metrics,
  now: { sockets(): Readonly<Record<LiveScope | 'user', number>>; bufferedBytes(): number },
): void {
  const open = metrics.gauge('live_sockets', 'Open sockets', ['scope'])
  const buffered = metrics.gauge('live_buffered_bytes', 'What slow readers make the process keep')
  metrics.onScrape(() => {
    for (const [scope, count] of Object.entries(now.sockets())) open.labels(scope).set(count)
    buffered.set(now.bufferedBytes())
  })
}
