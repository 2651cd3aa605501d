import type { Currency } from '#kernel/money'

export interface RateDeps {
  /** US dollars for one euro in millionths; refuses SERVICE_DISABLED when the rate is too old. */
  currentRate(): Promise<bigint>
}

/** The rate that a trade of this account locks; null where no euro is involved. */
export async function rateFor(
  { currentRate }: RateDeps,
  account: { readonly currency: Currency; readonly merchantCurrency: Currency },
): Promise<bigint | null> {
  const needsRate = account.currency === 'EUR' || account.merchantCurrency === 'EUR'
  return needsRate ? currentRate() : null
}
