// What names a place of value on chains. Amounts in kind are base units: wei of a native coin, the smallest
// unit of a token. A token has its own number of decimals on each chain.

/** A chain by its wire name: `ethereum`, `base`. The set is open: the chains are rows of the database. */
export type ChainName = string & { readonly __kind?: 'ChainName' }

/** A token by its symbol, `USDT`, `USDC` or `NATIVE`. */
export type TokenSymbol = string & { readonly __kind?: 'TokenSymbol' }

/** `0x` and hex digits. */
export type Hex = `0x${string}`

/** 20 bytes in hex; in EIP-55 case wherever it is stored or shown. */
export type Address = Hex

declare const baseUnitsBrand: unique symbol

/** The smallest units of a token on its chain. */
export type BaseUnits = bigint & { readonly [baseUnitsBrand]: true }

export const baseUnits = (value: bigint): BaseUnits => value as BaseUnits
/** Of a whole number in decimal digits, as a database gives it. */
export const unitsOf = (digits: string): BaseUnits => baseUnits(BigInt(digits))
