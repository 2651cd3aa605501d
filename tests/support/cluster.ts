// Several api and worker processes on one database and one Valkey, behind a balancer: what the page on
// scaling out describes. The sandbox simulates the external systems.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Db } from '../../apps/server/src/infra/database/db.ts'
import { systemClock } from '../../apps/server/src/infra/process/clock.ts'
import { createSecretBox } from '../../apps/server/src/infra/process/secrets.ts'
import {
  startValkey,
  type ValkeyServer,
} from '../../apps/server/src/infra/testing/valkey-server.ts'
import { type DemoCredentials, seedDemo } from '../../apps/server/src/main/demo/seed.ts'
import { type Balancer, startBalancer } from './balancer.ts'
import { type Client, createClient } from './client.ts'
import { type Sandbox, SMALL_DATASET, startSandbox } from './sandbox.ts'
import { newSecretsKey, ops, type Server, type Settings, startServer } from './server.ts'

export interface Cluster {
  /** The address of the balancer. */
  readonly baseUrl: string
  readonly balancer: Balancer
  readonly apis: Server[]
  readonly workers: Server[]
  readonly valkey: ValkeyServer
  readonly sandbox: Sandbox
  readonly demo: DemoCredentials
  /** The demo merchant, through the balancer. */
  readonly merchant: Client
  /** The demo merchant at one api process. */
  at(api: number): Client
  /** Starts an api or worker process in the place of one that ended, or beside the others. */
  startApi(more?: Settings, root?: string): Promise<Server>
  startWorker(more?: Settings, root?: string): Promise<Server>
  /** Ends all api processes and starts as many again with other settings. */
  restartApis(more: Settings): Promise<void>
  ops(...args: string[]): Promise<string>
  close(): Promise<void>
}

export interface ClusterOptions {
  /** A migrated database. */
  readonly database: { readonly url: string; readonly db: Db }
  readonly apis?: number
  readonly workers?: number
  /** Of the balancer. */
  readonly port?: number
  /** For every process. */
  readonly settings?: Settings
  /** For the sandbox. */
  readonly dataset?: Settings
  readonly secretsKey?: string
  /** Of the merchant's endpoint. */
  readonly webhookUrl?: string
  /** Where the merchant approves withdrawals. */
  readonly payoutCallbackUrl?: string
  /** Makes the merchant: that of another release on the tables of that release. */
  readonly seed?: typeof seedDemo
}

export async function startCluster({
  database,
  apis: apiCount = 3,
  workers: workerCount = 2,
  port = 0,
  settings = {},
  dataset = SMALL_DATASET,
  secretsKey = newSecretsKey(),
  webhookUrl,
  payoutCallbackUrl,
  seed = seedDemo,
}: ClusterOptions): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'tradepost-cluster-'))
  const cleanups: (() => Promise<unknown>)[] = [
    async () => rmSync(folder, { recursive: true, force: true }),
  ]
  const close = async (): Promise<void> => {
    for (let end = cleanups.pop(); end; end = cleanups.pop()) await end()
  }
  try {
    const [valkey, sandbox] = await Promise.all([startValkey(), startSandbox(dataset)])
    cleanups.push(valkey.stop, () => sandbox.child.end())
    const demo = await seed({
      db: database.db,
      clock: systemClock,
      secrets: createSecretBox([Buffer.from(secretsKey, 'hex')]),
      webhooks: { demoUrl: webhookUrl ?? null, allowPrivate: true },
      payoutCallbackUrl: payoutCallbackUrl ?? null,
    })
    const environment: Settings = {
      ...dataset,
      DATABASE_URL: database.url,
      REDIS_URL: valkey.url,
      DATA_DIR: folder,
      SECRETS_KEY: secretsKey,
      SANDBOX_PORT: String(sandbox.port),
      ...settings,
    }
    const apis: Server[] = []
    const workers: Server[] = []
    cleanups.push(() => Promise.all([...apis, ...workers].map((server) => server.end())))
    const balancer = await startBalancer([], { port })
    cleanups.push(balancer.close)

    const portOf = ({ baseUrl }: Server): number => Number(new URL(baseUrl).port)
    const startApi = async (more: Settings = {}, root?: string): Promise<Server> => {
      const api = await startServer('api', { ...environment, ...more }, root ? { root } : {})
      apis.push(api)
      balancer.setTargets(apis.filter((one) => one.isRunning()).map(portOf))
      return api
    }
    const startWorker = async (more: Settings = {}, root?: string): Promise<Server> => {
      const worker = await startServer('worker', { ...environment, ...more }, root ? { root } : {})
      workers.push(worker)
      return worker
    }
    const startAll = async (
      count: number,
      start: (more?: Settings) => Promise<Server>,
      more?: Settings,
    ): Promise<void> => {
      const started = await Promise.allSettled(Array.from({ length: count }, () => start(more)))
      const failed = started.find((result) => result.status === 'rejected')
      if (failed) throw failed.reason
    }
    await Promise.all([startAll(workerCount, startWorker), startAll(apiCount, startApi)])

    const apiKey = demo.merchant.apiKey
    return {
      baseUrl: balancer.url,
      balancer,
      apis,
      workers,
      valkey,
      sandbox,
      demo,
      merchant: createClient({ baseUrl: balancer.url, apiKey }),
      at: (api) => createClient({ baseUrl: apis[api]?.baseUrl ?? '', apiKey }),
      startApi,
      startWorker,
      restartApis: async (more) => {
        const count = apis.length
        await Promise.all(apis.splice(0).map((api) => api.end()))
        await startAll(count, startApi, more)
      },
      ops: (...args) => ops(environment, ...args),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}
