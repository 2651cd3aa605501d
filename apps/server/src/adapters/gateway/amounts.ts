// Amounts of the gateway: decimal text with at most six digits after the point; sometimes a JSON number.
import { type Attos, formatDecimal, ONE_TOKEN, parseDecimal } from '#kernel/decimal'
import { textOf } from '../shared/reader.ts'

/** Digits after the point that the provider accepts. */
export const TOKEN_DIGITS = 6

/** The provider moves no more than five million tokens at once: beyond that a figure is wrong. */
const MOST = 10_000_000n * ONE_TOKEN

/** A plain amount of tokens, 0 included; null for anything else. */
export function amountOf(value: unknown): Attos | null {
  const text = textOf(value)
  const amount = text === null ? null : parseDecimal(text)
  return amount === null || amount > MOST ? null : amount
}

/** An amount above zero. */
export function positiveOf(value: unknown): Attos | null {
  const amount = amountOf(value)
  return amount === null || amount === 0n ? null : amount
}

/** Cut to the digits that the provider accepts. */
export const roundedDown = (amount: Attos): string => {
  const unit = ONE_TOKEN / 10n ** BigInt(TOKEN_DIGITS)
  return formatDecimal((amount - (amount % unit)) as Attos)
}

/** Millionths of a dollar, rounded down: one USDT is one dollar. */
export const microsOfUsdt = (amount: Attos): bigint => amount / (ONE_TOKEN / 1_000_000n)
