// What base units are worth. Integers only: cents are made once and rounded down.
import { type Cents, cents } from '#kernel/money'

/** `usdE8` is US dollars for one token, in 1e-8: floor(units × 100 × rate ÷ 10^decimals). */
export const centsOf = (units: bigint, decimals: number, usdE8: bigint): Cents =>
  cents((units * usdE8) / 10n ** BigInt(decimals + 6))
