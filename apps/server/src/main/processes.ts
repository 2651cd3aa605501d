// What api, worker and all-in-one processes have in common.
import { hostname } from 'node:os'
import { type Db, openDb, sql } from '#infra/database/db'
import { withoutPassword } from '#infra/database/migrations'
import { APPLIED, type Applied, compareSchema } from '#infra/database/schema-history'
import { startDueWatch } from '#infra/jobs/due-watch'
import { API_HEART, startHeartbeats } from '#infra/jobs/heartbeats'
import { createJobLeases } from '#infra/jobs/job-leases'
import { createJobSets } from '#infra/jobs/job-sets'
import { type Job, type RunningJobs, startJobs } from '#infra/jobs/jobs'
import { startPollLoop } from '#infra/jobs/poll-loop'
import { createWorkerBeats, type WorkerBeats } from '#infra/jobs/worker-beats'
import { CannotStart } from '#infra/process/cannot-start'
import { systemClock } from '#infra/process/clock'
import { createReadiness, type HealthDeps, type Readiness } from '#infra/process/health'
import { createLog, type RootLog } from '#infra/process/log'
import { createMetrics, type Metrics } from '#infra/process/metrics'
import { createOutages, type Outages } from '#infra/process/outages'
import type { SecretBox } from '#infra/process/secrets'
import { traceFields } from '#infra/tracing/tracing'
import { newId } from '#kernel/id'
import type { Supplier } from '../adapters/markets.ts'
import { openAdapters } from './adapters.ts'
import { type Config, findUpstreams, readConfig } from './config.ts'
import { refuseUnwritable } from './data-folder.ts'
import { disabledFunctions } from './disabled-functions.ts'
import { findDatabase } from './find-database.ts'
import type { Lifecycle } from './lifecycle.ts'
import { serveMetrics } from './listen.ts'
import {
  type ComposedJobs,
  createMarketAccounts,
  keepMarketAccounts,
  type MarketAccounts,
  settleKeysOfMain,
} from './market-accounts.ts'
import { refuseOtherMarkets } from './refuse-other-markets.ts'
import type { Resources } from './resources.ts'
import { openSecretBox } from './sealing-key.ts'
import { openTraces } from './traces.ts'
import type { Upstreams } from './upstreams.ts'

export type Role = 'api' | 'worker' | 'all-in-one'

/** A log of its role, on stdout, and what keeps an outage of the database from filling it. */
export function openLog(
  config: Config,
  role: Role,
  level = 'info',
): { readonly log: RootLog; readonly outages: Outages } {
  const outages = createOutages(systemClock)
  const log = createLog({
    level: config.logLevel ?? level,
    base: { role, pid: process.pid },
    isCovered: outages.covers,
    ofMoment: config.traces ? traceFields : undefined,
  })
  return { log, outages }
}

export interface ProcessContext {
  readonly config: Config
  readonly role: Role
  readonly url: string
  readonly upstreams: Upstreams
  readonly log: RootLog
  readonly outages: Outages
  readonly metrics: Metrics
  readonly lifecycle: Lifecycle
}

/** How a role begins that shares a database with others: it must find it, with the tables of this version. */
export async function openRole(
  role: 'api' | 'worker',
  lifecycle: Lifecycle,
): Promise<{ readonly context: ProcessContext; readonly secrets: SecretBox }> {
  const config = readConfig()
  const metrics = newMetrics()
  await openTraces(config.traces, { role, metrics, lifecycle })
  const { log, outages } = openLog(config, role)
  // Its recovery mark is written after hours at times: too late to find out that it cannot be.
  if (role === 'worker') refuseUnwritable(config.dataDir)
  const url = findDatabase(config)
  const secrets = openSecretBox(config, { mayMake: false })
  await findFitDatabase(config, { role, url, log, lifecycle })
  const upstreams = findUpstreams(config)
  return {
    context: { config, role, url, upstreams, log, outages, metrics, lifecycle },
    secrets,
  }
}

/**
 * One pool of database connections, and everything outside behind it. `secrets`: for what acts as our bots;
 * null where requests are only answered.
 */
export function openResources(
  context: ProcessContext,
  purpose: string,
  secrets: SecretBox | null,
): Resources {
  const { config, url, upstreams, log, outages, metrics, lifecycle } = context
  const reconnects = metrics.counter(
    'db_listen_reconnects_total',
    'Listening connections that were lost and opened again',
    ['pool'],
  )
  const db = openDb({
    url,
    poolSize: config.database.poolSize,
    applicationName: `tradepost ${purpose}`,
    onConnectionError: (error) => log.warn({ err: error }, 'a database connection was lost'),
    onListenReconnect: () => reconnects.labels(purpose).inc(),
  })
  lifecycle.onStop(`database pool of ${purpose}`, () => db.close())
  meterPool(metrics, db, purpose)
  outages.watch({ log, metrics, probe: () => db.query(PING) })
  const clock = systemClock
  const adapters = openAdapters({
    ...{ config, upstreams, db, clock, log, metrics, secrets },
  })
  lifecycle.onStop(`connections of ${purpose}`, () => adapters.close())
  return { config, db, clock, log, metrics, adapters }
}

const PING = sql('infra_ping', 'select 1')

/** Our accounts at the markets, read once. A key in the settings that is not ours stops the start. */
export async function openMarketAccounts(
  { upstreams }: Pick<ProcessContext, 'upstreams'>,
  { db, log, adapters }: Resources,
  secrets: SecretBox,
): Promise<MarketAccounts> {
  const settings = Object.fromEntries(
    Object.entries(upstreams.markets).map(([market, { key }]) => [market, key.reveal()]),
  )
  await settleKeysOfMain({ db, log, secrets, settings })
  const accounts = createMarketAccounts({ db, log, adapters, secrets })
  await accounts.refresh()
  return accounts
}

/** Runs jobs until the process stops, and those of accounts and feeds of markets as they come and go. */
export async function runJobs(
  context: ProcessContext,
  resources: Resources,
  { jobs, jobsOf, feedJobsOf, accounts }: ComposedJobs & { readonly accounts: MarketAccounts },
): Promise<RunningJobs> {
  const { db, clock, log, metrics, adapters } = resources
  const processId = newProcessId()
  const dueWatch = startDueWatch({ db, clock, log })
  context.lifecycle.onStop('watch of what is due', () => dueWatch.stop())
  const leases = createJobLeases({ db, clock, log })
  const deps = { db, clock, log, metrics, processId, dueWatch, leases }
  const running = await startJobs(jobs, deps)
  context.lifecycle.onStop('jobs', () => running.stop())
  // Heartbeats are removed by process: these end before it does.
  const setsOf = (name: string, of: (owner: Supplier) => readonly Job[]) =>
    createJobSets<Supplier>({
      start: ({ market: { id, account } }, set) =>
        startJobs(set, { ...deps, processId: `${processId} ${name} ${id} ${account}` }),
      jobsOf: of,
    })
  const ofAccounts = setsOf('account', jobsOf)
  const ofFeeds = setsOf('feed', feedJobsOf)
  const setAll = async (): Promise<void> => {
    await ofAccounts.set(accounts.all())
    await ofFeeds.set(adapters.markets.map(({ market }) => accounts.feeder(market.id)))
  }
  await setAll()
  const keeping = keepMarketAccounts(accounts, { log, onRefreshed: setAll })
  context.lifecycle.onStop('jobs of accounts at markets', async () => {
    await keeping.stop()
    await Promise.all([ofAccounts.set([]), ofFeeds.set([])])
  })
  return running
}

/** For a process that runs no jobs: `migrate` must see that it lives. */
export function beatAsApi(context: ProcessContext, { db, clock, log }: Resources): void {
  const startedAt = clock.now()
  const heart = { job: API_HEART, startedAt, succeededAt: startedAt, error: null }
  const beats = startHeartbeats([heart], { db, clock, log, processId: newProcessId() })
  context.lifecycle.onStop('heartbeat', () => beats.stop())
}

const newProcessId = (): string => `${hostname()}-${process.pid}-${newId().slice(-6)}`

const READINESS_LOOK_MS = 15_000

/** Readiness, looked at also while no balancer asks: alerts ring by its gauges. */
export function watchReadiness(
  context: ProcessContext,
  { config, db, clock, metrics }: Resources,
  { jobs = [], notes }: Partial<Pick<HealthDeps, 'jobs' | 'notes'>> = {},
): { readonly checkReady: () => Promise<Readiness>; readonly workers: WorkerBeats } {
  const workers = createWorkerBeats({ db, clock, metrics, silenceMs: config.workerSilenceMs })
  const checkReady = createReadiness({
    ...{ db, clock, metrics, workers, jobs },
    ...(notes && { notes }),
  })
  const loop = startPollLoop({
    pollMs: READINESS_LOOK_MS,
    restMs: 0,
    run: async () => {
      await checkReady()
    },
    onError: () => {},
  })
  context.lifecycle.onStop('readiness', () => loop.stop())
  return { checkReady, workers }
}

export async function openMetrics(context: ProcessContext): Promise<string> {
  const { config, role, metrics, lifecycle } = context
  const { host, port, workerPort } = config.metrics
  const served = await serveMetrics(metrics, { host, port: role === 'worker' ? workerPort : port })
  lifecycle.onStop('metrics', () => served.stop())
  return served.url
}

/** One line at the start, so that an operator sees what the settings leave out. */
export function logDisabled({ config, log }: ProcessContext): void {
  const disabled = disabledFunctions(config)
  if (disabled.length > 0)
    log.warn({ disabled }, 'functions are disabled: their settings are missing')
}

/** An api process that knows a status serves it until the database answers; any other one ends without it. */
async function findFitDatabase(
  config: Config,
  { role, url, log, lifecycle }: Pick<ProcessContext, 'role' | 'url' | 'log' | 'lifecycle'>,
): Promise<void> {
  try {
    await refuseUnfitDatabase(url, log)
  } catch (error) {
    if (role !== 'api' || !(error instanceof DatabaseUnreachable)) throw error
    // No other role loads the interfaces.
    const { serveLastStatus } = await import('./serve-last-status.ts')
    const hasDatabase = () => isReachable(url, log)
    if (!(await serveLastStatus({ config, log, lifecycle, error, hasDatabase }))) throw error
  }
}

async function isReachable(url: string, log: RootLog): Promise<boolean> {
  try {
    await refuseUnfitDatabase(url, log)
    return true
  } catch (error) {
    if (error instanceof DatabaseUnreachable) return false
    throw error
  }
}

class DatabaseUnreachable extends CannotStart {}

/** A role that does not migrate must find the tables and the markets that it knows. */
async function refuseUnfitDatabase(url: string, log: RootLog): Promise<void> {
  const where = `The database at ${withoutPassword(url)}`
  const db = openDb({ url, poolSize: 1, applicationName: 'tradepost start' })
  try {
    const applied = await db
      .query<Applied>(sql('', APPLIED))
      .catch((error: Error & { code?: string }): Applied[] => {
        // 42P01, 3F000: there is no table of migrations, so there are none.
        if (error.code === '42P01' || error.code === '3F000') return []
        throw new DatabaseUnreachable(`${where} is unreachable: ${error.message || error.code}.`)
      })
    const { missing, isNewer, refusal } = compareSchema(applied)
    if (refusal) throw refusal
    if (missing.length > 0) {
      const names = applied.length === 0 ? 'all of them' : missing.join(', ')
      throw new CannotStart(`${where} lacks migrations (${names}). Run \`npm run migrate\` first.`)
    }
    if (isNewer) log.warn({}, 'the database is of a later version, which bears this one')
    await refuseOtherMarkets(db)
  } finally {
    await db.close()
  }
}

export const newMetrics = (): Metrics => createMetrics({ processMetrics: true })

export function meterPool(metrics: Metrics, db: Pick<Db, 'stats'>, pool: string): void {
  const connections = metrics.gauge('db_connections', 'Connections of a pool', ['pool', 'state'])
  metrics.onScrape(() => {
    const { total, idle, waiting } = db.stats()
    connections.labels(pool, 'busy').set(total - idle)
    connections.labels(pool, 'idle').set(idle)
    connections.labels(pool, 'wanted').set(waiting)
  })
}
