// What an amount of money buys. Figures are hundredths and ten-thousandths; the wire has them as numbers.
import { publicationDay, ratesOf } from '../fx/rates.ts'
import type { Fiat, Network } from './assets.ts'

export interface Quote {
  readonly fiatCents: number
  /** Money for one token, in ten-thousandths. */
  readonly rateTenThousandths: number
  /** Tokens that will be sent, in hundredths, rounded down. */
  readonly coinCents: number
  readonly onrampFeeCents: number
  readonly gatewayFeeCents: number
  readonly gasFeeCents: number
}

const ONRAMP_FEE_BPS = 100
/** Of the card. */
const GATEWAY_FEE_BPS = 250
/** What the provider adds to the rate of the day. */
const SPREAD_BPS = 50

export function quoteOf(
  fiatCents: number,
  fiat: Fiat,
  { gasCents }: Network,
  { nowMs, seed }: { readonly nowMs: number; readonly seed: number },
): Quote {
  const rateTenThousandths = rateOf(fiat, nowMs, seed)
  const onrampFeeCents = Math.ceil((fiatCents * ONRAMP_FEE_BPS) / 10_000)
  const gatewayFeeCents = Math.ceil((fiatCents * GATEWAY_FEE_BPS) / 10_000)
  const gasFeeCents = Math.ceil((gasCents * rateTenThousandths) / 10_000)
  const spent = Math.max(0, fiatCents - onrampFeeCents - gatewayFeeCents - gasFeeCents)
  const coinCents = Math.floor((spent * 10_000) / rateTenThousandths)
  return {
    ...{ fiatCents, rateTenThousandths, coinCents },
    ...{ onrampFeeCents, gatewayFeeCents, gasFeeCents },
  }
}

function rateOf({ symbol }: Fiat, nowMs: number, seed: number): number {
  const perEuro = new Map(ratesOf(publicationDay(nowMs), seed))
  const units = (name: string): number => (name === 'EUR' ? 1 : Number(perEuro.get(name)))
  return Math.round((10_000 * units(symbol) * (10_000 + SPREAD_BPS)) / units('USD') / 10_000)
}
