// The live sockets with what they depend on.
import { LIVE_SOCKETS_IN_ALL, LIVE_SOCKETS_PER_ACCOUNT } from '@tradepost/contract'
import {
  type Catalog,
  type CatalogueView,
  CHANGE_CHANNEL,
  type Listing,
  type ListingsView,
} from '#catalog'
import { type createCallerFinder, watchAccountStatus, watchKeys } from '#identity'
import type { Db } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import type { Log } from '#infra/process/log'
import type { Metrics } from '#infra/process/metrics'
import { followEvents } from '#outbox'
import { openConnectionSlots } from '#sockets'
import type { MerchantRenderer } from '../../adapters/bridges/render-events.ts'
import { createFindAccount } from '../../edges/http/live/find-account.ts'
import { type Live, openLive } from '../../edges/http/live/live.ts'
import { createReadFilter } from '../../edges/http/live/read-filter.ts'
import { createWatchlist } from '../../edges/http/live/watchlist.ts'
import { CURATED_ITEMS } from '../../edges/http/merchant/market/listings.ts'
import type { LimitsDeps } from '../../edges/http/shared/limits.ts'
import { createSocketAdmission } from '../../edges/http/shared/socket-admission.ts'
import type { WsTokens } from '../../edges/http/shared/ws-token.ts'
import type { Config } from '../config.ts'

export interface SocketsBase {
  readonly config: Pick<Config, 'liveBufferBytes' | 'liveSocketsPerMerchant'>
  readonly db: Db
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
}

export interface SocketsParts {
  readonly tokens: WsTokens
  readonly rateLimits: LimitsDeps
  readonly catalog: Catalog
  readonly view: CatalogueView
  readonly listings: ListingsView
  readonly findCaller: ReturnType<typeof createCallerFinder>
  readonly globalDefaultFeeBps: () => Promise<number>
  readonly renderEvents: MerchantRenderer
}

export interface Sockets {
  readonly edge: Live
  /** Called with each answer of GET /market. */
  readonly onLiveMarket: (listings: readonly Listing[]) => void
  stop(): Promise<void>
}

/** Follows the market from now on, and is ready to take sockets. */
export async function openSockets(resources: SocketsBase, parts: SocketsParts): Promise<Sockets> {
  const { config, db, clock, log, metrics } = resources
  const { tokens, rateLimits, catalog, view, listings } = parts
  const slots = await openConnectionSlots({
    db,
    clock,
    caps: {
      perAccount: LIVE_SOCKETS_PER_ACCOUNT,
      perTenant: config.liveSocketsPerMerchant,
      inAll: LIVE_SOCKETS_IN_ALL,
    },
    onError: (error) => log.warn({ err: error }, 'connection slots not written'),
  })
  const watchlist = createWatchlist({
    view,
    readCheapest: catalog.readCheapest,
    size: CURATED_ITEMS,
  })
  const live = await openLive({
    tokens,
    clock,
    log,
    metrics,
    slots,
    admit: createSocketAdmission(rateLimits),
    findAccount: createFindAccount({ db, clock, ...parts }),
    follower: catalog.followListings(listings),
    watchlist,
    view,
    readFilter: createReadFilter(view),
    events: followEvents(db),
    renderEvents: parts.renderEvents,
    maxBufferedBytes: config.liveBufferBytes,
  })
  const unlisten = await Promise.all([
    db.listen(CHANGE_CHANNEL, live.wake),
    watchAccountStatus(db, (accountId) => live.recheck(accountId === null ? 'all' : { accountId })),
    // Null means what the channel of account status says, too.
    watchKeys(db, (changed) => {
      if (changed !== null) live.recheck({ keyId: changed.keyId })
    }),
  ])
  return {
    edge: live,
    onLiveMarket: watchlist.wasListed,
    stop: async () => {
      await Promise.all(unlisten.map((end) => end()))
      await live.stop()
      await slots.stop()
    },
  }
}
