// The service as the quick start for production runs it: an api process and a worker process on one database,
// with the sandbox in the place of the external systems.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { Db } from '../../apps/server/src/infra/db.ts'
import { type Installation, startOnDatabase } from '../faults/installation.ts'
import type { Settings } from '../support/server.ts'
import { auditBooks, untilStocked } from '../support/stack.ts'

export interface Service extends Installation {
  /** The processes of the external systems, which are not the service's. */
  supplierPids(): number[]
  /** What both processes wrote to their logs. */
  log(): string[]
  /** Stops both processes and starts them again at the same address; `between` runs meanwhile. */
  restart(between: () => Promise<void>): Promise<void>
}

export async function startService(
  database: { readonly url: string; readonly db: Db },
  settings: Settings,
): Promise<Service> {
  const installation = await startOnDatabase(database, {
    ...{ sandbox: settings, service: settings, ofEach: 1, ownSessions: true },
  })
  const { apis, workers, sandbox, merchant } = installation
  const stop = async (): Promise<void> => {
    for (const { code, said } of (await Promise.all([apis.drain(), workers.drain()])).flat()) {
      assert.equal(code, 0, `a process stops with exit code 0:\n${said}`)
    }
  }
  // The providers send their notices there.
  await sandbox.control.call('PUT', '/notices', { url: apis.baseUrls()[0] })
  await untilStocked(merchant, sandbox.control)
  return {
    ...installation,
    supplierPids: () => [sandbox.child.pid, ...childrenOf(sandbox.child.pid)],
    log: () => [...apis.log(), ...workers.log()],
    restart: async (between) => {
      await stop()
      await between()
      await Promise.all([apis.revive(), workers.revive()])
    },
    close: async () => {
      try {
        await stop()
        await auditBooks(database)
      } finally {
        await installation.close()
        await database.db.close()
      }
    },
  }
}

/** The processes that another has started, and theirs. */
function childrenOf(pid: number): number[] {
  const pids = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
  return pids.map(Number).flatMap((child) => [child, ...childrenOf(child)])
}

/**
 * Every thread of a process gets a processor only while no other one wants it (SCHED_IDLE of sched(7)), and
 * so does its session, where Linux shares out processors by session first.
 */
export function giveWay(pid: number): void {
  execFileSync('chrt', ['--all-tasks', '--idle', '--pid', '0', String(pid)])
  weigh(pid, LAST)
}

/**
 * The session of a process goes before all others, as CPUWeight in its unit does (docs/scaling-out.md). Only
 * root may do that: false, and nothing is changed, for anyone else.
 */
export function goFirst(pid: number): boolean {
  try {
    return weigh(pid, FIRST)
  } catch (error) {
    if (['EPERM', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) return false
    throw error
  }
}

/** Nice values of a session: a seventieth, and nine times, of what others get. */
const LAST = 19
const FIRST = -10

/** False where Linux does not share out processors by session. */
function weigh(pid: number, nice: number): boolean {
  const file = `/proc/${pid}/autogroup`
  if (!existsSync(file)) return false
  writeFileSync(file, String(nice))
  return true
}
