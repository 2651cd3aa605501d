// Conversions between two currencies at one rate. Each is an exact quotient, rounded once, in the way that
// its name says. SQL twins: pricing.convert_half_up, pricing.convert_rounded_down.
import { assertDefined } from '#kernel/assert'
import { type Cents, type Currency, cents, divideHalfUp } from '#kernel/money'

interface Fraction {
  readonly dividend: bigint
  readonly divisor: bigint
}

const MICROS = 1_000_000n

function exactly(value: bigint, from: Currency, to: Currency, usdPerEurMicros: bigint): Fraction {
  if (from === to) return { dividend: value, divisor: 1n }
  return from === 'USD'
    ? { dividend: value * MICROS, divisor: usdPerEurMicros }
    : { dividend: value * usdPerEurMicros, divisor: MICROS }
}

export interface Conversion {
  readonly from: Currency
  readonly to: Currency
  readonly usdPerEurMicros: bigint
}

export function convertHalfUp(value: Cents, { from, to, usdPerEurMicros }: Conversion): Cents {
  const { dividend, divisor } = exactly(value, from, to, usdPerEurMicros)
  return cents(divideHalfUp(dividend, divisor))
}

export function convertRoundedDown(value: Cents, { from, to, usdPerEurMicros }: Conversion): Cents {
  const { dividend, divisor } = exactly(value, from, to, usdPerEurMicros)
  return cents(dividend / divisor)
}

export function convertRoundedUp(value: Cents, { from, to, usdPerEurMicros }: Conversion): Cents {
  const { dividend, divisor } = exactly(value, from, to, usdPerEurMicros)
  return cents((dividend + divisor - 1n) / divisor)
}

export interface TransferTerms {
  readonly direction: 'fund' | 'defund'
  readonly merchant: Currency
  readonly subUser: Currency
  readonly usdPerEurMicros: bigint
  /** What the service takes of a conversion, basis points. */
  readonly spreadBps: number
}

/**
 * What `amount` of the merchant's currency is in the sub-user's wallet: less the spread and rounded down
 * when it is funded, plus the spread and rounded up when it is defunded. The spread takes away what a
 * customer would gain by converting at the rate of the day once the next day's rate can be foreseen.
 */
export function convertTransfer(amount: Cents, terms: TransferTerms): Cents {
  const { direction, merchant, subUser, usdPerEurMicros, spreadBps } = terms
  if (merchant === subUser) return amount
  const { dividend, divisor } = exactly(amount, merchant, subUser, usdPerEurMicros)
  const wholeDivisor = divisor * ALL_BPS
  if (direction === 'fund') {
    return cents((dividend * (ALL_BPS - BigInt(spreadBps))) / wholeDivisor)
  }
  return cents((dividend * (ALL_BPS + BigInt(spreadBps)) + wholeDivisor - 1n) / wholeDivisor)
}

const ALL_BPS = 10_000n

/**
 * What a quote in US cents is in the wallet's currency, rounded down: it is what the service pays. The
 * rate may be null for a wallet in USD only.
 */
export function quoteIn(currency: Currency, quote: Cents, usdPerEurMicros: bigint | null): Cents {
  if (currency === 'USD') return quote
  const rate = assertDefined(usdPerEurMicros, 'the rate of a euro wallet')
  return convertRoundedDown(quote, { from: 'USD', to: currency, usdPerEurMicros: rate })
}
