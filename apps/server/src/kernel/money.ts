// Money is an integer count of cents (or of a supplier's mills) in a bigint. Nothing here rounds
// without saying so in its name, and no floating-point number takes part.

declare const centsBrand: unique symbol
declare const millsBrand: unique symbol

/** Hundredths of a wallet's currency. */
export type Cents = bigint & { readonly [centsBrand]: true }
/** Thousandths of a US dollar: the unit that both upstream markets speak. */
export type Mills = bigint & { readonly [millsBrand]: true }
export type Currency = 'USD' | 'EUR'

export const cents = (value: bigint): Cents => value as Cents
export const mills = (value: bigint): Mills => value as Mills
export const ZERO_CENTS = cents(0n)

export const sumCents = (values: Iterable<Cents>): Cents => {
  let total = 0n
  for (const value of values) total += value
  return cents(total)
}

/** Divides non-negative integers, half up. */
export function divideHalfUp(dividend: bigint, divisor: bigint): bigint {
  return (2n * dividend + divisor) / (2n * divisor)
}

/** A share in basis points (1/10000) of an amount, half up to a cent. */
export const shareHalfUp = (amount: Cents, bps: number): Cents =>
  cents(divideHalfUp(amount * BigInt(bps), 10_000n))

const AMOUNT = /^(0|[1-9]\d{0,8})(?:\.(\d{1,2}))?$/

/** Reads a decimal amount string such as `5.5`; null when the form is not that of the contract. */
export function parseAmount(text: string): Cents | null {
  const match = AMOUNT.exec(text)
  if (!match) return null
  const [, whole = '0', fraction = ''] = match
  return cents(BigInt(whole) * 100n + BigInt(fraction.padEnd(2, '0')))
}

/** `-12.345`: what people read of mills. */
export function formatMills(value: bigint): string {
  const [sign, size] = value < 0n ? ['-', -value] : ['', value]
  return `${sign}${size / 1000n}.${String(size % 1000n).padStart(3, '0')}`
}

/** `-12.30`: what people read of cents. */
export function formatCents(value: Cents): string {
  const [sign, size] = value < 0n ? ['-', -value] : ['', value]
  return `${sign}${size / 100n}.${String(size % 100n).padStart(2, '0')}`
}
