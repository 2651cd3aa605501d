// What a buyer pays for what a market asks. Buys, quick-buys and preflights share it, so that what was
// shown is what is paid.
import type { Cents, Currency, Mills } from '#kernel/money'

export interface PricingDeps {
  /** US dollars for one euro in millionths; refuses when the rate is too old. */
  currentRate(): Promise<bigint>
  /** What the supplier asks, in the wallet's currency. */
  sourcingIn(currency: Currency, priceMills: Mills, usdPerEurMicros: bigint | null): Cents
  priceOf(terms: { sourcing: Cents; houseFeeBps: number; merchantFeeBps: number }): {
    houseFee: Cents
    merchantFee: Cents
    price: Cents
  }
}

/** What of a buyer decides what things cost. */
export interface PayingTerms {
  readonly currency: Currency
  readonly merchantCurrency: Currency
  readonly houseFeeBps: number
  readonly merchantFeeBps: number
}

export interface ListingPrice {
  readonly sourcing: Cents
  readonly houseFee: Cents
  readonly merchantFee: Cents
  readonly price: Cents
}

/** The rate that a trade of this buyer locks; null where no euro is involved. */
export async function rateFor(deps: PricingDeps, buyer: PayingTerms): Promise<bigint | null> {
  const needsRate = buyer.currency === 'EUR' || buyer.merchantCurrency === 'EUR'
  return needsRate ? deps.currentRate() : null
}

export function priceListing(
  deps: PricingDeps,
  { currency, houseFeeBps, merchantFeeBps }: PayingTerms,
  { priceMills, rate }: { readonly priceMills: Mills; readonly rate: bigint | null },
): ListingPrice {
  const sourcing = deps.sourcingIn(currency, priceMills, rate)
  return { sourcing, ...deps.priceOf({ sourcing, houseFeeBps, merchantFeeBps }) }
}
