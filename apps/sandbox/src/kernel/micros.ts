// Amounts of tokens at the gateway and the on-ramp: an integer count of millionths. The gateway accepts six
// digits after the point, and five million tokens are far inside what a JS number counts exactly.

const DECIMAL = /^(0|[1-9]\d{0,8})(?:\.(\d{1,6}))?$/

/** `12.5` as 12500000; null for anything that is not a plain decimal of at most 6 digits after the point. */
export function decimalToMicros(text: unknown): number | null {
  const match = typeof text === 'string' ? DECIMAL.exec(text) : null
  if (match === null) return null
  return Number(match[1]) * 1_000_000 + Number((match[2] ?? '').padEnd(6, '0'))
}

/** 12500000 as `12.5`. */
export function microsToDecimal(micros: number): string {
  const sign = micros < 0 ? '-' : ''
  const rest = Math.abs(micros)
  const fraction = String(rest % 1_000_000)
    .padStart(6, '0')
    .replace(/0+$/, '')
  const whole = `${sign}${Math.trunc(rest / 1_000_000)}`
  return fraction === '' ? whole : `${whole}.${fraction}`
}

/** `amount * numerator / denominator` without the rounding of a float; all three are whole. */
export function shareOfMicros(
  amount: number,
  numerator: number,
  denominator: number,
  rounding: 'down' | 'up',
): number {
  const product = BigInt(amount) * BigInt(numerator)
  const by = BigInt(denominator)
  const extra = rounding === 'up' && product % by !== 0n ? 1n : 0n
  return Number(product / by + extra)
}
