// What can be paid with, on which chains, and what it is worth in USDT.
import { throwBetween, throwHex } from '../kernel/dice.ts'

export interface GatewayChain {
  readonly chain: string
  readonly title: string
  readonly explorerUrl: string
}

export interface GatewayCurrency {
  readonly currency: string
  /** Millionths of a USDT for one token, around which the price moves; null: one for one. */
  readonly baseMicros: number | null
  /** The smallest payment, in millionths of the token. */
  readonly leastMicros: number
  readonly chains: readonly string[]
}

export const CHAINS: readonly GatewayChain[] = [
  { chain: 'ETH', title: 'Ethereum (ERC20)', explorerUrl: 'https://etherscan.io' },
  { chain: 'BSC', title: 'BNB Smart Chain (BEP20)', explorerUrl: 'https://bscscan.com' },
  { chain: 'TRX', title: 'Tron (TRC20)', explorerUrl: 'https://tronscan.org' },
  { chain: 'ARBEVM', title: 'Arbitrum One', explorerUrl: 'https://arbiscan.io' },
  { chain: 'OPETH', title: 'Optimism', explorerUrl: 'https://optimistic.etherscan.io' },
  { chain: 'BASEEVM', title: 'Base', explorerUrl: 'https://basescan.org' },
  { chain: 'MATIC', title: 'Polygon', explorerUrl: 'https://polygonscan.com' },
  { chain: 'SOL', title: 'Solana', explorerUrl: 'https://solscan.io' },
  { chain: 'BTC', title: 'Bitcoin', explorerUrl: 'https://mempool.space' },
]

const EVM = ['ETH', 'BSC', 'ARBEVM', 'OPETH', 'BASEEVM', 'MATIC']

export const CURRENCIES: readonly GatewayCurrency[] = [
  { currency: 'USDT', baseMicros: null, leastMicros: 5_000_000, chains: ['TRX', ...EVM, 'SOL'] },
  { currency: 'USDC', baseMicros: null, leastMicros: 5_000_000, chains: [...EVM, 'SOL'] },
  { currency: 'DAI', baseMicros: null, leastMicros: 5_000_000, chains: ['ETH', 'BSC', 'MATIC'] },
  { currency: 'BTC', baseMicros: 96_500_000_000, leastMicros: 60, chains: ['BTC', 'BSC'] },
  {
    currency: 'ETH',
    baseMicros: 3_350_000_000,
    leastMicros: 1_600,
    chains: ['ETH', 'ARBEVM', 'OPETH', 'BASEEVM'],
  },
  { currency: 'SOL', baseMicros: 182_000_000, leastMicros: 28_000, chains: ['SOL'] },
  { currency: 'POL', baseMicros: 430_000, leastMicros: 12_000_000, chains: ['MATIC'] },
]

export const currencyOf = (name: string): GatewayCurrency | undefined =>
  CURRENCIES.find(({ currency }) => currency === name)

/** The provider's name of a currency on a chain: `USDT_TRX`, and plain `BTC` on its own chain. */
export const fullCurrType = (currency: string, chain: string): string =>
  currency === chain ? currency : `${currency}_${chain}`

/** Millionths of a USDT for one token now: 1% up or down from day to day, 0.2% from minute to minute. */
export function priceMicros(currency: GatewayCurrency, nowMs: number, seed: number): number {
  const { currency: name, baseMicros } = currency
  if (baseMicros === null) return 1_000_000
  const day = throwBetween(-100, 100, seed, 'gateway-day', name, Math.floor(nowMs / 86_400_000))
  const minute = throwBetween(-20, 20, seed, 'gateway-minute', name, Math.floor(nowMs / 60_000))
  return Math.round((baseMicros * (10_000 + day + minute)) / 10_000)
}

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

/** An address of the chain's shape; it exists nowhere. */
export function addressFor(chain: string, seed: number, prepayId: string): string {
  if (EVM.includes(chain)) return `0x${throwHex(40, seed, 'gateway-address', prepayId)}`
  if (chain === 'BTC') return `bc1q${throwHex(38, seed, 'gateway-address', prepayId)}`
  const length = chain === 'TRX' ? 33 : 44
  const digits = Array.from(
    { length },
    (_, at) => BASE58[throwBetween(0, 57, seed, 'gateway-address', prepayId, at)],
  )
  return `${chain === 'TRX' ? 'T' : ''}${digits.join('')}`
}
