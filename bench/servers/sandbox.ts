// The sandbox alone, for rows whose requests ask the game platform.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { endChild } from '../ipc.ts'

const PROGRAM = join(import.meta.dirname, '../../apps/sandbox/src/main.ts')

export async function startSandbox(
  folder: string,
): Promise<{ readonly port: number; stop(): Promise<void> }> {
  const child = spawn(process.execPath, [PROGRAM], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: {
      PATH: process.env.PATH ?? '',
      SANDBOX_PORT: '0',
      SANDBOX_DATA_DIR: join(folder, 'sandbox-of-row'),
      SANDBOX_LISTINGS: '1000',
      SANDBOX_CHAINS: 'off',
    },
  })
  const stop = (): Promise<void> => endChild(child)
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /https?:\/\/[\w.]+:(\d+)/.exec(line)
    if (url === null) continue
    child.stdout.resume()
    return { port: Number(url[1]), stop }
  }
  await stop()
  throw new Error('the sandbox did not start')
}
