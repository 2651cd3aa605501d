// Money in the sandbox is an integer count of mills (1/1000 USD): both markets speak that unit, and
// a brokerage account of a million dollars is far inside what a JS number counts exactly.

/** `12345` as `12.345`; the markets' "whole units" with all three decimals. */
export function millsToDecimal(mills: number): string {
  const sign = mills < 0 ? '-' : ''
  const rest = Math.abs(mills)
  return `${sign}${Math.trunc(rest / 1000)}.${String(rest % 1000).padStart(3, '0')}`
}

/** `12.345` or `12` as mills; null for anything that is not a plain amount of at most 3 decimals. */
export function decimalToMills(text: string): number | null {
  const match = /^(0|[1-9]\d{0,9})(?:\.(\d{1,3}))?$/.exec(text)
  if (match === null) return null
  return Number(match[1]) * 1000 + Number((match[2] ?? '').padEnd(3, '0'))
}

/** The whole units as a JSON number, as A writes them (`0.54`). */
export function millsToUnits(mills: number): number {
  return Number(millsToDecimal(mills))
}

/** A share of an amount, rounded down: what a market keeps is never more than it says. */
export function shareOf(mills: number, percent: number): number {
  return Math.floor((mills * percent) / 100)
}
