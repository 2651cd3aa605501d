// Our own processes as an operator starts them: the same entry files, the log going to a file.
import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { flagsOf } from '../../tests/support/node-flags.ts'
import { endChild } from '../ipc.ts'

export interface OurProcess {
  readonly pid: number
  /** Of a worker: that of its metrics. */
  readonly port: number
  /** From the start of the process to the moment when it says that it is ready. */
  readonly readyMs: number
  readonly logFile: string
  stop(): Promise<void>
}

export interface StartOptions {
  /** For example `all-in-one`: a file of apps/server/src/main. */
  readonly role: string
  readonly logFile: string
  readonly settings: Readonly<Record<string, string>>
  /** Folder for a CPU profile, written when the process ends. */
  readonly profileFolder: string | null
}

const ROOT = join(import.meta.dirname, '../..')
const MAIN = join(ROOT, 'apps/server/src/main')
const READY_TIMEOUT_MS = 300_000

export async function startOurs(options: StartOptions): Promise<OurProcess> {
  const { role, logFile, settings, profileFolder } = options
  const log = openSync(logFile, 'w')
  const startedAt = performance.now()
  const profiling = profileFolder ? ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`] : []
  const nodeArguments = [...flagsOf(role), ...profiling]
  const child = spawn(process.execPath, [...nodeArguments, join(MAIN, `${role}.ts`)], {
    stdio: ['ignore', log, log],
    env: { PATH: process.env.PATH ?? '', PORT: '0', METRICS_PORT: '0', ...settings },
  })
  closeSync(log)
  const stop = (): Promise<void> => endChild(child)
  try {
    while (performance.now() - startedAt < READY_TIMEOUT_MS && child.exitCode === null) {
      const baseUrl = readBaseUrl(logFile)
      if (baseUrl !== null) {
        const readyMs = performance.now() - startedAt
        return { pid: child.pid ?? -1, port: Number(new URL(baseUrl).port), readyMs, logFile, stop }
      }
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    throw new Error(`${role} did not become ready:\n${readFileSync(logFile, 'utf8').slice(-2000)}`)
  } catch (error) {
    await stop()
    throw error
  }
}

function readBaseUrl(logFile: string): string | null {
  const line = readFileSync(logFile, 'utf8')
    .split('\n')
    .find((text) => text.includes('"msg":"ready"'))
  if (line === undefined) return null
  const { baseUrl, metricsUrl } = JSON.parse(line) as { baseUrl?: string; metricsUrl?: string }
  return baseUrl ?? metricsUrl ?? null
}
