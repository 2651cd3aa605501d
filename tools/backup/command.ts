// What the commands have in common: steps with the time, Ctrl-C, and refusals with exit code 1.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CannotStart } from '../../apps/server/src/infra/process/cannot-start.ts'
import { keyIdOf } from '../../apps/server/src/infra/process/secrets.ts'
import type { Config } from '../../apps/server/src/main/config.ts'
import { readKeys } from '../../apps/server/src/main/settings.ts'

export interface Running {
  readonly signal: AbortSignal
  /** A step, to stderr. */
  readonly say: (step: string) => void
}

/** Ends the process. What it prints on stdout is the result alone. */
export async function runCommand(work: (running: Running) => Promise<void>): Promise<never> {
  const startedAt = performance.now()
  const stop = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => stop.abort())
  const say = (step: string): void => {
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
    process.stderr.write(`[${seconds.padStart(6)} s] ${step}\n`)
  }
  try {
    await work({ signal: stop.signal, say })
    process.exit(0)
  } catch (error) {
    if (stop.signal.aborted) {
      process.stderr.write('Interrupted: nothing was kept.\n')
      process.exit(130)
    }
    if (!(error instanceof CannotStart)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exit(1)
  }
}

export const inMegabytes = (bytes: number): string =>
  `${(bytes / 2 ** 20).toLocaleString('en', { maximumFractionDigits: 1 })} MiB`

/** `keys`: the text of SECRETS_KEY. */
export function keyIdsOf(keys: string, source: string): string[] {
  const ring = readKeys(keys.trim())
  if (!ring) throw new CannotStart(`${source} holds no key: 32 bytes in hex or base64.`)
  return ring.map(keyIdOf)
}

/** Names of the keys of an installation: of SECRETS_KEY, else of its data folder. */
export function readKeyIds(config: Config, dataDir: string): string[] {
  if (config.secretsKey) return keyIdsOf(config.secretsKey.reveal(), 'SECRETS_KEY')
  const file = join(dataDir, 'secrets.key')
  try {
    return keyIdsOf(readFileSync(file, 'utf8'), file)
  } catch (error) {
    if (error instanceof CannotStart) throw error
    throw new CannotStart('SECRETS_KEY is not set: the copy names the key that it needs.')
  }
}
