import { createFaultScript } from '../party/fault-script.ts'
import type { Party, PartyContext, Protocol } from '../party/party.ts'
import { type ChainOptions, createChain } from './chain.ts'
import {
  type ChainControlDeps,
  type ChainHandle,
  EXCHANGE_SWITCH,
  serveChainControls,
  switchOf,
  viewChains,
} from './controls.ts'
import { serveExchange } from './exchange.ts'
import { NO_FAULTS, type NodeFaults } from './fault-proxy.ts'
import { NETWORKS, type NetworkId } from './networks.ts'
import { createPrices } from './prices.ts'
import { findAnvil } from './program.ts'
import { serveRpc, serveSecond } from './rpc-routes.ts'
import { readChainSettings } from './settings.ts'

/** Five EVM chains, each a real node, and an exchange that knows what their coins cost. */
export function createChains(context: PartyContext): Party {
  const { networks, blockMs, stateSeconds } = readChainSettings(context.environment)
  const prices = createPrices(context.store)
  const program = findAnvil()
  const offReason = whyOff(networks.length, program)
  const handles = new Map<NetworkId, ChainHandle>()
  if (offReason === null && program !== null) {
    for (const id of networks)
      handles.set(id, createHandle(id, { program, blockMs, stateSeconds, prices }, context))
  } else if (networks.length > 0) {
    process.stderr.write(`${offReason}\n`)
  }
  const deps: ChainControlDeps = { chains: handles, offReason, switches: context.switches, prices }
  return {
    protocols: [
      ...[...handles.values()].flatMap(protocolsOf),
      {
        prefix: '/exchange',
        switchId: EXCHANGE_SWITCH,
        routes: (app) => serveExchange(app, prices),
      },
    ],
    controls: (app) => serveChainControls(app, deps),
    state: () => viewChains(deps),
    console: ['chains/console/chains.mjs'],
    close: async () => {
      await Promise.all([...handles.values()].map(({ chain }) => chain.close()))
    },
  }
}

function whyOff(networkCount: number, program: string | null): string | null {
  if (networkCount === 0) return 'The chains are off: SANDBOX_CHAINS is off.'
  if (program !== null) return null
  return `The chains are off: @foundry-rs/anvil has no program for ${process.platform} on ${process.arch}.`
}

function createHandle(
  id: NetworkId,
  options: Pick<ChainOptions, 'program' | 'blockMs' | 'stateSeconds' | 'prices'>,
  { store, dataDir }: PartyContext,
): ChainHandle {
  let faults = NO_FAULTS
  return {
    chain: createChain({ ...options, network: NETWORKS[id], dataDir }),
    script: createFaultScript(store, switchOf(id)),
    faults: () => faults,
    setFaults: (change: Partial<NodeFaults>) => {
      faults = { ...faults, ...change }
    },
  }
}

function protocolsOf({ chain, script, faults }: ChainHandle): Protocol[] {
  const { id } = chain.network
  return [
    {
      prefix: `/chains/${id}/rpc`,
      switchId: switchOf(id),
      routes: (app) => serveRpc(app, { chain, faults, script }),
    },
    { prefix: `/chains/${id}/second`, routes: (app) => serveSecond(app, chain) },
  ]
}
