// What tokens are worth and what of it is credited. Exact quotients of integers, each rounded once.
import { ATTO_DIGITS, type Attos, attos, ONE_TOKEN } from '#kernel/decimal'
import { type Cents, cents, shareHalfUp } from '#kernel/money'

/** US dollars in 10^-36: tokens by rate, without any rounding. */
export type ExactUsd = bigint

const EXACT_DIGITS = 36n
const EXACT_CENT = 10n ** (EXACT_DIGITS - 2n)
const EXACT_MICRO = 10n ** (EXACT_DIGITS - 6n)

export const valueOfTokens = (tokens: Attos, usdPerToken: Attos): ExactUsd => tokens * usdPerToken
export const valueOfMicros = (usdMicros: bigint): ExactUsd => usdMicros * EXACT_MICRO
export const valueOfCents = (usd: Cents): ExactUsd => usd * EXACT_CENT
export const centsRoundedDown = (value: ExactUsd): Cents => cents(value / EXACT_CENT)

/** Tokens that are worth at least `usd`, rounded up to the digits that the token has. */
export function tokensFor(usd: Cents, usdPerToken: Attos, tokenDigits: number): Attos {
  const unit = 10n ** BigInt(ATTO_DIGITS - tokenDigits)
  const divisor = usdPerToken * unit
  return attos(((valueOfCents(usd) + divisor - 1n) / divisor) * unit)
}

/** 1 / rate, rounded down to 10^-18. */
export const reciprocal = (rate: Attos): Attos => attos((ONE_TOKEN * ONE_TOKEN) / rate)

/** What a quote promises of an amount: the fee is half up to a cent, the rest is the receiver's. */
export function promise(usd: Cents, feeBps: number): { fee: Cents; receive: Cents } {
  const fee = shareHalfUp(usd, feeBps)
  return { fee, receive: cents(usd - fee) }
}

export interface Credited {
  /** The exact values of all credits so far. */
  readonly value: ExactUsd
  readonly net: Cents
  readonly fee: Cents
}

/**
 * What one more payment adds. Cents are rounded down over the whole deposit and not for each payment, so
 * that an amount that arrives in parts is credited like one that arrives at once; the fee likewise, half up.
 */
export function creditOf(
  before: Credited,
  value: ExactUsd,
  feeBps: number,
): { readonly net: Cents; readonly fee: Cents } {
  const total = promise(centsRoundedDown(before.value + value), feeBps)
  return { net: cents(total.receive - before.net), fee: cents(total.fee - before.fee) }
}
