// Settings of the signer, from its environment. Secrets are never settings: the seed is a file.
import { join, resolve } from 'node:path'
import { CannotStart } from './cannot-start.ts'

export interface Config {
  /** Holds the seed, the policy and the record of signed amounts, unless the settings below say otherwise. */
  readonly dataDir: string
  readonly seedFile: string
  readonly policyFile: string
  /** Path of the unix socket on which requests are answered. */
  readonly socketPath: string
  /** File mode of the socket: who may connect is decided by the file system alone. */
  readonly socketMode: number
}

/** Longer paths are cut by the operating system without an error. */
const MAX_SOCKET_PATH_BYTES = 103

/** Throws CannotStart with the name of the variable that is wrong. */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const path = (name: string, fallback: string): string =>
    resolve(environment[name]?.trim() || fallback)
  const dataDir = path('SIGNER_DATA_DIR', '.data/signer')
  const socketPath = path('SIGNER_SOCKET', join(dataDir, 'signer.sock'))
  if (Buffer.byteLength(socketPath) > MAX_SOCKET_PATH_BYTES) {
    throw new CannotStart(
      `SIGNER_SOCKET must be at most ${MAX_SOCKET_PATH_BYTES} bytes long; ${socketPath} is longer.`,
    )
  }
  return Object.freeze({
    dataDir,
    seedFile: path('SIGNER_SEED_FILE', join(dataDir, 'seed')),
    policyFile: path('SIGNER_POLICY_FILE', join(dataDir, 'policy.json')),
    socketPath,
    socketMode: socketMode(environment.SIGNER_SOCKET_MODE?.trim() || '600'),
  })
}

function socketMode(text: string): number {
  if (text !== '600' && text !== '660') {
    throw new CannotStart('SIGNER_SOCKET_MODE must be 600 (owner) or 660 (owner and group).')
  }
  return Number.parseInt(text, 8)
}
