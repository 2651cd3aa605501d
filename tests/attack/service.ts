// The service as an operator runs it: an api process and a worker process on one database, with the sandbox
// in the place of the external systems. What the attack asks of them beside their answers is here.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { systemClock } from '../../apps/server/src/infra/clock.ts'
import type { Db } from '../../apps/server/src/infra/db.ts'
import { createSecretBox } from '../../apps/server/src/infra/secrets.ts'
import { seedDemo } from '../../apps/server/src/modules/demo/seed.ts'
import { type Client, createClient } from '../support/client.ts'
import { type Control, SMALL_DATASET, startSandbox } from '../support/sandbox.ts'
import { newSecretsKey, ops, type Server, type Settings, startServer } from '../support/server.ts'
import { auditBooks, untilStocked } from '../support/stack.ts'
import { startWebhooks, type Webhooks } from '../support/webhooks.ts'

export interface Service {
  /** The demo merchant. */
  readonly merchant: Client
  readonly merchantEmail: string
  readonly webhooks: Webhooks
  readonly control: Control
  readonly sandboxUrl: string
  /** The processes of the external systems, which are not the service's. */
  supplierPids(): number[]
  /** What both processes wrote to their logs. */
  log(): string[]
  ops(...args: string[]): Promise<string>
  /** Stops both processes and starts them again at the same address; `between` runs meanwhile. */
  restart(between: () => Promise<void>): Promise<void>
  close(): Promise<void>
}

export async function startService(
  { url, db, folder }: { readonly url: string; readonly db: Db; readonly folder: string },
  settings: Settings,
): Promise<Service> {
  const secretsKey = newSecretsKey()
  let secret = ''
  const webhooks = await startWebhooks(() => secret)
  const { merchant } = await seedDemo({
    db,
    clock: systemClock,
    secrets: createSecretBox([Buffer.from(secretsKey, 'hex')]),
    webhooks: { demoUrl: webhooks.url, allowPrivate: true },
  })
  secret = merchant.webhookSecret ?? ''
  const sandbox = await startSandbox({ ...settings, SANDBOX_DATA_DIR: `${folder}/sandbox` })
  const environment: Settings = {
    ...SMALL_DATASET,
    DATABASE_URL: url,
    DATA_DIR: folder,
    SECRETS_KEY: secretsKey,
    ...settings,
    SANDBOX_PORT: String(sandbox.port),
  }
  let processes: readonly Server[] = []
  const start = async (port: string): Promise<Server> => {
    const [api, worker] = await Promise.all([
      startServer('api', { ...environment, PORT: port }),
      startServer('worker', environment),
    ])
    processes = [api, worker]
    return api
  }
  const stop = async (): Promise<void> => {
    const ended = await Promise.all(processes.map((process) => process.end('SIGTERM')))
    for (const [i, { code }] of ended.entries()) {
      assert.equal(code, 0, `a process stops with exit code 0:\n${processes[i]?.said()}`)
    }
  }
  const { baseUrl } = await start('0')
  const client = createClient({ baseUrl, apiKey: merchant.apiKey })
  // The providers send their notices there.
  await sandbox.control.call('PUT', '/notices', { url: baseUrl })
  await untilStocked(client, sandbox.control)
  return {
    merchant: client,
    merchantEmail: merchant.email,
    webhooks,
    control: sandbox.control,
    sandboxUrl: sandbox.url,
    supplierPids: () => [sandbox.child.pid, ...childrenOf(sandbox.child.pid)],
    log: () => processes.flatMap((process) => process.stdout().split('\n')),
    ops: (...args) => ops(environment, ...args),
    restart: async (between) => {
      await stop()
      await between()
      await start(new URL(baseUrl).port)
    },
    close: async () => {
      try {
        await stop()
        await auditBooks({ db })
      } finally {
        await sandbox.child.end()
        await webhooks.close()
        await db.close()
      }
    },
  }
}

/** The processes that another has started, and theirs. */
function childrenOf(pid: number): number[] {
  const pids = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
  return pids.map(Number).flatMap((child) => [child, ...childrenOf(child)])
}
