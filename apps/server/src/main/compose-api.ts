// Where the parts that answer requests meet: plain functions are handed to plain functions.
import { contractFormats, dashboardOnlyRoutes, openapiDocuments } from '@tradepost/contract'
import type { FastifyInstance } from 'fastify'
import type { PlaceMarketOrder } from '#bidding'
import {
  type AccountRef,
  createBuy,
  createCancelBuy,
  createPreflight,
  createQuickBuy,
  type Market,
} from '#buying'
import {
  type Catalog,
  createCatalog,
  createPictures,
  type ListingsView,
  openCatalogueView,
  openListingsView,
} from '#catalog'
import {
  createCallerFinder,
  createKeyFinder,
  looksLikeKey,
  readExternalIds,
  watchKeys,
} from '#identity'
import { createCopyOut } from '#infra/database/copy-out'
import { type Db, openDb } from '#infra/database/db'
import { createHeavyReads, type HeavyReads } from '#infra/database/heavy-reads'
import { readHistory } from '#infra/database/recovery-mark'
import { createStaleReads, type Replica } from '#infra/database/replica'
import { startPollLoop } from '#infra/jobs/poll-loop'
import type { WorkerBeats } from '#infra/jobs/worker-beats'
import type { Readiness } from '#infra/process/health'
import { createProcessFigures } from '#infra/process/process-figures'
import type { SecretBox } from '#infra/process/secrets'
import { watchService } from '#operations'
import { type EventWatch, watchEvents } from '#outbox'
import { createGlobalDefaultReader } from '#pricing'
import { createCallLog, createReporters, withCallLog } from '#reconciliation'
import { cancelSell } from '#selling'
import { statusChangeView } from '#wire/merchant/status-change'
import {
  createRenderDeliveries,
  createRenderEvents,
  type MerchantRenderer,
} from '../adapters/bridges/render-events.ts'
import { createMayReadRunbooks } from '../edges/http/dashboard/may-read-runbooks.ts'
import { dashboardPages } from '../edges/http/dashboard/pages.ts'
import { createInboundInterface } from '../edges/http/inbound/inbound.ts'
import { createAuthenticator } from '../edges/http/merchant/authenticate.ts'
import { createBuyOperation } from '../edges/http/merchant/buy/buy.ts'
import { createCancelOperations } from '../edges/http/merchant/cancel/cancel.ts'
import { createLimitsOperation } from '../edges/http/merchant/limits/limits.ts'
import { createMarketOperations } from '../edges/http/merchant/market/market-operations.ts'
import { createMarketOrderOperations } from '../edges/http/merchant/market-orders/market-orders.ts'
import { createMerchantInterface } from '../edges/http/merchant/merchant-interface.ts'
import type { MerchantOperations } from '../edges/http/merchant/operation.ts'
import { createPayoutOperations } from '../edges/http/merchant/payouts/payouts.ts'
import { createPreflightOperation } from '../edges/http/merchant/preflight/preflight.ts'
import { createQuickBuyOperation } from '../edges/http/merchant/quick-buy/quick-buy.ts'
import { createResolveAccount } from '../edges/http/merchant/resolve-account.ts'
import { createTimelineOperation } from '../edges/http/merchant/timeline/timeline.ts'
import { createTradeLookupOperation } from '../edges/http/merchant/trade-lookup/trade-lookup.ts'
import { createTradeUrlsOperations } from '../edges/http/merchant/trade-urls/trade-urls.ts'
import { createWsTokenOperation } from '../edges/http/merchant/ws-token/ws-token.ts'
import { addPictures, createSourceOf } from '../edges/http/pictures/add-pictures.ts'
import { createRateLimits, type RateLimitsDeps } from '../edges/http/shared/rate-limits.ts'
import { createServer } from '../edges/http/shared/server.ts'
import { createWsTokens } from '../edges/http/shared/ws-token.ts'
import { addStatusPage } from '../edges/http/status/add-status-page.ts'
import { type BoardFile, openBoard } from '../edges/http/status/board.ts'
import { createStatusInterface } from '../edges/http/status/status-interface.ts'
import { watchSilence } from '../edges/http/status/watch-silence.ts'
import type { MarketAccounts } from './market-accounts.ts'
import { createAccountReads, createAccountWrites } from './parts/account.ts'
import { type BuyingParts, createBuyingParts } from './parts/buying.ts'
import { createOwnerAddress } from './parts/chains.ts'
import { createDashboard } from './parts/dashboard.ts'
import { createDashboardMoney } from './parts/dashboard-money.ts'
import { createDeposits, createNotices } from './parts/deposits.ts'
import type { Noting } from './parts/gates.ts'
import { openKeyRequests } from './parts/key-requests.ts'
import { createItemFinders, createMarketOrderPlacing } from './parts/market-orders.ts'
import { createPartnerApi } from './parts/partner.ts'
import { createCallback, createNetworks, openSigner, type PayoutParts } from './parts/payouts.ts'
import { publicUrlOf } from './parts/public-url.ts'
import { HEAVY_READ_CONNECTIONS, HEAVY_READ_TIMEOUT_MS } from './parts/replica.ts'
import { createSelling } from './parts/selling.ts'
import { openSockets, type Sockets } from './parts/sockets.ts'

export interface Api {
  readonly app: FastifyInstance
  /** The list of things that exist is known. */
  hasItems(): boolean
  /** Every market has been read once, and this process has something to sell. */
  hasCatalogue(): Promise<boolean>
  /** Something is for sale. */
  isSelling(): boolean
  /** What `/readyz` says; with silent workers it is not. */
  isReady(): Promise<boolean>
  /** Finishes requests under way, then lets go of the database. */
  stop(): Promise<void>
}

/** The HTTP server with every operation, ready to listen. */
export async function createApi(
  resources: Noting & {
    /** Null: there is none. */
    readonly replica: Replica | null
    readonly secrets: SecretBox
    readonly accounts: MarketAccounts
    readonly checkReady: () => Promise<Readiness>
    readonly workers: Pick<WorkerBeats, 'areSilent'>
    readonly rateLimits: RateLimitsDeps
    /** Keeps the status for a start without the database. */
    readonly statusFile: BoardFile
    /** The built pages of the dashboard; null when there are none. */
    readonly pagesFolder: string | null
  },
): Promise<Api> {
  const { config, db, clock, log, metrics, replica, secrets } = resources
  const { accounts, checkReady, workers, rateLimits, pagesFolder, statusFile } = resources
  const catalog = createCatalog({ db, clock })
  const staleReads = createStaleReads(replica, db)
  const view = await openCatalogueView({
    db,
    ...(replica && { staleReads }),
    clock,
    onError: (error) => log.error({ err: error }, 'catalogue refresh failed'),
  })
  const listings = await openListingsView({
    db,
    clock,
    onError: (error) => log.error({ err: error }, 'listings are not kept up'),
  })
  const globalDefaultFeeBps = createGlobalDefaultReader({ db, clock })
  const findCaller = createCallerFinder(db)
  const renderEvents = createRenderEvents({ db, log, metrics })
  const tokens = createWsTokens(secrets)
  const sockets = await openSockets(resources, {
    tokens,
    rateLimits,
    catalog,
    view,
    listings,
    findCaller,
    globalDefaultFeeBps,
    renderEvents,
  })
  const keys = { findKey: createKeyFinder({ db, clock }), looksLikeKey, clock }
  const { authenticate, confirm, forgetKeys } = createAuthenticator(keys)
  const watch = await watchEvents({
    db,
    onError: (error) => log.error({ err: error }, 'query of waiting event followers failed'),
  })
  const serviceWatch = watchService({
    db,
    onError: (error) => log.error({ err: error }, 'read of the marks of waiting pages failed'),
  })
  const heavyDb = openDb({
    url: db.url,
    poolSize: HEAVY_READ_CONNECTIONS,
    statementTimeoutMs: HEAVY_READ_TIMEOUT_MS,
    applicationName: 'tradepost heavy reads',
    onConnectionError: (error) => log.warn({ err: error }, 'a database connection was lost'),
  })
  const heavyReads = createHeavyReads({
    db: heavyDb,
    replica,
    atOnce: HEAVY_READS_PER_TENANT,
    waiting: HEAVY_READS_WAITING_PER_TENANT,
    // As long as all that waits before it may take.
    waitMs: HEAVY_READS_WAITING_PER_TENANT * HEAVY_READ_TIMEOUT_MS,
  })
  const copyOut = createCopyOut({
    db,
    replica,
    atOnce: EXPORTS_AT_ONCE,
    timeoutMs: EXPORT_TIMEOUT_MS,
    slowMs: EXPORT_SLOW_MS,
    stallMs: EXPORT_STALL_MS,
  })
  const figures = createProcessFigures(clock)
  const history = startPollLoop({
    pollMs: HISTORY_EVERY_MS,
    restMs: 0,
    run: async () => figures.noteHistory(await readHistory(db)),
    // The gauge of the worker and the log report that the database is away.
    onError: () => {},
  })
  const buying = createBuyingParts(resources, { catalog, view, workers })
  const placeMarketOrder = createMarketOrderPlacing(resources, { buying, view, workers })
  const operations: MerchantOperations = {
    ...createOperations(resources, {
      ...{ heavyReads, secrets, accounts, buying, workers, placeMarketOrder },
      ...{ catalog, view, listings, watch, renderEvents, globalDefaultFeeBps, sockets },
    }),
    getMerchantLimits: createLimitsOperation(rateLimits),
    issueWsToken: createWsTokenOperation({ tokens, clock }),
  }
  const limits = createRateLimits(rateLimits)
  const resolveAccount = createResolveAccount({ findCaller, globalDefaultFeeBps })
  const merchant = createMerchantInterface({
    operations: Object.values(operations),
    ...{ authenticate, confirm, resolveAccount },
    dashboardOnly: dashboardOnlyRoutes,
    rateLimits: limits,
    clock,
  })
  const board = openBoard({
    ...{ db, clock, log, file: statusFile },
    onChange: (change) => sockets.edge.announce('service.status_changed', statusChangeView(change)),
  })
  const silence = watchSilence({
    ...{ db, clock, log, areSilent: workers.areSilent, silenceMs: config.workerSilenceMs },
  })
  const status = createStatusInterface({
    ...{ authenticate, confirm, board, rateLimits: limits },
    webhookAddresses: config.webhooks.addresses,
  })
  const inbound = createInboundInterface({
    receiveNotice: createNotices(resources),
    addresses: limits.addresses,
  })
  const dashboard = createDashboard(resources, {
    ...{ secrets, rateLimits, heavyReads, staleReads, copyOut, resolveAccount, reads: operations },
    ...{ watch, serviceWatch, placeMarketOrder },
    addresses: limits.addresses,
    renderDeliveries: createRenderDeliveries({ db, log, metrics }),
    money: createDashboardMoney(resources, {
      ...{ secrets, workers },
      currentRate: buying.currentRate,
    }),
    readFigures: figures.read,
    // Asked while a request is answered, when the port is known.
    publicUrl: () => publicUrlOf(config, portOf(app)),
  })
  const partner = createPartnerApi(resources, {
    ...{ keys, secrets, catalog, view, listings, heavyReads, buying, workers, globalDefaultFeeBps },
    rateLimits: limits,
  })
  const unwatchKeys = await watchKeys(db, (changed) => {
    forgetKeys(changed?.keyId)
    partner.forgetKeys(changed?.keyId)
    // A client that waits sends its request again, with a key that is looked up again. Only clients of the
    // key's account do: the request costs a token, and no tenant may spend those of another.
    watch.endWaits(changed?.accountId)
  })
  const keyRequests = config.keepsKeyRequests ? openKeyRequests(resources) : null
  const app = await createServer({
    interfaces: [merchant, partner.api, dashboard, inbound, status],
    sockets: sockets.edge,
    checkReady: async () => {
      const { status, checks } = await checkReady()
      return { status, checks: { ...checks } }
    },
    docs: { documents: openapiDocuments, mayReadRunbooks: createMayReadRunbooks(dashboard) },
    addRoutes: (server, edge) => {
      addStatusPage(server, edge, { board, clock })
      addPictures(server, edge, {
        pictures: createPictures({ db, clock, sourceOf: createSourceOf(view) }),
        addresses: limits.addresses,
      })
    },
    security:
      config.securityContact === null
        ? null
        : { contact: config.securityContact, publicUrl: () => publicUrlOf(config, portOf(app)) },
    pages: dashboardPages(pagesFolder, dashboard),
    formats: contractFormats(config.communityHost),
    log,
    clock,
    onAnswered: (answered, exchange) => {
      const { method, route, status, durationMs } = answered
      const observed = { method, route, status, seconds: durationMs / 1000 }
      metrics.observeRequest(observed)
      figures.observe(observed)
      keyRequests?.note(answered, exchange)
    },
    trustedProxies: config.trustedProxies,
  })
  const isSelling = (): boolean => view.mostTraded(1).length > 0
  return {
    app,
    hasItems: () => view.list({ offset: 0, limit: 1 }).total > 0,
    hasCatalogue: async () => {
      const markets = await catalog.listMarkets()
      return markets.every(({ snapshotAt }) => snapshotAt !== null) && isSelling()
    },
    isSelling,
    isReady: async () => (await checkReady()).status === 'ready',
    stop: async () => {
      // First: requests that wait for events would keep the server open.
      await Promise.all([watch.stop(), serviceWatch.stop(), history.stop()])
      await Promise.all([board.stop(), silence.stop()])
      figures.stop()
      // An open socket would keep the server from closing.
      await sockets.stop()
      await app.close()
      await keyRequests?.stop()
      await Promise.all([unwatchKeys(), view.stop(), listings.stop()])
      await heavyDb.close()
    },
  }
}

const portOf = (app: FastifyInstance): number | null => {
  const address = app.server.address()
  return typeof address === 'object' && address !== null ? address.port : null
}

interface OperationParts {
  readonly secrets: SecretBox
  readonly accounts: MarketAccounts
  readonly buying: BuyingParts
  readonly placeMarketOrder: (db: Db) => PlaceMarketOrder
  readonly workers: Pick<WorkerBeats, 'areSilent'>
  readonly heavyReads: HeavyReads
  readonly catalog: Catalog
  readonly view: Awaited<ReturnType<typeof openCatalogueView>>
  readonly listings: ListingsView
  readonly watch: EventWatch
  readonly renderEvents: MerchantRenderer
  readonly globalDefaultFeeBps: () => Promise<number>
  readonly sockets: Pick<Sockets, 'onLiveMarket'>
}

const HISTORY_EVERY_MS = 15_000

/** One: beside the heavy reads of a tenant a processor is always left for the others. */
const HEAVY_READS_PER_TENANT = 1
const HEAVY_READS_WAITING_PER_TENANT = 8

/** On top of both, a connection each. */
const EXPORTS_AT_ONCE = 2
const EXPORT_TIMEOUT_MS = 600_000
/**
 * A steady reader is seen to take nothing for several seconds: the kernel holds up to 4 MB of what was sent
 * (`tcp_wmem`), and takes more only once a third of that has gone, 7 s at 185 kB/s.
 */
const EXPORT_SLOW_MS = 20_000
const EXPORT_STALL_MS = 60_000

/** A request is answered within half a minute, its last call to a supplier included. */
const CANCEL_PATIENCE_MS = 12_000
const CANCELS_AT_ONCE = 8

function createOperations(
  resources: Noting,
  {
    catalog,
    view,
    listings,
    watch,
    renderEvents,
    globalDefaultFeeBps,
    sockets,
    heavyReads,
    secrets,
    accounts,
    buying,
    placeMarketOrder,
    workers,
  }: OperationParts,
): Omit<MerchantOperations, 'getMerchantLimits' | 'issueWsToken'> {
  const { db, clock, log } = resources
  const calls = createCallLog({
    db,
    onLost: (error, count) => log.warn({ err: error, count }, 'calls to suppliers are not logged'),
  })
  const logged = new WeakMap<Market, Market>()
  const marketOf = (of: AccountRef): Market | null => {
    const found = accounts.find(of)
    if (found === null) return null
    const known = logged.get(found.market) ?? withCallLog(found.market, { log: calls, clock })
    logged.set(found.market, known)
    return known
  }
  const { currentRate: usdPerEurMicros, resolveTradeUrl } = buying
  return {
    ...createAccountReads(resources, { heavyReads, watch, renderEvents, globalDefaultFeeBps }),
    ...createAccountWrites(resources, { db, heavyReads }),
    ...createTradeUrlsOperations({ db, clock, resolveTradeUrl }),
    ...createMarketOperations({
      catalog,
      view,
      listings,
      clock,
      currentRate: usdPerEurMicros,
      onLiveMarket: sockets.onLiveMarket,
    }),
    ...createDeposits(resources, {
      secrets,
      currentRate: usdPerEurMicros,
      addressFor: createOwnerAddress(resources, 'deposit'),
    }),
    ...createSelling(resources, {
      ...{ view, resolveTradeUrl, isPaused: buying.isPaused },
      currentRate: usdPerEurMicros,
    }),
    ...createPayouts({ ...resources, secrets }, workers),
    lookUpTrades: createTradeLookupOperation({ db }),
    getTradeTimeline: createTimelineOperation({ db }),
    ...createCancelOperations({
      db,
      cancelBuy: createCancelBuy({
        db,
        clock,
        marketOf,
        patienceMs: CANCEL_PATIENCE_MS,
        concurrency: CANCELS_AT_ONCE,
        onCase: createReporters(resources)('follower'),
      }),
      cancelSell: (trade) => cancelSell({ db, clock }, trade),
    }),
    preflightBuy: createPreflightOperation({ tryBuy: createPreflight(buying) }),
    buy: createBuyOperation({ buy: createBuy(buying) }),
    ...createMarketOrderOperations({ db, clock, placeMarketOrder: placeMarketOrder(db) }),
    quickBuy: createQuickBuyOperation({
      quickBuy: createQuickBuy({
        ...buying,
        ...createItemFinders(view),
        findSeller: catalog.findSeller,
      }),
    }),
  }
}

function createPayouts(
  resources: PayoutParts & Noting,
  workers: Pick<WorkerBeats, 'areSilent'>,
): ReturnType<typeof createPayoutOperations> {
  const { db, clock, config } = resources
  return createPayoutOperations({
    ...{ db, clock, addressFor: createOwnerAddress(resources, 'payout_custody') },
    networks: createNetworks(resources, openSigner(config)),
    callback: createCallback(resources),
    areWorkersSilent: workers.areSilent,
    externalIdsOf: (ids) => readExternalIds(db, ids),
  })
}
