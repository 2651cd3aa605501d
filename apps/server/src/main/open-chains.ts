// The chains that are switched on, over their RPC addresses.

import type { HttpClient } from '#infra/http/http-client'
import type { Clock } from '#infra/process/clock'
import type { Log } from '#infra/process/log'
import { createEvmChain, type EvmChain } from '../adapters/evm/index.ts'
import type { Config } from './config.ts'
import type { Upstreams } from './upstreams.ts'

export interface OpenChainsDeps {
  readonly config: Config
  readonly upstreams: Upstreams
  readonly clock: Clock
  readonly log: Log
}

export function openChains(
  { config, upstreams, clock, log }: OpenChainsDeps,
  http: HttpClient,
): EvmChain[] {
  return upstreams.chains.map(({ rpcUrls, secondRpcUrls, ...settings }) =>
    createEvmChain({
      ...settings,
      rpcUrls: rpcUrls.map((url) => url.reveal()),
      secondRpcUrls: secondRpcUrls.map((url) => url.reveal()),
      ...(config.isDemo
        ? { finality: { kind: 'depth', blocks: BigInt(config.sandboxConfirmations) } }
        : {}),
      ...{ http, clock, log },
    }),
  )
}
