// Whether it is the sandbox that a service buys from.
import { CommandError, EXIT } from './failure.ts'
import type { Session } from './session.ts'
import type { World } from './world.ts'

const DEADLINE_MS = 10_000

/**
 * Scenarios buy things. That must never happen where it costs real money, so both must be there: a key
 * for testing, and a sandbox that answers.
 */
export async function refuseRealMoney(world: World, session: Session): Promise<void> {
  if (!session.apiKey.startsWith('tp_test_')) {
    throw notForReal('This key is not one for testing (tp_test_…).')
  }
  const url =
    world.env.TRADEPOST_SANDBOX_URL || session.profile.sandboxUrl || besides(session.baseUrl)
  const signal = AbortSignal.any([world.signal, AbortSignal.timeout(DEADLINE_MS)])
  const state: unknown = await fetch(`${url}/control/state`, { redirect: 'error', signal })
    .then((response) => (response.ok ? response.json() : null))
    .catch(() => null)
  world.signal.throwIfAborted()
  if (typeof state !== 'object' || state === null || !('markets' in state)) {
    throw notForReal(`No sandbox answers at ${url}.`)
  }
}

/** `npm start` puts it on the next port. It takes no names, so that no web page can reach it by one. */
function besides(baseUrl: string): string {
  const url = new URL(baseUrl)
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
  return `http://${url.hostname === 'localhost' ? '127.0.0.1' : url.hostname}:${port + 1}`
}

const notForReal = (message: string): CommandError =>
  new CommandError(message, EXIT.failed, [
    'Scenarios are caused in the sandbox only: with real markets they would cost real money.',
    'Is it elsewhere? tradepost login --sandbox-url <address>, or TRADEPOST_SANDBOX_URL.',
  ])
