// What the coins cost, at the two places where a service looks: an exchange, and contracts on the chains.
import { ControlFault } from '../control/body.ts'
import type { Store } from '../store/store.ts'

export const ASSETS = ['ETH', 'BNB', 'USDT', 'USDC'] as const
export type Asset = (typeof ASSETS)[number]

/** Dollars with eight decimals. */
export interface AssetPrice {
  readonly exchangeE8: bigint
  readonly chainE8: bigint
  /** How old the contracts say that their price is. */
  readonly ageSeconds: number
}

export interface Prices {
  of(asset: Asset): AssetPrice
  set(asset: Asset, change: Partial<AssetPrice>): AssetPrice
}

const START: Readonly<Record<Asset, bigint>> = {
  ETH: 3_400_00000000n,
  BNB: 850_00000000n,
  USDT: 1_00000000n,
  USDC: 1_00000000n,
}

const SETTING = 'chains:prices'

export function createPrices(store: Store): Prices {
  const saved = JSON.parse(store.readSetting(SETTING) ?? '{}') as Partial<Record<Asset, string[]>>
  const prices = new Map<Asset, AssetPrice>(
    ASSETS.map((asset) => {
      const [exchange, chain, age] = saved[asset] ?? [START[asset], START[asset], 0]
      const price = {
        exchangeE8: BigInt(exchange ?? START[asset]),
        chainE8: BigInt(chain ?? START[asset]),
        ageSeconds: Number(age ?? 0),
      }
      return [asset, price]
    }),
  )
  const of = (asset: Asset): AssetPrice =>
    prices.get(asset) ?? { exchangeE8: START[asset], chainE8: START[asset], ageSeconds: 0 }
  return {
    of,
    set(asset, change) {
      const price = { ...of(asset), ...change }
      prices.set(asset, price)
      const rows = ASSETS.map((each) => {
        const { exchangeE8, chainE8, ageSeconds } = of(each)
        return [each, [String(exchangeE8), String(chainE8), String(ageSeconds)]]
      })
      store.writeSetting(SETTING, JSON.stringify(Object.fromEntries(rows)))
      return price
    },
  }
}

/** A decimal as base units; refused when it is finer than they are. */
export function readUnits(value: unknown, field: string, decimals: number): bigint {
  const match = typeof value === 'string' ? /^(\d{1,12})(?:\.(\d+))?$/.exec(value) : null
  const fraction = match?.[2] ?? ''
  if (match === null || fraction.length > decimals) {
    throw new ControlFault(
      400,
      `${field} must be a decimal text with at most ${decimals} digits after the point, such as "12.5".`,
    )
  }
  return BigInt(match[1] + fraction.padEnd(decimals, '0'))
}

/** Base units as a decimal without zeros at its end. */
export function showUnits(units: bigint, decimals: number): string {
  const digits = units.toString().padStart(decimals + 1, '0')
  const fraction = digits.slice(-decimals).replace(/0+$/, '')
  return fraction === '' ? digits.slice(0, -decimals) : `${digits.slice(0, -decimals)}.${fraction}`
}
