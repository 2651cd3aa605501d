// What a buyer pays: the sourcing price, what the service takes and what the merchant adds. Buys,
// quick-buys, preflights and everything that shows a price share it, so that what was shown is what is
// paid. SQL twin: pricing.price_listing.
import { type Cents, type Currency, cents, type Mills, shareHalfUp } from '#kernel/money'
import { sourcingIn } from './sourcing.ts'

/** What of a buyer decides what things cost. */
export interface BuyingTerms {
  readonly currency: Currency
  readonly houseFeeBps: number
  readonly merchantFeeBps: number
}

export interface ListingPrice {
  /** What the supplier asks, in the wallet's currency. */
  readonly sourcing: Cents
  readonly houseFee: Cents
  readonly merchantFee: Cents
  readonly price: Cents
}

/** `rate` is US dollars for one euro in millionths; null for a wallet in USD only. */
export function priceListing(
  { currency, houseFeeBps, merchantFeeBps }: BuyingTerms,
  { priceMills, rate }: { readonly priceMills: Mills; readonly rate: bigint | null },
): ListingPrice {
  const sourcing = sourcingIn(currency, priceMills, rate)
  return { sourcing, ...priceOf({ sourcing, houseFeeBps, merchantFeeBps }) }
}

/** Each fee is a share of the sourcing price, half up to a cent an item: totals are sums of items. */
export function priceOf({
  sourcing,
  houseFeeBps,
  merchantFeeBps,
}: Omit<BuyingTerms, 'currency'> & { readonly sourcing: Cents }): Omit<ListingPrice, 'sourcing'> {
  const houseFee = shareHalfUp(sourcing, houseFeeBps)
  const merchantFee = shareHalfUp(sourcing, merchantFeeBps)
  return { houseFee, merchantFee, price: cents(sourcing + houseFee + merchantFee) }
}
