// Whether a service buys from the sandbox.

import type { Environment } from './environment.ts'
import { CommandError, EXIT } from './failure.ts'
import type { Session } from './session.ts'

const DEADLINE_MS = 10_000

/** A service gives such keys only where its money is not real. */
export const hasTestKey = ({ apiKey }: Session): boolean => apiKey.startsWith('tp_test_')

/**
 * Scenarios buy items and deposit money. So that they never spend real money, both are required: a test key,
 * and a sandbox that responds. Returns the address of the sandbox.
 */
export async function refuseRealMoney(environment: Environment, session: Session): Promise<string> {
  if (!hasTestKey(session)) {
    throw notForReal(environment, 'This is not a test key (tp_test_…).')
  }
  const url =
    environment.env.TRADEPOST_SANDBOX_URL || session.profile.sandboxUrl || besides(session.baseUrl)
  const signal = AbortSignal.any([environment.signal, AbortSignal.timeout(DEADLINE_MS)])
  const state: unknown = await fetch(`${url}/control/state`, { redirect: 'error', signal })
    .then((response) => (response.ok ? response.json() : null))
    .catch(() => null)
  environment.signal.throwIfAborted()
  if (typeof state !== 'object' || state === null || !('markets' in state)) {
    throw notForReal(environment, `No sandbox responds at ${url}.`)
  }
  return url
}

/** `npm start` puts it on the next port. By address, because the sandbox refuses host names. */
function besides(baseUrl: string): string {
  const url = new URL(baseUrl)
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
  return `http://${url.hostname === 'localhost' ? '127.0.0.1' : url.hostname}:${port + 1}`
}

const notForReal = ({ commandLine }: Environment, message: string): CommandError =>
  new CommandError(message, EXIT.failed, [
    'Scenarios run in the sandbox only: with real markets they would spend real money.',
    `For another address: ${commandLine('login --sandbox-url <address>')}, or TRADEPOST_SANDBOX_URL.`,
  ])
