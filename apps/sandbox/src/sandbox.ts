import type { Server, Socket } from 'node:net'
import { type FastifyInstance, fastify } from 'fastify'
import type { Config } from './config.ts'
import { serveConsole } from './console/index.ts'
import { ControlFault } from './control/body.ts'
import { serveControl } from './control/index.ts'
import type { Dataset, DatasetOptions } from './dataset/types.ts'
import { CHANGES_PER_TICK, type DatasetKeeper, keepDataset } from './dataset-keeper.ts'
import { serveSockets } from './http/sockets.ts'
import { type Clock, systemClock } from './kernel/clock.ts'
import { createParties } from './parties.ts'
import { guardProtocol } from './party/gate.ts'
import type { Party, PartyContext } from './party/party.ts'
import { createSwitches } from './party/switches.ts'
import { openSqliteStore } from './store/sqlite-store.ts'
import { createMemoryStore } from './store/store.ts'

export interface SandboxOptions {
  readonly config: Config
  readonly createDataset: (options: DatasetOptions) => Dataset
  readonly clock?: Clock
  /** False leaves all changes to `runDue` and `tick`: for tests that control the clock. */
  readonly movesByItself?: boolean
}

/** All parties on one port. */
export interface Sandbox {
  readonly url: string
  readonly port: number
  /** Runs everything that is due by the clock. */
  runDue(): void
  nextDueMs(): number | null
  tick(): void
  /** Answers the requests under way, stores the dataset, then releases the port. */
  close(): Promise<void>
}

/** How often the parties look at the clock; the shortest delay of theirs is ten times as long. */
const STEP_MS = 20

export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { config } = options
  const clock = options.clock ?? systemClock
  const stopping = new AbortController()
  const context = createContext(options, clock, stopping.signal)
  const { store, keeper } = context
  const parties = createParties(context)
  const agendas = parties.flatMap(({ agenda }) => agenda ?? [])
  const runDue = (): void => {
    for (const agenda of agendas) agenda.runDue()
  }

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
  await serveParties(app, parties, context)
  const { seed, holdMs } = config
  await app.register(async (scope) => serveControl(scope, { clock, seed, holdMs, parties }), {
    prefix: '/control',
  })
  await app.register(async (scope) => serveConsole(scope, parties))
  const closeSockets = serveSockets(app.server, socketsOf(parties))

  const timer =
    options.movesByItself === false ? null : startTimer({ runDue, keeper }, config, clock)
  const stop = async (): Promise<void> => {
    stopping.abort()
    clearInterval(timer ?? undefined)
    closeSockets()
    await Promise.all(parties.map((party) => party.close?.()))
  }
  try {
    await app.listen({ host: config.host, port: config.port })
  } catch (error) {
    await stop()
    store.close()
    throw error
  }
  const address = app.server.address()
  const port = typeof address === 'object' && address !== null ? address.port : config.port

  return {
    url: `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`,
    port,
    runDue,
    nextDueMs: () => soonest(agendas.map((agenda) => agenda.nextDueMs())),
    tick: () => keeper.tick(clock.nowMs()),
    async close() {
      const stopped = stop()
      await drain(app, connections)
      await stopped
      keeper.save()
      store.close()
    },
  }
}

function createContext(
  { config, createDataset }: SandboxOptions,
  clock: Clock,
  stop: AbortSignal,
): PartyContext {
  const { seed, listingCount, itemCount, holdMs, environment, dataDir } = config
  const store = dataDir === null ? createMemoryStore() : openSqliteStore(dataDir)
  const keeper = keepDataset({
    ...{ store, createDataset, seed, listingCount, itemCount },
    nowMs: clock.nowMs(),
  })
  const switches = createSwitches(store)
  return { environment, clock, seed, holdMs, store, dataDir, keeper, switches, stop }
}

async function serveParties(
  app: FastifyInstance,
  parties: readonly Party[],
  { switches, stop }: PartyContext,
): Promise<void> {
  for (const { prefix, switchId, routes } of parties.flatMap(({ protocols }) => protocols)) {
    await app.register(
      async (scope) => {
        if (switchId !== undefined) guardProtocol(scope, { switchId, switches, stop })
        routes(scope)
      },
      { prefix },
    )
  }
}

const socketsOf = (parties: readonly Party[]) =>
  parties.flatMap(({ protocols }) => protocols.flatMap(({ socket }) => socket ?? []))

function soonest(times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null)
  return known.length === 0 ? null : Math.min(...known)
}

/** The open connections, at any time. */
function connectionsOf(server: Server): ReadonlySet<Socket> {
  const open = new Set<Socket>()
  server.on('connection', (connection) => {
    open.add(connection)
    connection.once('close', () => open.delete(connection))
  })
  return open
}

/** A client that does not read its answer must not keep the process alive. */
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

/** After a pause of the process at most this many ticks are caught up at once. */
const MOST_TICKS_AT_ONCE = 50

/** Runs the parties' agendas and the dataset's changes by the clock. */
function startTimer(
  { runDue, keeper }: { readonly runDue: () => void; readonly keeper: DatasetKeeper },
  { changesPerSecond, burstChanges }: Config,
  clock: Clock,
): NodeJS.Timeout {
  let lastMs = clock.nowMs()
  let due = 0
  return setInterval(() => {
    runDue()
    const nowMs = clock.nowMs()
    const isBurst = nowMs % 60_000 < 1_000
    const rate = Math.max(changesPerSecond, isBurst ? burstChanges : 0)
    due += (Math.max(0, nowMs - lastMs) * rate) / (1000 * CHANGES_PER_TICK)
    lastMs = nowMs
    const ticks = Math.min(Math.floor(due), MOST_TICKS_AT_ONCE)
    due -= Math.floor(due)
    for (let count = 0; count < ticks; count += 1) keeper.tick(nowMs)
  }, STEP_MS)
}
