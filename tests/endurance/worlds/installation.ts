// An installation as operators run it: a database, api and worker processes, two of each, and the sandbox.
// A killed process is started again at the same address.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type EmbeddedPostgres,
  startPostgres,
} from '../../../apps/server/embedded-postgres/postgres.ts'
import { type Db, openDb, sql } from '../../../apps/server/src/infra/database/db.ts'
import { migrate } from '../../../apps/server/src/infra/database/migrations.ts'
import { systemClock } from '../../../apps/server/src/infra/process/clock.ts'
import { findFreePort, isFreePort } from '../../../apps/server/src/infra/process/ports.ts'
import { createSecretBox } from '../../../apps/server/src/infra/process/secrets.ts'
import { testDatabase } from '../../../apps/server/src/infra/testing/database.ts'
import { seedDemo } from '../../../apps/server/src/main/demo/seed.ts'
import { type Client, createClient } from '../../support/client.ts'
import {
  MARKETS,
  type MarketId,
  type Sandbox,
  SMALL_DATASET,
  startSandbox,
} from '../../support/sandbox.ts'
import { newSecretsKey, ops, type Settings, startServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { startWebhooks, type Webhooks } from '../../support/webhooks.ts'

export interface Installation {
  /** Where all of it keeps its files. */
  readonly folder: string
  readonly db: Db
  readonly sandbox: Sandbox
  readonly webhooks: Webhooks
  /** The demo merchant. */
  readonly merchant: Client
  readonly merchantEmail: string
  /** What its processes were first started with. */
  readonly settings: Settings
  readonly apis: Keeper
  readonly workers: Keeper
  ops(...args: string[]): Promise<string>
  close(): Promise<void>
}

/** With a PostgreSQL of its own, which may be killed or restored. */
export interface OwnInstallation extends Installation {
  readonly postgres: EmbeddedPostgres
}

/** Keeps a number of processes of one role running. */
export interface Keeper {
  /** Of those that are ready at this moment. */
  pids(): number[]
  baseUrls(): string[]
  metricsUrls(): string[]
  /** What each wrote last. */
  said(): string[]
  /** The lines of their logs that are kept. */
  log(): string[]
  /** Resolves when those that were killed are seen to be gone: until then they count as running. */
  gone(pids: readonly number[]): Promise<void>
  /** Starts every one again that is gone, with these settings changed from now on, until all are ready. */
  revive(changed?: Settings): Promise<void>
  /** Stops every process and returns how each ended; they can be started again. */
  drain(): Promise<Drained[]>
  stop(): Promise<void>
}

/** The settings that differ from those of a small, static dataset. */
export interface Wanted {
  readonly sandbox?: Settings
  readonly service?: Settings
  readonly payoutCallbackUrl?: string
  /** Opens what the processes reach the database through, and returns its address there. */
  readonly through?: (databaseUrl: string) => Promise<string>
  /** How many apis, and how many workers (2). */
  readonly ofEach?: number | { readonly apis: number; readonly workers: number }
  /** Of a PostgreSQL of its own: shared buffers (64 MiB), and after how long a statement is canceled. */
  readonly postgres?: { readonly sharedBuffersMb: number; readonly statementTimeoutMs: number }
  /** Each api and each worker is a session of its own, as under a service manager. */
  readonly ownSessions?: boolean
}

export interface Drained {
  readonly code: number | null
  readonly tookMs: number
  /** What it wrote last. */
  readonly said: string
}

interface Database {
  readonly url: string
  readonly db: Db
}

type Closers = (() => Promise<unknown>)[]

/** On a database of the PostgreSQL that all test files share; nothing may happen to that. */
export const startOnSharedPostgres = (wanted: Wanted = {}): Promise<Installation> =>
  withFolder(async (folder, closers) => {
    const database = await testDatabase({ poolSize: 3 })
    closers.push(() => database.close())
    return startProcesses(database, { folder, closers, wanted })
  })

/** On a migrated database of the caller, who closes it. */
export const startOnDatabase = (database: Database, wanted: Wanted = {}): Promise<Installation> =>
  withFolder((folder, closers) => startProcesses(database, { folder, closers, wanted }))

export const startInstallation = (wanted: Wanted = {}): Promise<OwnInstallation> =>
  withFolder(async (folder, closers) => {
    const postgres = await startPostgres({
      folder: join(folder, 'postgres'),
      sharedBuffersMb: wanted.postgres?.sharedBuffersMb ?? 64,
      maxConnections: 100,
    })
    // It has a session of its own: a stopped test file would leave it behind.
    const abandon = (): void => postgres.abandon()
    process.once('exit', abandon)
    closers.push(async () => {
      await postgres.stop()
      process.off('exit', abandon)
    })
    await migrate(postgres.url)
    const { url } = postgres
    const db = openDb({
      ...{ url, poolSize: 3, applicationName: 'endurance' },
      ...(wanted.postgres && { statementTimeoutMs: wanted.postgres.statementTimeoutMs }),
    })
    closers.push(() => db.close())
    return { ...(await startProcesses({ url, db }, { folder, closers, wanted })), postgres }
  })

async function withFolder<Started extends object>(
  start: (folder: string, closers: Closers) => Promise<Started>,
): Promise<Started & { close(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'tradepost-faults-'))
  const closers: Closers = []
  const close = async (): Promise<void> => {
    for (const end of closers.reverse()) await end()
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    return { ...(await start(folder, closers)), close }
  } catch (error) {
    await close()
    throw error
  }
}

async function startProcesses(
  { url, db }: Database,
  { folder, closers, wanted }: { folder: string; closers: Closers; wanted: Wanted },
): Promise<Omit<Installation, 'close'>> {
  let secret = ''
  const webhooks = await startWebhooks(() => secret)
  closers.push(() => webhooks.close())
  const secretsKey = newSecretsKey()
  const { merchant } = await seedDemo({
    db,
    clock: systemClock,
    secrets: createSecretBox([Buffer.from(secretsKey, 'hex')]),
    webhooks: { demoUrl: webhooks.url, allowPrivate: true },
    payoutCallbackUrl: wanted.payoutCallbackUrl ?? null,
  })
  secret = merchant.webhookSecret ?? ''

  const sandbox = await startSandbox({
    SANDBOX_LISTINGS: '5000',
    SANDBOX_DATA_DIR: join(folder, 'sandbox'),
    ...wanted.sandbox,
  })
  closers.push(() => sandbox.child.end())
  const settings: Settings = {
    ...SMALL_DATASET,
    DATABASE_URL: (await wanted.through?.(url)) ?? url,
    DATA_DIR: folder,
    SECRETS_KEY: secretsKey,
    SANDBOX_PORT: String(sandbox.port),
    ...wanted.service,
  }
  const { ofEach = OF_EACH } = wanted
  const counts = typeof ofEach === 'number' ? { apis: ofEach, workers: ofEach } : ofEach
  const kept = { closers, ownSession: wanted.ownSessions ?? false }
  const [workers, apis] = await Promise.all([
    keep('worker', settings, { ...kept, count: counts.workers }),
    keep('api', settings, { ...kept, count: counts.apis }),
  ])
  const client = createClient({ baseUrl: apis.baseUrls()[0] ?? '', apiKey: merchant.apiKey })
  await untilRead(db, sandbox)
  return {
    ...{ folder, db, sandbox, webhooks, apis, workers, settings },
    ...{ merchant: client, merchantEmail: merchant.email },
    ops: (...args) => ops(settings, ...args),
  }
}

const COUNT_LIVE = sql(
  'test_count_live',
  'select market, count(*)::int as count from catalog.listing where live group by market',
)
/** Some of a market's listings are locked, and are never for sale. */
const SALEABLE_SHARE = 0.95

/** Both markets have been read whole: what buyers will want is for sale from the first moment. */
const untilRead = (db: Db, { control }: Sandbox): Promise<unknown> =>
  until(
    'both markets are read',
    async () => {
      const { markets } = await control.state()
      const live = await db.query<{ market: MarketId; count: number }>(COUNT_LIVE)
      const isRead = live.filter(
        ({ market, count }) => count >= markets[market].listings * SALEABLE_SHARE,
      )
      return isRead.length === MARKETS.length
    },
    { everyMs: 200 },
  )

const OF_EACH = 2
/** The database may be away for that long, or killed again and again under processes that start. */
const REVIVE_WITHIN_MS = 120_000

async function keep(
  role: 'api' | 'worker',
  settings: Settings,
  {
    closers,
    count,
    ownSession,
  }: { readonly closers: Closers; readonly count: number; readonly ownSession: boolean },
): Promise<Keeper> {
  const settingsOf: (Settings & { readonly PORT: string })[] = []
  for (let i = 0; i < count; i++) {
    settingsOf.push({ ...settings, PORT: String(await findFreePort()) })
  }
  const servers = await Promise.all(settingsOf.map((own) => startServer(role, own, { ownSession })))
  const reviving = new Map<number, Promise<void>>()
  const reviveOne = async (i: number): Promise<void> => {
    const own = settingsOf[i] as (typeof settingsOf)[number]
    for (const startedAt = Date.now(); ; ) {
      try {
        // Another program of this machine may use it meanwhile; clients know no other.
        await until(`port ${own.PORT} is free`, () => isFreePort(Number(own.PORT)))
        servers[i] = await startServer(role, own, { ownSession })
        return
      } catch (error) {
        if (Date.now() - startedAt > REVIVE_WITHIN_MS) throw error
      }
    }
  }
  const revive = async (changed: Settings = {}): Promise<void> => {
    for (const own of settingsOf) Object.assign(own, changed)
    for (const [i, server] of servers.entries()) {
      if (server.isRunning() || reviving.has(i)) continue
      reviving.set(
        i,
        reviveOne(i).finally(() => reviving.delete(i)),
      )
    }
    await Promise.all(reviving.values())
  }
  const stop = async (): Promise<void> => {
    await Promise.allSettled(reviving.values())
    await Promise.all(servers.map((server) => server.end('SIGTERM')))
  }
  closers.push(stop)
  return {
    pids: () => servers.filter((server) => server.isRunning()).map(({ pid }) => pid),
    baseUrls: () => servers.map(({ baseUrl }) => baseUrl),
    metricsUrls: () =>
      servers.filter((server) => server.isRunning()).map(({ metricsUrl }) => metricsUrl),
    said: () => servers.map((server) => server.said()),
    log: () => servers.flatMap((server) => server.stdout().split('\n')),
    gone: async (pids) => {
      await Promise.all(servers.filter(({ pid }) => pids.includes(pid)).map(({ exited }) => exited))
    },
    revive,
    drain: async () => {
      await Promise.allSettled(reviving.values())
      const askedAt = Date.now()
      return Promise.all(
        servers.map(async (server) => {
          const { code } = await server.end('SIGTERM')
          return { code, tookMs: Date.now() - askedAt, said: server.said() }
        }),
      )
    },
    stop,
  }
}
