// The outside parties of an all-in-one process: the real ones, or the sandbox as a child.
import { CHAIN_IDS, type ChainId } from '#chains'
import { CannotStart } from '#infra/process/cannot-start'
import type { Log } from '#infra/process/log'
import { type Config, upstreamsOfSandbox } from './config.ts'
import type { Lifecycle } from './lifecycle.ts'
import { refuseBusyPort } from './listen.ts'
import { startSandbox } from './sandbox.ts'
import type { Upstreams } from './upstreams.ts'

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
  const chains = await runningChains(sandbox.url)
  const upstreams = upstreamsOfSandbox(sandbox.url, environment, chains)
  return { upstreams, sandboxUrl: sandbox.url }
}

const STATE_DEADLINE_MS = 10_000

/** Those that the sandbox runs; its log says why the others are off. */
async function runningChains(sandboxUrl: string): Promise<ChainId[]> {
  const signal = AbortSignal.timeout(STATE_DEADLINE_MS)
  const response = await fetch(`${sandboxUrl}/control/state`, { signal }).catch(() => null)
  if (!response?.ok) throw new CannotStart('The sandbox does not answer at its control interface.')
  const { chains } = (await response.json()) as { chains: { networks: { chain: string }[] } }
  return CHAIN_IDS.filter((id) => chains.networks.some(({ chain }) => chain === id))
}

/** The sandbox's providers send their notices to this address of ours. */
export async function announceToSandbox(sandboxUrl: string, baseUrl: string): Promise<void> {
  const response = await fetch(`${sandboxUrl}/control/notices`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ url: baseUrl }),
    signal: AbortSignal.timeout(STATE_DEADLINE_MS),
  }).catch(() => null)
  if (!response?.ok) throw new CannotStart('The sandbox does not answer at its control interface.')
}
