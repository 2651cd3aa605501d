// Prices as a caller sees them: the same arithmetic as a buy's, so that what is shown is what is paid.
import { createBoundedCache } from '#infra/process/memo'
import { createPriceTag, type PriceTag, type RateDeps } from '#pricing'
import type { ActingAccount } from '../principal.ts'

export type PricedAccount = Pick<ActingAccount, 'currency' | 'houseFeeBps' | 'merchantBuyFeeBps'>

/** A price tag with the texts that an interface writes with it. */
export type Tagged<Texts> = Texts & { readonly tag: PriceTag }

export type PriceTags<Texts> = (account: PricedAccount) => Promise<Tagged<Texts>>

/** Texts of a whole catalogue are some megabytes for each tag; callers share a few tags. */
const REMEMBERED_TAGS = 24

export function createPriceTags<Texts extends object>({
  currentRate,
  textsOf,
}: RateDeps & { textsOf(tag: PriceTag): Texts }): PriceTags<Texts> {
  const known = createBoundedCache<Tagged<Texts>>(REMEMBERED_TAGS)
  return async ({ currency, houseFeeBps, merchantBuyFeeBps }) => {
    const rate = currency === 'EUR' ? await currentRate() : null
    const tag = createPriceTag({ currency, houseFeeBps, merchantFeeBps: merchantBuyFeeBps }, rate)
    let texts = known.get(tag.key)
    if (texts === undefined) {
      texts = { ...textsOf(tag), tag }
      known.set(tag.key, texts)
    }
    return texts
  }
}
