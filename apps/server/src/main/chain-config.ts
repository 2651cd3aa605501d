// What the settings say of each chain.
import { CHAIN_IDS, type ChainId } from '#chains'
import { CannotStart } from '#infra/process/cannot-start'
import { EXPLORERS, type Secret, type Values } from './settings.ts'

/** The nodes of one chain, the preferred one first. */
export interface ChainNodes {
  readonly chain: ChainId
  readonly rpcUrls: readonly Secret[]
  /** Of another operator; may be empty. */
  readonly secondRpcUrls: readonly Secret[]
  readonly traces: 'auto' | 'off'
  /** To each address; 0: no pace. */
  readonly callsPerSecond: number
}

export type OfSomeChains<Value> = Readonly<Partial<Record<ChainId, Value>>>

const nameOf = (chain: ChainId) => `CHAIN_${chain.toUpperCase() as Uppercase<ChainId>}` as const

export function chainNodes(values: Values): ChainNodes[] {
  return CHAIN_IDS.flatMap((chain) => {
    const name = nameOf(chain)
    const rpcUrls = values[`${name}_RPC_URLS`]
    const secondRpcUrls = values[`${name}_SECOND_RPC_URLS`] ?? []
    const traces = values[`${name}_TRACES`]
    const callsPerSecond = values[`${name}_CALLS_PER_SECOND`]
    if (rpcUrls !== null) return [{ chain, rpcUrls, secondRpcUrls, traces, callsPerSecond }]
    if (secondRpcUrls.length === 0) return []
    throw new CannotStart(`${name}_RPC_URLS must be set, because ${name}_SECOND_RPC_URLS is.`)
  })
}

export const mostFeesPerGas = (values: Values): Record<ChainId, number> => ({
  ethereum: values.CHAIN_ETHEREUM_MOST_FEE_PER_GAS_WEI,
  base: values.CHAIN_BASE_MOST_FEE_PER_GAS_WEI,
  arbitrum: values.CHAIN_ARBITRUM_MOST_FEE_PER_GAS_WEI,
  optimism: values.CHAIN_OPTIMISM_MOST_FEE_PER_GAS_WEI,
  bsc: values.CHAIN_BSC_MOST_FEE_PER_GAS_WEI,
})

export const startBlocksOf = (values: Values): OfSomeChains<bigint> =>
  Object.fromEntries(
    CHAIN_IDS.flatMap((chain) => {
      const block = values[`${nameOf(chain)}_START_BLOCK`]
      return block === null ? [] : [[chain, BigInt(block)]]
    }),
  )

/** No explorer knows the chains of a sandbox. */
export const explorersOf = (values: Values, isSandbox: boolean): OfSomeChains<string> =>
  Object.fromEntries(
    CHAIN_IDS.flatMap((chain) => {
      const given = values[`${nameOf(chain)}_EXPLORER_URL`]
      const url = given ?? (isSandbox ? null : EXPLORERS[chain])
      return url === null ? [] : [[chain, url]]
    }),
  )
