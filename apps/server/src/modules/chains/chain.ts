// The networks that we receive money on, and what is written in their units.

export const CHAIN_IDS = ['ethereum', 'base', 'arbitrum', 'optimism', 'bsc'] as const
export type ChainId = (typeof CHAIN_IDS)[number]

/** What we accept on every chain. NATIVE is the chain's own coin: BNB on bsc, ETH elsewhere. */
export const TOKEN_SYMBOLS = ['USDT', 'USDC', 'NATIVE'] as const
export type TokenSymbol = (typeof TOKEN_SYMBOLS)[number]

/** 20 bytes in hex, lower case. */
export type Address = `0x${string}`
/** 32 bytes in hex, lower case. */
export type Hash = `0x${string}`

/** The address that stands for the native coin where a token's contract is expected. */
export const NATIVE_ADDRESS: Address = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'

/** What a price is asked for. */
export const PRICED_ASSETS = ['ETH', 'BNB', 'USDT', 'USDC'] as const
export type PricedAsset = (typeof PRICED_ASSETS)[number]

export const assetOf = (chain: ChainId, token: TokenSymbol): PricedAsset => {
  if (token !== 'NATIVE') return token
  return chain === 'bsc' ? 'BNB' : 'ETH'
}
