// The world outside of an all-in-one process: real, or the sandbox as a child.
import type { Log } from '#platform/log'
import { type Config, type Outside, outsideOfSandbox } from './config.ts'
import type { Lifecycle } from './lifecycle.ts'
import { refuseBusyPort } from './listen.ts'
import { startSandbox } from './sandbox.ts'

export interface StartedWorld {
  readonly outside: Outside
  readonly sandboxUrl: string | null
}

export async function startWorld(
  { world, dataDir }: Config,
  { log, lifecycle }: { log: Log; lifecycle: Lifecycle },
): Promise<StartedWorld> {
  if (world.kind === 'real') return { outside: world, sandboxUrl: null }
  const sandbox = await startSandbox(world, {
    dataDir,
    log,
    // Its own sentence would name its own words for the port.
    beforeLaunch: () => refuseBusyPort('SANDBOX_PORT', world),
  })
  lifecycle.onStop('sandbox', () => sandbox.stop())
  lifecycle.onAbandon(() => sandbox.kill())
  return { outside: outsideOfSandbox(sandbox.url, world), sandboxUrl: sandbox.url }
}
