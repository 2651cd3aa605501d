// What base units are worth. Integers only: cents are made once and rounded down.
import { type Cents, cents } from '#kernel/money'

/** `usdE8` is US dollars for one token, in 1e-8: floor(units × 100 × rate ÷ 10^decimals). */
export const centsOf = (units: bigint, decimals: number, usdE8: bigint): Cents =>
  cents((units * usdE8) / 10n ** BigInt(decimals + 6))

/** Base units as a decimal number of whole tokens, without an exponent or trailing zeros. */
export function decimalText(units: bigint, decimals: number): string {
  const digits = units.toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return fraction === '' ? whole : `${whole}.${fraction}`
}
