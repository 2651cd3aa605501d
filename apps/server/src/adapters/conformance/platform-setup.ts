// The platform's adapter as a process has it, against the sandbox program and a real database.
import { createServer } from 'node:net'
import { createReserveSlot } from '#infra/database/call-slots'
import { createHttpClient, type HttpClient } from '#infra/http/http-client'
import { systemClock } from '#infra/process/clock'
import { silentLog } from '#infra/process/log'
import { createMetrics, type Metrics } from '#infra/process/metrics'
import { createSecretBox, type SecretBox } from '#infra/process/secrets'
import { type TestDatabase, testDatabase } from '#infra/testing/database'
import {
  CALL_KINDS,
  createGamePlatform,
  type GamePlatformOptions,
  type PlatformAdapters,
  type PlatformTiming,
  parseBotSecrets,
} from '../game-platform/index.ts'
import { emptyGameBook } from '../shared/game-book.ts'
import { type SandboxProgram, startSandboxProgram } from './sandbox.ts'

export type Changes = Partial<Omit<GamePlatformOptions, 'timing'>> & {
  readonly timing?: Partial<PlatformTiming>
}

export interface PlatformSetup {
  readonly sandbox: SandboxProgram
  readonly database: TestDatabase
  readonly metrics: Metrics
  readonly sealing: SecretBox
  /** Another process: it shares nothing with the others but the database. */
  process(changes?: Changes): PlatformAdapters
  /** One that is pointed elsewhere. */
  processAt(address: string, changes?: Changes): PlatformAdapters
  /** An address with no listener. */
  readonly nowhere: string
  close(): Promise<void>
}

const QUICK: Partial<PlatformTiming> = {
  settleMs: 1500,
  inventoryKeptMs: 0,
  paceScale: 0,
  restMs: 0,
  slowlyMs: 0,
}

export async function startPlatformSetup(
  settings: Readonly<Record<string, string>> = {},
): Promise<PlatformSetup> {
  const metrics = createMetrics()
  const sealing = createSecretBox([Buffer.alloc(32, 7)])
  const [sandbox, database, port] = await Promise.all([
    startSandboxProgram({
      HOLD_SECONDS: '6',
      SANDBOX_LISTINGS: '100',
      SANDBOX_CHANGES_PER_SECOND: '0',
      ...settings,
    }),
    testDatabase(),
    freePort(),
  ])
  const clients: HttpClient[] = []
  const processAt: PlatformSetup['processAt'] = (address, { timing, ...changes } = {}) => {
    const http = createHttpClient({ log: changes.log ?? silentLog, metrics })
    clients.push(http)
    return createGamePlatform({
      communityUrl: `${address}/platform`,
      communityHost: 'community.example',
      apiUrl: `${address}/platform/api`,
      http,
      db: database.db,
      clock: systemClock,
      reserveSlot: createReserveSlot({ db: database.db, clock: systemClock }),
      log: silentLog,
      metrics,
      gameBook: emptyGameBook,
      callKinds: CALL_KINDS,
      acting: {
        secrets: sealing,
        readBots: async () => parseBotSecrets(JSON.stringify(await sandbox.platform().secretsOf())),
      },
      hasIntent: async () => false,
      ...changes,
      timing: { ...QUICK, ...timing },
    })
  }
  return {
    sandbox,
    database,
    metrics,
    sealing,
    nowhere: `http://127.0.0.1:${port}`,
    process: (changes) => processAt(sandbox.url, changes),
    processAt,
    async close() {
      await Promise.all(clients.map((client) => client.close()))
      await sandbox.stop()
      await database.close()
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address !== null ? address.port : 0
}
