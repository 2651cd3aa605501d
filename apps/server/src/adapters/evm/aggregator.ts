// Prices that contracts on the chains answer: Chainlink's aggregators (docs.chain.link, price feeds). They
// are written when a price has moved by their threshold, else once in their heartbeat.
import { decodeFunctionResult, encodeFunctionData, parseAbi } from 'viem/utils'
import type { Address } from '#kernel/chain'
import type { ChainNode, Price, PriceSource } from '#ports/chains'
import { data, InvalidAnswer } from './answers.ts'
import type { RpcPool } from './rpc-pool.ts'

type Chain = ChainNode['chain']
type Asset = Parameters<PriceSource['read']>[0]

/** The feeds against the dollar; all have eight decimals. The chain's own coin first. */
const FEEDS: Readonly<Record<Chain, Partial<Record<Asset, Address>>>> = {
  ethereum: {
    ETH: '0x5f4eC3Df9cbd43714FE2740f5E3616155c5b8419',
    USDT: '0x3E7d1eAB13ad0104d2750B8863b489D65364e32D',
    USDC: '0x8fFfFfd4AfB6115b954Bd326cbe7B4BA576818f6',
  },
  base: {
    ETH: '0x71041dddad3595F9CEd3DcCFBe3D1F4b0a16Bb70',
    USDT: '0xf19d560eB8d2ADf07BD6D13ed03e1D11215721F9',
    USDC: '0x7e860098F58bBFC8648a4311b374B1D669a2bc6B',
  },
  arbitrum: {
    ETH: '0x639Fe6ab55C921f74e7fac1ee960C0B6293ba612',
    USDT: '0x3f3f5dF88dC9F13eac63DF89EC16ef6e7E25DdE7',
    USDC: '0x50834F3163758fcC1Df9973b6e91f0F0F0434aD3',
  },
  optimism: {
    ETH: '0x13e3Ee699D1909E989722E753853AE30b17e08c5',
    USDT: '0xECef79E109e997bCA29c1c0897ec9d7b03647F5E',
    USDC: '0x16a9FA2FDa030272Ce99B29CF780dFA30361E0f3',
  },
  bsc: {
    BNB: '0x0567F2323251f0Aab15c8dFb1967E4e8A7D42aeE',
    USDT: '0xB97Ad0E74fa7d920791E90258A6E2085088b4320',
    USDC: '0x51597f405303C4377E36123cBc172b13269EA163',
  },
}

const ABI = parseAbi([
  'function latestRoundData() view returns (uint80, int256, uint256, uint256, uint80)',
  'function decimals() view returns (uint8)',
])
const DECIMALS = 8

/** Null: the chain has no feed for the asset. */
export async function readAggregator(
  pool: RpcPool,
  chain: Chain,
  asset: Asset,
): Promise<Price | null> {
  const to = FEEDS[chain][asset]
  if (to === undefined) return null
  const call = (functionName: 'latestRoundData' | 'decimals') => ({
    method: 'eth_call',
    params: [{ to, data: encodeFunctionData({ abi: ABI, functionName }) }, 'latest'],
  })
  const [price] = await pool.readAll<Price | null>([
    { ...call('latestRoundData'), read: readRound },
    { ...call('decimals'), read: refuseOtherDecimals },
  ])
  return price ?? null
}

function readRound(value: unknown): Price {
  const [, answer, , updatedAt] = decoded(() =>
    decodeFunctionResult({
      abi: ABI,
      functionName: 'latestRoundData',
      data: data(value, 'the answer of a feed'),
    }),
  )
  if (answer <= 0n) throw new InvalidAnswer('a feed answers a price that is not above zero')
  const seconds = Number(updatedAt)
  if (seconds === 0 || !Number.isSafeInteger(seconds * 1000)) {
    throw new InvalidAnswer('a feed answers a round that is not complete')
  }
  return { usdE8: answer, at: new Date(seconds * 1000) }
}

function refuseOtherDecimals(value: unknown): null {
  const decimals = decoded(() =>
    decodeFunctionResult({
      abi: ABI,
      functionName: 'decimals',
      data: data(value, 'the decimals of a feed'),
    }),
  )
  if (decimals === DECIMALS) return null
  throw new InvalidAnswer('a feed has other decimals than eight')
}

function decoded<Value>(decode: () => Value): Value {
  try {
    return decode()
  } catch {
    throw new InvalidAnswer('the answer of a feed cannot be decoded')
  }
}

const MINUTE_MS = 60_000

export interface PricedChain {
  readonly node: Pick<ChainNode, 'chain'>
  readonly readPrice: PriceSource['read']
}

/**
 * Two sources, because their heartbeats differ: an hour for coins, a day for stable ones, with a margin for
 * the transaction that writes them. Each asks the chains one after the other.
 */
export function createAggregatorSources(chains: readonly PricedChain[]): PriceSource[] {
  const source = (id: string, assets: readonly Asset[], maxAgeMs: number): PriceSource => ({
    id,
    maxAgeMs,
    read: async (asset) => (assets.includes(asset) ? readFirst(chains, asset) : null),
  })
  return [
    source('aggregator:coins', ['ETH', 'BNB'], 70 * MINUTE_MS),
    source('aggregator:stable', ['USDT', 'USDC'], 25 * 60 * MINUTE_MS),
  ]
}

/** The first chain that has a price; rejects when none answers that has a feed. */
async function readFirst(chains: readonly PricedChain[], asset: Asset): Promise<Price | null> {
  let failure: unknown = null
  for (const { readPrice } of chains) {
    try {
      const price = await readPrice(asset)
      if (price !== null) return price
    } catch (error) {
      failure = error
    }
  }
  if (failure !== null) throw failure
  return null
}
