import { type Cents, type Currency, cents, type Mills } from '#kernel/money'

/**
 * What a supplier asks, in cents of the wallet's currency, rounded up once from the exact quotient: the
 * service never sells below its own cost. The rate may be null for a wallet in USD only. SQL twin:
 * pricing.sourcing_in.
 */
export function sourcingIn(
  currency: Currency,
  priceMills: Mills,
  usdPerEurMicros: bigint | null,
): Cents {
  if (currency === 'USD') return cents(roundedUp(priceMills, MILLS_A_CENT))
  if (usdPerEurMicros === null) throw new RangeError('a euro price needs a rate')
  return cents(roundedUp(priceMills * MICROS, MILLS_A_CENT * usdPerEurMicros))
}

const MICROS = 1_000_000n
const MILLS_A_CENT = 10n

const roundedUp = (dividend: bigint, divisor: bigint): bigint => (dividend + divisor - 1n) / divisor
