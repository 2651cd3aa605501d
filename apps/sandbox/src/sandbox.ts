import type { Server, Socket } from 'node:net'
import { type FastifyInstance, fastify } from 'fastify'
import { serveCatalogue } from './catalog-feed/index.ts'
import type { Config } from './config.ts'
import { serveConsole } from './console/index.ts'
import { ControlFault } from './control/body.ts'
import { type ControlDeps, serveControl, serveMailSink } from './control/index.ts'
import type { MarketHandle } from './control/market-controls.ts'
import type { Dataset, DatasetOptions, MarketId } from './dataset/types.ts'
import { CHANGES_PER_TICK, type DatasetKeeper, keepDataset } from './dataset-keeper.ts'
import { serveRates } from './fx/index.ts'
import { serveSockets } from './http/sockets.ts'
import { type Clock, systemClock } from './kernel/clock.ts'
import { createMailbox } from './mail/mailbox.ts'
import { createAccounts } from './markets/accounts.ts'
import { createCallLimit } from './markets/call-limit.ts'
import { createMarketA } from './markets/market-a/index.ts'
import { createMarketB } from './markets/market-b/index.ts'
import type { OrderTerms } from './markets/order.ts'
import { createOrders, type Orders } from './markets/orders.ts'
import { createSwitchboard } from './markets/switchboard.ts'
import { createBotAccounts } from './platform/bots/accounts.ts'
import { createConfirmations } from './platform/bots/confirmations.ts'
import { createHandovers } from './platform/bots/handovers.ts'
import { createBotOffers } from './platform/bots/offers.ts'
import { servePlatform } from './platform/index.ts'
import { createInventories } from './platform/inventories.ts'
import { createPrivacy } from './platform/privacy.ts'
import { createPlatformScript } from './platform/script.ts'
import { openSqliteStore } from './store/sqlite-store.ts'
import { createForgetfulStore, type Store } from './store/store.ts'

export interface SandboxOptions {
  readonly config: Config
  readonly createDataset: (options: DatasetOptions) => Dataset
  readonly clock?: Clock
  /** False leaves all movement to `runDue` and `tick`: for tests that hold the clock. */
  readonly movesByItself?: boolean
}

/** All outside parties on one port. */
export interface Sandbox {
  readonly url: string
  readonly port: number
  /** Lets everything happen whose time has come by the clock. */
  runDue(): void
  nextDueMs(): number | null
  tick(): void
  /** Answers what has come in, stores the dataset, then lets go of the port. */
  close(): Promise<void>
}

/** How often the parties look at the clock; the shortest delay of theirs is ten times as long. */
const STEP_MS = 20

export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { config } = options
  const clock = options.clock ?? systemClock
  const stopping = new AbortController()
  const stop = stopping.signal
  const parties = assemble(options, { clock, stop })
  const { store, keeper, marketA, marketB, control, runDue, nextDueMs } = parties

  const app = fastify({
    // A look-up of a hundred ids or fifty names travels in the address.
    http: { maxHeaderSize: 64 * 1024 },
    routerOptions: { maxParamLength: 200 },
    bodyLimit: 1024 * 1024,
    // A HEAD of a purchase must not buy.
    exposeHeadRoutes: false,
  })
  const connections = connectionsOf(app.server)
  app.addHook('onError', async (request, _reply, error) => {
    if ((error.statusCode ?? 500) < 500 || error instanceof ControlFault) return
    const line = { event: 'fault', url: request.routeOptions.url, error: error.stack }
    process.stderr.write(`${JSON.stringify(line)}\n`)
  })
  await app.register(async (scope) => marketA.routes(scope), { prefix: '/market-a' })
  await app.register(async (scope) => marketB.routes(scope), { prefix: '/market-b' })
  await app.register(async (scope) => servePlatform(scope, { ...control, stop }), {
    prefix: '/platform',
  })
  await app.register(async (scope) => serveCatalogue(scope, keeper.dataset.catalogue), {
    prefix: '/catalog',
  })
  await app.register(async (scope) => serveRates(scope, { clock, seed: config.seed }), {
    prefix: '/fx',
  })
  await app.register(async (scope) => serveControl(scope, control), { prefix: '/control' })
  await app.register(async (scope) => serveMailSink(scope, control))
  await app.register(async (scope) => serveConsole(scope))
  const closeSockets = serveSockets(app.server, [marketA.socketRoute, marketB.socketRoute])

  const heart = options.movesByItself === false ? null : startHeart(parties, config, clock)
  const letGo = (): void => {
    stopping.abort()
    clearInterval(heart ?? undefined)
    closeSockets()
    marketA.close()
    marketB.close()
  }
  try {
    await app.listen({ host: config.host, port: config.port })
  } catch (error) {
    letGo()
    store.close()
    throw error
  }
  const address = app.server.address()
  const port = typeof address === 'object' && address !== null ? address.port : config.port

  return {
    url: `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`,
    port,
    runDue,
    nextDueMs,
    tick: () => keeper.tick(clock.nowMs()),
    async close() {
      letGo()
      await drain(app, connections)
      keeper.save()
      store.close()
    },
  }
}

/** Those that are open, at any time. */
function connectionsOf(server: Server): ReadonlySet<Socket> {
  const open = new Set<Socket>()
  server.on('connection', (connection) => {
    open.add(connection)
    connection.once('close', () => open.delete(connection))
  })
  return open
}

/** A caller that reads no answer must not hold the process for ever. */
const DRAIN_DEADLINE_MS = 5_000
const DRAIN_STEP_MS = 20

/**
 * Ends when every call under way is answered. Connections that fall idle after their last answer, and
 * those that were never used, are closed at once: their clients would otherwise keep them, and us, for
 * another minute.
 */
async function drain(app: FastifyInstance, connections: ReadonlySet<Socket>): Promise<void> {
  const { server } = app
  const sweep = setInterval(() => {
    server.closeIdleConnections()
    // To Node these are busy.
    for (const connection of connections) if (connection.bytesRead === 0) connection.destroy()
  }, DRAIN_STEP_MS)
  const deadline = setTimeout(() => server.closeAllConnections(), DRAIN_DEADLINE_MS)
  try {
    await app.close()
  } finally {
    clearInterval(sweep)
    clearTimeout(deadline)
  }
}

type Parties = ReturnType<typeof assemble>

/** Builds every party and tells each of the others that it needs; nothing listens yet. */
function assemble(
  { config, createDataset }: SandboxOptions,
  { clock, stop }: { readonly clock: Clock; readonly stop: AbortSignal },
) {
  const store = config.dataDir === null ? createForgetfulStore() : openSqliteStore(config.dataDir)
  const terms: Record<MarketId, OrderTerms> = {
    market_a: {
      holdMs: config.holdMs,
      keptOnBuyerReversalPercent:
        config.marketA.keptForSellerPercent + config.marketA.keptForMarketPercent,
    },
    market_b: {
      holdMs: config.holdMs,
      keptOnBuyerReversalPercent: config.marketB.keptOnBuyerReversalPercent,
    },
  }
  const { seed, listingCount } = config
  const keeper = keepDataset({ store, createDataset, seed, listingCount, nowMs: clock.nowMs() })
  const accounts = createAccounts(
    { market_a: config.marketAKeys, market_b: config.marketBKeys },
    store,
  )
  const switchboard = createSwitchboard(store, clock)
  const orders = createOrders({ clock, seed, store, keeper, accounts, terms })
  const shared = { clock, keeper, orders, accounts, switchboard, stop }
  const marketA = createMarketA({
    ...shared,
    settings: config.marketA,
    callsPerSecond: config.marketACallsPerSecond,
  })
  const marketB = createMarketB({
    ...shared,
    store,
    settings: config.marketB,
    callsPerMinute: config.marketBCallsPerMinute,
  })
  const platform = assemblePlatform(config, { clock, store, keeper, orders })
  const control: ControlDeps = {
    ...shared,
    ...platform,
    seed,
    holdMs: config.holdMs,
    privacy: createPrivacy(store),
    mailbox: createMailbox(store),
    markets: {
      market_a: handleOf(marketA, {
        expireTokens: marketA.expireTokens,
        restoreKeys: marketA.keys.restore,
        revokedKeys: marketA.keys.revoked,
      }),
      market_b: handleOf(marketB, {
        expireTokens: () => {},
        restoreKeys: () => {},
        revokedKeys: () => [],
      }),
    },
  }
  const { botOffers } = platform
  return {
    store,
    keeper,
    orders,
    marketA,
    marketB,
    control,
    runDue: () => {
      orders.runDue()
      botOffers.runDue()
    },
    nextDueMs: () => soonest(orders.nextDueMs(), botOffers.nextDueMs()),
  }
}

const soonest = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other)

/** The people's and the bots' side of the platform. */
function assemblePlatform(
  { seed, holdMs, botCount, platformReadsPerMinute }: Config,
  parts: {
    readonly clock: Clock
    readonly store: Store
    readonly keeper: DatasetKeeper
    readonly orders: Orders
  },
) {
  const { clock, store } = parts
  const bots = createBotAccounts({ count: botCount, seed, store, clock })
  const handovers = createHandovers()
  const inventories = createInventories({
    ...parts,
    handovers,
    isBot: (platformId) => bots.find(platformId) !== undefined,
  })
  const botOffers = createBotOffers({ clock, seed, store, holdMs, inventories, handovers })
  return {
    bots,
    inventories,
    botOffers,
    confirmations: createConfirmations({ accounts: bots, offers: botOffers, clock }),
    platformScript: createPlatformScript(store),
    reads: {
      limit: createCallLimit(clock, 60_000),
      perMinute: platformReadsPerMinute,
      refusals: 0,
    },
  }
}

function handleOf(
  market: Pick<MarketHandle, 'cutSockets' | 'duplicateMessages'>,
  rest: Omit<MarketHandle, 'cutSockets' | 'duplicateMessages'>,
): MarketHandle {
  return { cutSockets: market.cutSockets, duplicateMessages: market.duplicateMessages, ...rest }
}

/** A market that was busy for a while catches up with so many ticks at most, then goes on. */
const MOST_TICKS_AT_ONCE = 50

/** Moves orders and the dataset with the clock. */
function startHeart({ runDue, keeper }: Parties, config: Config, clock: Clock): NodeJS.Timeout {
  const tickEveryMs = (1000 * CHANGES_PER_TICK) / config.changesPerSecond
  let lastTickMs = clock.nowMs()
  return setInterval(() => {
    runDue()
    const nowMs = clock.nowMs()
    const due = Math.floor((nowMs - lastTickMs) / tickEveryMs)
    if (due <= 0) return
    lastTickMs += due * tickEveryMs
    for (let count = 0; count < Math.min(due, MOST_TICKS_AT_ONCE); count += 1) keeper.tick(nowMs)
  }, STEP_MS)
}
