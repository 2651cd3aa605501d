// What a buyer pays: the sourcing price, what the house takes and what the merchant adds.
import { type Cents, cents, shareHalfUp } from '#kernel/money'

export interface PriceTerms {
  /** What the supplier asks, in the wallet's currency. */
  readonly sourcing: Cents
  readonly houseFeeBps: number
  readonly merchantFeeBps: number
}

export interface Price {
  readonly houseFee: Cents
  readonly merchantFee: Cents
  readonly price: Cents
}

/** Each fee is a share of the sourcing price, half up to a cent an item: totals are sums of items. */
export function priceOf({ sourcing, houseFeeBps, merchantFeeBps }: PriceTerms): Price {
  const houseFee = shareHalfUp(sourcing, houseFeeBps)
  const merchantFee = shareHalfUp(sourcing, merchantFeeBps)
  return { houseFee, merchantFee, price: cents(sourcing + houseFee + merchantFee) }
}
