import { ConfigFault, type Environment, integerSetting, textSetting } from '../settings.ts'
import { NETWORKS, type NetworkId } from './networks.ts'

export interface ChainSettings {
  /** The chains that are run; none at all: the party is off. */
  readonly networks: readonly NetworkId[]
  /** Between two blocks while something happens on a chain; 0: blocks are made on request only. */
  readonly blockMs: number
  /** Between two writes of a node's state to its file: a node that is killed loses what came after. */
  readonly stateSeconds: number
}

const ALL = Object.keys(NETWORKS) as readonly NetworkId[]

/** `SANDBOX_CHAINS` is `all`, `off`, or names of chains separated by commas. */
export function readChainSettings(environment: Environment): ChainSettings {
  const text = textSetting(environment, 'SANDBOX_CHAINS', 'all')
  return {
    networks: text === 'all' ? ALL : text === 'off' ? [] : text.split(',').map(readNetworkId),
    blockMs: integerSetting(environment, 'SANDBOX_BLOCK_MS', { fallback: 1000, most: 60_000 }),
    stateSeconds: integerSetting(environment, 'SANDBOX_STATE_SECONDS', {
      ...{ fallback: 30, least: 1, most: 3600 },
    }),
  }
}

function readNetworkId(name: string): NetworkId {
  const id = ALL.find((known) => known === name.trim())
  if (id !== undefined) return id
  throw new ConfigFault(
    `SANDBOX_CHAINS must be all, off, or some of ${ALL.join(', ')}, not "${name}".`,
  )
}
