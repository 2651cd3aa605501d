// The networks that we receive money on, and what is written in their units.
import type { Address } from '#kernel/chain'

export const CHAIN_IDS = ['ethereum', 'base', 'arbitrum', 'optimism', 'bsc'] as const
export type ChainId = (typeof CHAIN_IDS)[number]

/** What we accept on every chain. NATIVE is the chain's own coin: BNB on bsc, ETH elsewhere. */
export const ACCEPTED_TOKENS = ['USDT', 'USDC', 'NATIVE'] as const
export type AcceptedToken = (typeof ACCEPTED_TOKENS)[number]

/** The address that stands for the native coin where a token's contract is expected. */
export const NATIVE_ADDRESS: Address = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'

/** What a price is asked for. */
export const PRICED_ASSETS = ['ETH', 'BNB', 'USDT', 'USDC'] as const
export type PricedAsset = (typeof PRICED_ASSETS)[number]

export const assetOf = (chain: ChainId, token: AcceptedToken): PricedAsset => {
  if (token !== 'NATIVE') return token
  return chain === 'bsc' ? 'BNB' : 'ETH'
}
