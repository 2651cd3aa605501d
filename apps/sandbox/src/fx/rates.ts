import { throwBetween } from '../kernel/dice.ts'

/** Units of each currency for one euro, in ten-thousandths, around which the days move. */
const BASE_RATES: Readonly<Record<string, number>> = {
  USD: 11_700,
  JPY: 1_720_000,
  BGN: 19_558,
  CZK: 243_000,
  DKK: 74_640,
  GBP: 8_720,
  HUF: 3_900_000,
  PLN: 42_600,
  RON: 50_800,
  SEK: 109_500,
  CHF: 9_350,
  ISK: 1_420_000,
  NOK: 117_500,
  TRY: 486_000,
  AUD: 17_750,
  BRL: 62_500,
  CAD: 16_300,
  CNY: 83_300,
  HKD: 91_100,
  IDR: 195_000_000,
  ILS: 39_000,
  INR: 1_030_000,
  KRW: 16_500_000,
  MXN: 215_000,
  MYR: 49_300,
  NZD: 20_200,
  PHP: 683_000,
  SGD: 15_050,
  THB: 378_000,
  ZAR: 202_000,
}

/** A day moves a rate by at most 0.5% from its base, the same on each start with the same seed. */
const MOST_MOVE_BASIS_POINTS = 50

const DAY_MS = 86_400_000
/** The bank publishes at about 16:00 in Frankfurt; 15:00 UTC is that, or an hour late in summer. */
const PUBLISHED_AT_MS = 15 * 3_600_000

/** The last working day whose rates are out, as `YYYY-MM-DD`. */
export function publicationDay(nowMs: number): string {
  let day = new Date(nowMs - PUBLISHED_AT_MS)
  while (day.getUTCDay() === 0 || day.getUTCDay() === 6) day = new Date(day.getTime() - DAY_MS)
  return day.toISOString().slice(0, 10)
}

export function ratesOf(day: string, seed: number): readonly (readonly [string, string])[] {
  return Object.entries(BASE_RATES).map(([currency, base]) => {
    const move = throwBetween(
      -MOST_MOVE_BASIS_POINTS,
      MOST_MOVE_BASIS_POINTS,
      seed,
      'rate',
      currency,
      day,
    )
    const tenThousandths = Math.round((base * (10_000 + move)) / 10_000)
    return [currency, decimalRate(tenThousandths)] as const
  })
}

function decimalRate(tenThousandths: number): string {
  const fraction = String(tenThousandths % 10_000)
    .padStart(4, '0')
    .replace(/0+$/, '')
  const whole = String(Math.trunc(tenThousandths / 10_000))
  return fraction === '' ? whole : `${whole}.${fraction}`
}
