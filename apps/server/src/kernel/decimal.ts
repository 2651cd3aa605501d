// Amounts of tokens: decimal text outside, integers of 10^-18 inside. Eighteen digits are what the finest
// token of any chain has.

declare const attosBrand: unique symbol
/** 10^-18 of a token, or of a rate. */
export type Attos = bigint & { readonly [attosBrand]: true }

export const ATTO_DIGITS = 18
export const ONE_TOKEN = (10n ** BigInt(ATTO_DIGITS)) as Attos

export const attos = (value: bigint): Attos => value as Attos

const DECIMAL = /^(0|[1-9]\d{0,38})(?:\.(\d{1,18}))?$/

/** Reads `0.00012`; null for a sign, an exponent, more than 18 digits behind the point or 39 before it. */
export function parseDecimal(text: string): Attos | null {
  const match = DECIMAL.exec(text)
  if (!match) return null
  const [, whole = '0', fraction = ''] = match
  return attos(BigInt(whole) * ONE_TOKEN + BigInt(fraction.padEnd(ATTO_DIGITS, '0')))
}

/** The shortest decimal text of an amount that is not negative. */
export function formatDecimal(value: Attos): string {
  const fraction = (value % ONE_TOKEN).toString().padStart(ATTO_DIGITS, '0').replace(/0+$/, '')
  const whole = (value / ONE_TOKEN).toString()
  return fraction === '' ? whole : `${whole}.${fraction}`
}

const INVERSE_UNIT = 10n ** 8n
/** 1 ÷ value to ten digits behind the point, half up: for rates that are shown, never for money. */
export function inverseOf(value: Attos): Attos {
  const divisor = value * INVERSE_UNIT
  return attos(((ONE_TOKEN * ONE_TOKEN + divisor / 2n) / divisor) * INVERSE_UNIT)
}

/** An amount in units of 10^-decimals, as contracts count. At most 18 decimals lose nothing. */
export const fromUnits = (units: bigint, decimals: number): Attos =>
  attos(
    decimals <= ATTO_DIGITS
      ? units * 10n ** BigInt(ATTO_DIGITS - decimals)
      : units / 10n ** BigInt(decimals - ATTO_DIGITS),
  )
