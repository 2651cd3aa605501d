// A chain over its RPC addresses, behind the ports of chains and outbound.

import type { HttpClient } from '#infra/http/http-client'
import type { Clock } from '#infra/process/clock'
import type { Log } from '#infra/process/log'
import type { Check } from '#kernel/check'
import type { ChainNode, PriceSource } from '#ports/chains'
import type { BroadcastNode } from '#ports/outbound'
import { pause } from '../shared/pause.ts'
import { readAggregator } from './aggregator.ts'
import { createBroadcastNode, type Finality } from './broadcast-node.ts'
import { createChainNode } from './chain-node.ts'
import { createDrill } from './drill.ts'
import { createPace } from './pace.ts'
import { createRpcAddress, type RpcAddress } from './rpc-address.ts'
import { createRpcPool, type RpcPool } from './rpc-pool.ts'

export { createAggregatorSources } from './aggregator.ts'

export interface EvmChain {
  readonly node: ChainNode
  readonly broadcast: BroadcastNode
  /** By a contract on the chain; null: it has none for the asset. */
  readonly readPrice: PriceSource['read']
  /** What an operator asks each address by itself. */
  readonly drill: () => readonly Check[]
}

export interface EvmChainOptions {
  readonly chain: ChainNode['chain']
  /** At least one, the preferred one first. */
  readonly rpcUrls: readonly string[]
  /** Of another operator, for receipts of large amounts; may be empty. */
  readonly secondRpcUrls: readonly string[]
  /** What counts as final for what we send; the chain's own rule when it is left out. */
  readonly finality?: Finality
  /** `off`: nodes are never asked for traces, which cost many times a call. */
  readonly traces?: 'auto' | 'off'
  /** To each address, by this process; 0 or left out: no pace. */
  readonly callsPerSecond?: number
  readonly http: HttpClient
  readonly clock: Clock
  readonly log: Log
  readonly deadlineMs?: number
}

interface ChainDetails {
  readonly chainId: number
  readonly finality: Finality
  readonly leastPriorityFee: bigint
}

const GWEI = 1_000_000_000n

/**
 * The plan's rules of confirmation: twelve blocks on ethereum; on the OP stack what its batches have put on
 * ethereum; five minutes of blocks on arbitrum; on bsc blocks enough for its fast finality to fail first.
 * bsc's validators have a floor for the priority fee, the others only want one.
 */
const CHAINS: Readonly<Record<ChainNode['chain'], ChainDetails>> = {
  ethereum: {
    chainId: 1,
    finality: { kind: 'depth', blocks: 12n },
    leastPriorityFee: GWEI / 100n,
  },
  base: {
    chainId: 8453,
    finality: { kind: 'tag', tag: 'safe', orDepth: 180n },
    leastPriorityFee: GWEI / 1000n,
  },
  arbitrum: {
    chainId: 42_161,
    finality: { kind: 'depth', blocks: 300n },
    leastPriorityFee: 0n,
  },
  optimism: {
    chainId: 10,
    finality: { kind: 'tag', tag: 'safe', orDepth: 180n },
    leastPriorityFee: GWEI / 1000n,
  },
  bsc: {
    chainId: 56,
    finality: { kind: 'depth', blocks: 15n },
    leastPriorityFee: GWEI / 20n,
  },
}

const DEADLINE_MS = 10_000
/** A trace of a full block, or a broadcast, against a read. */
const SLOW_FACTOR = 3

export function createEvmChain(options: EvmChainOptions): EvmChain {
  const { chain, log, traces = 'auto', deadlineMs = DEADLINE_MS } = options
  const { chainId, finality, leastPriorityFee } = CHAINS[chain]
  const first = addressesOf(options, options.rpcUrls, 'rpc')
  const others = addressesOf(options, options.secondRpcUrls, 'second')
  const poolOf = (addresses: readonly RpcAddress[]): RpcPool =>
    createRpcPool({ ...{ chain, chainId, addresses, log, deadlineMs }, clock: options.clock })
  const pool = poolOf(first)
  const second = others.length === 0 ? null : poolOf(others)
  const any = poolOf([...first, ...others])
  const slowMs = deadlineMs * SLOW_FACTOR
  return {
    node: createChainNode({ chain, pool, second, log, traces, traceDeadlineMs: slowMs }),
    broadcast: createBroadcastNode({
      ...{ chain, chainId, pool, second, any, leastPriorityFee },
      finality: options.finality ?? finality,
      sendDeadlineMs: slowMs,
    }),
    readPrice: (asset) => readAggregator(any, chain, asset),
    drill: () =>
      createDrill({
        ...{ chain, chainId, traces, deadlineMs, slowMs },
        addresses: [...first, ...others],
        callsPerSecond: options.callsPerSecond ?? 0,
      }),
  }
}

const addressesOf = (
  { chain, http, clock, callsPerSecond = 0 }: EvmChainOptions,
  urls: readonly string[],
  role: string,
): RpcAddress[] =>
  urls.map((url, i) => {
    const pace = createPace({ callsPerSecond, clock, pause })
    return createRpcAddress({
      name: `${role} ${i + 1}`,
      provider: `chain_${chain}`,
      url,
      http,
      pace,
    })
  })
