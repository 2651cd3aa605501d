import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ControlFault, readBody, readPartyChange } from '../control/body.ts'
import type { FaultScript } from '../party/fault-script.ts'
import { serveFaultScript } from '../party/script-controls.ts'
import type { Switches } from '../party/switches.ts'
import type { Chain, Reorganisation } from './chain.ts'
import { FAULT_WORDS, type NodeFaults } from './fault-proxy.ts'
import { type NetworkId, OTHER_DECIMALS } from './networks.ts'
import { ASSETS, type Asset, type Prices, readUnits, showUnits } from './prices.ts'

export interface ChainHandle {
  readonly chain: Chain
  readonly script: FaultScript
  faults(): NodeFaults
  setFaults(change: Partial<NodeFaults>): void
}

export interface ChainControlDeps {
  readonly chains: ReadonlyMap<NetworkId, ChainHandle>
  /** Why there are none; null where they run. */
  readonly offReason: string | null
  readonly switches: Switches
  readonly prices: Prices
}

/** A node keeps the states of so many blocks. */
const DEEPEST_REORGANISATION = 60
const MOST_MINED = 5_000
const USD_DECIMALS = 8

export const switchOf = (id: NetworkId): string => `chain:${id}`
export const EXCHANGE_SWITCH = 'exchange'

export function serveChainControls(app: FastifyInstance, deps: ChainControlDeps): void {
  const chainOf = (request: FastifyRequest): ChainHandle => readChain(request, deps)

  /**
   * `online`, `latencyMs`, `halted` (no more blocks), `baseFee` in wei, `staleBlocks`,
   * `duplicateLogs`, `noLogs`, `wrongChainId`, `noTraces`, `noBlockReceipts`, `callsPerSecond`
   * (more receive 429)
   */
  app.put('/chains/:chain', async (request) => {
    const handle = chainOf(request)
    await changeChain(request.body, handle, deps.switches)
    return viewChain(handle, deps.switches)
  })

  /** Pays `amount` of `token` (USDT, USDC, NATIVE, or a dollar that is not taken) to `address` */
  app.post('/chains/:chain/faucet', async (request) => {
    const { chain } = chainOf(request)
    const { address, token, amount } = readBody(request.body, ['address', 'token', 'amount'])
    const to = readAddress(address)
    const decimals = decimalsOf(chain, token)
    const units = readUnits(amount, 'amount', decimals)
    const txHash = await chain.pay({ to, token: String(token), units })
    return { chain: chain.network.id, txHash, address, token, units: units.toString() }
  })

  /** The issuer of `token` freezes `address`; `frozen` false ends it */
  app.post('/chains/:chain/freeze', async (request) => {
    const { chain } = chainOf(request)
    const { address, token, frozen = true } = readBody(request.body, ['address', 'token', 'frozen'])
    const isListed = readFlag(frozen, 'frozen')
    const known = chain.network.tokens.find(({ symbol }) => symbol === token)
    if (known === undefined) throw new ControlFault(400, 'token must be USDT or USDC.')
    const change = { address: readAddress(address), token: known.symbol, isListed }
    const txHash = await chain.freeze(change)
    return { chain: chain.network.id, txHash, address, token, frozen }
  })

  /** Makes `blocks` */
  app.post('/chains/:chain/mine', async (request) => {
    const { blocks = 1 } = readBody(request.body ?? {}, ['blocks'])
    return { head: await chainOf(request).chain.mine(readCount(blocks, 'blocks', MOST_MINED)) }
  })

  /**
   * Replaces the newest `depth` blocks; `mode`: `drop` leaves their transactions out, `move` puts
   * them into the last new block, `double_spend` spends their nonces on nothing; with `txHash`
   * that one alone
   */
  app.post('/chains/:chain/reorg', async (request) => {
    const { chain } = chainOf(request)
    return { head: await named(() => chain.reorganise(readReorganisation(request.body))) }
  })

  /** Takes `blocks` away without new ones */
  app.post('/chains/:chain/rollback', async (request) => {
    const { chain } = chainOf(request)
    const blocks = readCount(
      readBody(request.body, ['blocks']).blocks,
      'blocks',
      DEEPEST_REORGANISATION,
    )
    return { head: await named(() => chain.rollback(blocks)) }
  })

  for (const [id, { script }] of deps.chains) {
    /** Script of the node */
    serveFaultScript(app, `/chains/${id}/script`, { script, accept: readFaultWords })
  }

  /** `usd`, or `exchangeUsd` and `chainUsd` apart; `ageSeconds` */
  app.put('/prices/:asset', async (request) => {
    const { asset } = request.params as { asset: string }
    const known = ASSETS.find((each) => each === asset)
    if (known === undefined) throw new ControlFault(404, `There is no asset ${asset}.`)
    deps.prices.set(known, readPriceChange(request.body))
    await Promise.all([...deps.chains.values()].map(({ chain }) => chain.applyPrices()))
    return viewPrice(known, deps.prices)
  })

  /** `online`, `latencyMs` */
  app.put('/exchange', (request) =>
    deps.switches.set(
      EXCHANGE_SWITCH,
      readPartyChange(readBody(request.body, ['online', 'latencyMs'])),
    ),
  )
}

function readChain(request: FastifyRequest, { chains, offReason }: ChainControlDeps): ChainHandle {
  if (offReason !== null) throw new ControlFault(409, offReason)
  const { chain } = request.params as { chain: NetworkId }
  const handle = chains.get(chain)
  if (handle !== undefined) return handle
  throw new ControlFault(
    404,
    `There is no chain ${chain}; there are ${[...chains.keys()].join(', ')}.`,
  )
}

const CHAIN_FIELDS = [
  ...['online', 'latencyMs', 'halted', 'baseFee'],
  ...['duplicateLogs', 'noLogs', 'staleBlocks', 'wrongChainId'],
  ...['noTraces', 'noBlockReceipts', 'callsPerSecond'],
]

const FLAGS = [
  ...(['duplicateLogs', 'noLogs', 'wrongChainId', 'noTraces', 'noBlockReceipts'] as const),
]
const MOST_CALLS = 100_000

async function changeChain(
  body: unknown,
  { chain, setFaults }: ChainHandle,
  switches: Switches,
): Promise<void> {
  const change = readBody(body, CHAIN_FIELDS)
  const switched = readPartyChange(change)
  const faults: { -readonly [Name in keyof NodeFaults]?: NodeFaults[Name] } = {}
  for (const name of FLAGS) {
    if (change[name] !== undefined) faults[name] = readFlag(change[name], name)
  }
  if (change.staleBlocks !== undefined) {
    faults.staleBlocks = readCount(change.staleBlocks, 'staleBlocks', DEEPEST_REORGANISATION, 0)
  }
  if (change.callsPerSecond !== undefined) {
    faults.callsPerSecond = readCount(change.callsPerSecond, 'callsPerSecond', MOST_CALLS, 0)
  }
  const halted = change.halted === undefined ? null : readFlag(change.halted, 'halted')
  const baseFee = change.baseFee === undefined ? null : readUnits(change.baseFee, 'baseFee', 0)
  switches.set(switchOf(chain.network.id), switched)
  setFaults(faults)
  if (halted !== null) chain.setHalted(halted)
  if (baseFee !== null) await chain.setBaseFee(baseFee)
}

function readAddress(value: unknown): `0x${string}` {
  if (typeof value === 'string' && /^0x[0-9a-fA-F]{40}$/.test(value)) return value as `0x${string}`
  throw new ControlFault(400, 'address must be 0x and 40 hex digits.')
}

function readFlag(value: unknown, name: string): boolean {
  if (typeof value === 'boolean') return value
  throw new ControlFault(400, `${name} must be true or false.`)
}

function readCount(value: unknown, name: string, most: number, least = 1): number {
  if (Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most) {
    return Number(value)
  }
  throw new ControlFault(400, `${name} must be a whole number from ${least} to ${most}.`)
}

const MODES = ['drop', 'move', 'double_spend'] as const

function readReorganisation(body: unknown): Reorganisation {
  const { depth, mode = 'drop', txHash = null } = readBody(body, ['depth', 'mode', 'txHash'])
  const known = MODES.find((each) => each === mode)
  if (known === undefined) throw new ControlFault(400, `mode must be one of ${MODES.join(', ')}.`)
  if (txHash !== null && (typeof txHash !== 'string' || !/^0x[0-9a-f]{64}$/.test(txHash))) {
    throw new ControlFault(400, 'txHash must be the hash of a transaction.')
  }
  return { depth: readCount(depth, 'depth', DEEPEST_REORGANISATION), mode: known, txHash }
}

/** A node refuses what reaches further back than the states that it keeps. */
async function named<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ControlFault) throw error
    throw new ControlFault(409, `The node refuses: ${(error as Error).message}`)
  }
}

function readFaultWords(entries: readonly unknown[]): readonly string[] {
  const words = entries.map(String)
  const unknown = words.find((word) => !FAULT_WORDS.some((known) => known === word))
  if (unknown === undefined) return words
  throw new ControlFault(400, `There is no word "${unknown}"; there are ${FAULT_WORDS.join(', ')}.`)
}

const PRICE_FIELDS = ['usd', 'exchangeUsd', 'chainUsd', 'ageSeconds']

function readPriceChange(body: unknown): Parameters<Prices['set']>[1] {
  const { usd, exchangeUsd = usd, chainUsd = usd, ageSeconds } = readBody(body, PRICE_FIELDS)
  const dollars = (value: unknown, name: string): bigint => readUnits(value, name, USD_DECIMALS)
  return {
    ...(exchangeUsd === undefined ? {} : { exchangeE8: dollars(exchangeUsd, 'exchangeUsd') }),
    ...(chainUsd === undefined ? {} : { chainE8: dollars(chainUsd, 'chainUsd') }),
    ...(ageSeconds === undefined
      ? {}
      : { ageSeconds: readCount(ageSeconds, 'ageSeconds', 86_400, 0) }),
  }
}

function decimalsOf({ network }: Chain, token: unknown): number {
  if (token === 'NATIVE') return 18
  const known = network.tokens.find(({ symbol }) => symbol === token)
  if (known !== undefined) return known.decimals
  if (network.others.some(({ symbol }) => symbol === token)) return OTHER_DECIMALS
  const names = ['USDT', 'USDC', 'NATIVE', ...network.others.map(({ symbol }) => symbol)]
  throw new ControlFault(400, `token must be one of ${names.join(', ')}.`)
}

// ---------------------------------------------------------------- state

export function viewChains({ chains, offReason, switches, prices }: ChainControlDeps) {
  return {
    chains: {
      offReason,
      networks: [...chains.values()].map((handle) => viewChain(handle, switches)),
    },
    exchange: switches.of(EXCHANGE_SWITCH),
    prices: ASSETS.map((asset) => viewPrice(asset, prices)),
  }
}

function viewChain({ chain, script, faults }: ChainHandle, switches: Switches) {
  const { id, chainId, tokens, native } = chain.network
  return {
    chain: id,
    chainId,
    ...switches.of(switchOf(id)),
    halted: chain.isHalted(),
    ...faults(),
    script: script.list(),
    head: chain.head(),
    native: native.symbol,
    tokens: tokens.map(({ symbol, address, decimals }) => ({ symbol, address, decimals })),
    rpc: `/chains/${id}/rpc`,
  }
}

function viewPrice(asset: Asset, prices: Prices) {
  const { exchangeE8, chainE8, ageSeconds } = prices.of(asset)
  return {
    asset,
    exchangeUsd: showUnits(exchangeE8, USD_DECIMALS),
    chainUsd: showUnits(chainE8, USD_DECIMALS),
    ageSeconds,
  }
}
