// The service as the quick start for production runs it: an api process and a worker process on one database,
// with the sandbox in the place of the external systems.
import assert from 'node:assert/strict'
import type { Settings } from '../../support/server.ts'
import { auditBooks, untilStocked } from '../../support/stack.ts'
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

export async function startService(settings: Settings): Promise<Service> {
  const installation = await startInstallation({
    ...{ sandbox: settings, service: settings, postgres: POSTGRES },
    ...{ ofEach: 1, ownSessions: true },
  })
  const { apis, workers, sandbox, merchant } = installation
  const stop = async (): Promise<void> => {
    for (const { code, said } of (await Promise.all([apis.drain(), workers.drain()])).flat()) {
      assert.equal(code, 0, `a process stops with exit code 0:\n${said}`)
    }
  }
  try {
    // The providers send their notices there.
    await sandbox.control.call('PUT', '/notices', { url: apis.baseUrls()[0] })
    await untilStocked(merchant, sandbox.control)
  } catch (error) {
    await installation.close()
    throw error
  }
  return {
    ...installation,
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
      }
    },
  }
}
