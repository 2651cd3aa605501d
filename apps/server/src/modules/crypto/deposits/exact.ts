// Exact dollars as the database writes them: 36 digits after the point.
import type { ExactUsd } from './amounts.ts'

const SCALE = 36

export function exactOf(numeric: string): ExactUsd {
  const [whole = '0', fraction = ''] = numeric.split('.')
  return BigInt(whole + fraction.padEnd(SCALE, '0'))
}

export function exactText(value: ExactUsd): string {
  const digits = value.toString().padStart(SCALE + 1, '0')
  return `${digits.slice(0, -SCALE)}.${digits.slice(-SCALE)}`
}
