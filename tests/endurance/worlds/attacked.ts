// The service as the quick start for production runs it: an api process and a worker process on one database,
// or two api processes behind a balancer, which share a Redis; with the sandbox in the place of the external
// systems.
import assert from 'node:assert/strict'
import { startValkey } from '../../../apps/server/src/infra/testing/valkey-server.ts'
import { assertDefined } from '../../../apps/server/src/kernel/assert.ts'
import { find } from '../../failover/programs.ts'
import { createClient } from '../../support/client.ts'
import type { Settings } from '../../support/server.ts'
import { auditBooks, untilStocked } from '../../support/stack.ts'
import { startHaProxy } from '../../upgrade/balancer.ts'
import { type OwnInstallation, startInstallation } from './installation.ts'
import { withChildren } from './shared-processors.ts'

export interface Service extends OwnInstallation {
  /** The processes of the external systems, which are not the service's. */
  supplierPids(): number[]
  /** What both processes wrote to their logs. */
  log(): string[]
  /** Stops both processes and starts them again at the same address; `between` runs meanwhile. */
  restart(between: () => Promise<void>): Promise<void>
}

/** An audit reads all of the books at once. */
const POSTGRES = { sharedBuffersMb: 256, statementTimeoutMs: 30 * 60_000 }

export async function startService(settings: Settings, apiCount: 1 | 2): Promise<Service> {
  const closers: (() => Promise<unknown>)[] = []
  const closeFront = async (): Promise<void> => {
    for (const end of closers.reverse()) await end()
  }
  const valkey = apiCount === 1 ? null : await startValkey()
  if (valkey !== null) closers.push(valkey.stop)
  const installation = await startInstallation({
    sandbox: settings,
    service: { ...settings, ...(valkey && { REDIS_URL: valkey.url }) },
    postgres: POSTGRES,
    ...{ ofEach: { apis: apiCount, workers: 1 }, ownSessions: true },
  })
  const { apis, workers, sandbox } = installation
  const stop = async (): Promise<void> => {
    for (const { code, said } of (await Promise.all([apis.drain(), workers.drain()])).flat()) {
      assert.equal(code, 0, `a process stops with exit code 0:\n${said}`)
    }
  }
  let { merchant } = installation
  try {
    const [one = '', two] = apis.baseUrls()
    if (two !== undefined) {
      const balancer = await startHaProxy(assertDefined(find('haproxy'), 'haproxy'), {
        folder: installation.folder,
        apis: [portOf(one), portOf(two)],
      })
      closers.push(balancer.stop)
      merchant = createClient({ baseUrl: balancer.url, apiKey: merchant.apiKey })
    }
    // The providers send their notices there.
    await sandbox.control.call('PUT', '/notices', { url: merchant.baseUrl })
    await untilStocked(merchant, sandbox.control)
  } catch (error) {
    await installation.close()
    await closeFront()
    throw error
  }
  return {
    ...installation,
    merchant,
    supplierPids: () => withChildren(sandbox.child.pid),
    log: () => [...apis.log(), ...workers.log()],
    restart: async (between) => {
      await stop()
      await between()
      await Promise.all([apis.revive(), workers.revive()])
    },
    close: async () => {
      try {
        await stop()
        await auditBooks(installation)
      } finally {
        await installation.close()
        await closeFront()
      }
    },
  }
}

const portOf = (url: string): number => Number(new URL(url).port)
