// Both markets as large as the real ones, by the sandbox: its dataset is made once in a folder and kept.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { endChild } from '../ipc.ts'

const PROGRAM = join(import.meta.dirname, '../../apps/sandbox/src/main.ts')

/** What the real markets do in their busiest hours, and how they publish what they have. */
export const marketSettings = (listings: number): Readonly<Record<string, string>> => ({
  SANDBOX_LISTINGS: String(listings),
  SANDBOX_CHANGES_PER_SECOND: '430',
  SANDBOX_BURST_CHANGES: '2800',
  SANDBOX_CHAINS: 'off',
  SANDBOX_MARKET_A_SETTINGS: JSON.stringify({
    exportMaxAgeMs: 300_000,
    pricesMaxAgeMs: 60_000,
    oldExportFiles: 'kept',
  }),
  SANDBOX_MARKET_B_SETTINGS: JSON.stringify({ snapshotMaxAgeMs: 60_000, pricesMaxAgeMs: 60_000 }),
})

export interface Markets {
  readonly port: number
  readonly pid: number
  /** From the start of the process to the moment when it serves. */
  readonly readyMs: number
  stop(): Promise<void>
}

/**
 * Until both have made their files. The real ones have them before anyone asks; these make them when they are
 * asked for the first time, which at half a million listings each is more than a reader waits for.
 */
export async function untilFilesAreMade({ port }: Pick<Markets, 'port'>): Promise<void> {
  const url = `http://127.0.0.1:${port}`
  const files = ['market-a/api/full-export/USD.json', 'market-b/v1/prices/snapshot?format=csv']
  await Promise.all(
    files.map(async (file) => {
      for (;;) {
        const answer = await fetch(`${url}/${file}`)
        await answer.body?.cancel()
        if (answer.ok) return
        if (answer.status !== 503) throw new Error(`${file} answered ${answer.status}`)
        await new Promise((resolve) => setTimeout(resolve, 500))
      }
    }),
  )
}

export async function startMarkets(
  dataDir: string,
  settings: Readonly<Record<string, string>>,
): Promise<Markets> {
  const startedAt = performance.now()
  const child = spawn(process.execPath, [PROGRAM], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env.PATH ?? '',
      SANDBOX_PORT: '0',
      SANDBOX_DATA_DIR: dataDir,
      ...settings,
    },
  })
  const stop = (): Promise<void> => endChild(child)
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /https?:\/\/[\w.]+:(\d+)/.exec(line)
    if (url === null) continue
    child.stdout.resume()
    const readyMs = performance.now() - startedAt
    return { port: Number(url[1]), pid: child.pid ?? -1, readyMs, stop }
  }
  await stop()
  throw new Error('the markets did not start')
}
