// The game platform's adapter against the sandbox program, in two processes' worth of it: what runs here is
// what runs in production.
import { createServer } from 'node:net'
import { after, before } from 'node:test'
import { systemClock } from '#platform/clock'
import { createHttpClient, type HttpClient } from '#platform/http-client'
import { createReserveSlot } from '#platform/lease'
import { silentLog } from '#platform/log'
import { createMetrics } from '#platform/metrics'
import { createSecretBox } from '#platform/secrets'
import { type TestDatabase, testDatabase } from '#platform/testing/database'
import { createItemSource } from '../catalog-source/index.ts'
import {
  createGamePlatform,
  type GamePlatformOptions,
  type PlatformAdapters,
  type PlatformPatience,
  parseBotSecrets,
} from '../game-platform/index.ts'
import { botsConformance } from './bots.ts'
import { platformConformance } from './platform.ts'
import { type SandboxProgram, startSandboxProgram } from './sandbox.ts'

const metrics = createMetrics()
let sandbox: SandboxProgram
let database: TestDatabase
let http: HttpClient
let closedPort = 0

before(async () => {
  http = createHttpClient({ log: silentLog, metrics })
  closedPort = await freePort()
  ;[sandbox, database] = await Promise.all([
    startSandboxProgram({
      HOLD_SECONDS: '6',
      SANDBOX_LISTINGS: '100',
      SANDBOX_CHANGES_PER_SECOND: '0',
    }),
    testDatabase(),
  ])
})
after(async () => {
  await http.close()
  await sandbox.stop()
  await database.close()
})

const sealing = createSecretBox([Buffer.alloc(32, 7)])
const readBots = async () => parseBotSecrets(JSON.stringify(await sandbox.platform().secretsOf()))
const QUICK: Partial<PlatformPatience> = {
  settleMs: 1500,
  inventorySpacingMs: 0,
  inventoryKeptMs: 0,
  botSpacingMs: 0,
  slowlyMs: 0,
}

const platformAt = (
  address: string,
  changes: Partial<GamePlatformOptions> = {},
): PlatformAdapters =>
  createGamePlatform({
    communityUrl: `${address}/platform`,
    communityHost: 'community.example',
    apiUrl: `${address}/platform/api`,
    http,
    db: database.db,
    clock: systemClock,
    reserveSlot: createReserveSlot({ db: database.db, clock: systemClock }),
    log: silentLog,
    metrics,
    gameBook: createItemSource({
      url: `${sandbox.url}/catalog/cs2/items.json`,
      log: silentLog,
    }).gameBook,
    acting: { secrets: sealing, readBots },
    hasIntent: async () => false,
    ...changes,
    patience: { ...QUICK, ...changes.patience },
  })

platformConformance(
  'the game platform',
  once(() => ({
    platform: platformAt(sandbox.url).platform,
    astray: platformAt(`http://127.0.0.1:${closedPort}`).platform,
    setOnline: async (online) => void (await sandbox.control('PUT', '/platform', { online })),
  })),
)

botsConformance(
  'the bots',
  once(() => ({
    ...platformAt(sandbox.url),
    other: platformAt(sandbox.url),
    astray: platformAt(`http://127.0.0.1:${closedPort}`),
    world: sandbox.platform(),
  })),
)

/** Suites ask for their subject in each test; it is made once, when the sandbox is up. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address !== null ? address.port : 0
}
