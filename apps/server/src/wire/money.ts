import type { Cents } from '#kernel/money'

/**
 * Cents as the JSON number of an interface, at most two decimals. The division is the only place where
 * money becomes a floating-point number, and the nearest one to a two-decimal value prints as that value.
 */
export const moneyNumber = (value: Cents): number => Number(value) / 100
