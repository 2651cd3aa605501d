// A quote of a card payment as the partner interface shows it.
import type { PartnerOnrampQuote } from '@tradepost/contract'
import type { OnrampCoin, QuotedOnramp } from '#deposits'
import { formatDecimal, inverseOf } from '#kernel/decimal'
import { cents } from '#kernel/money'
import { moneyNumber } from '../money.ts'

/** What was asked for, in the on-ramp's own numbers. */
export interface CardOrder {
  readonly fiatType: PartnerOnrampQuote['fiatType']
  readonly coin: OnrampCoin
}

export const cardQuoteView = (
  { payAmount, receiveUsd, fee, usdPerToken }: QuotedOnramp,
  { fiatType, coin: { coinCode, network } }: CardOrder,
): PartnerOnrampQuote => ({
  fiatAmount: Number(formatDecimal(payAmount)),
  ...{ fiatType, coinCode, network },
  // One coin is one US dollar.
  rate: Number(formatDecimal(inverseOf(usdPerToken))),
  fee: moneyNumber(cents(fee)),
  coinAmount: moneyNumber(receiveUsd),
  expiresIn: '5m',
})
