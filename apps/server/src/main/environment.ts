// The outside parties of an all-in-one process: the real ones, or the sandbox as a child.
import type { Log } from '#infra/log'
import { type Config, type Upstreams, upstreamsOfSandbox } from './config.ts'
import type { Lifecycle } from './lifecycle.ts'
import { refuseBusyPort } from './listen.ts'
import { startSandbox } from './sandbox.ts'

export interface StartedEnvironment {
  readonly upstreams: Upstreams
  readonly sandboxUrl: string | null
}

export async function startEnvironment(
  { environment, dataDir }: Config,
  { log, lifecycle }: { log: Log; lifecycle: Lifecycle },
): Promise<StartedEnvironment> {
  if (environment.kind === 'production') return { upstreams: environment, sandboxUrl: null }
  const sandbox = await startSandbox(environment, {
    dataDir,
    log,
    // Its own sentence would name its own words for the port.
    beforeLaunch: () => refuseBusyPort('SANDBOX_PORT', environment),
  })
  lifecycle.onStop('sandbox', () => sandbox.stop())
  lifecycle.onAbandon(() => sandbox.kill())
  return { upstreams: upstreamsOfSandbox(sandbox.url, environment), sandboxUrl: sandbox.url }
}
