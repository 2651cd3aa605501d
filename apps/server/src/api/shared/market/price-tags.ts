// Prices as a caller sees them: the same arithmetic as a buy's, so that what is shown is what is paid.
import { createBoundedCache } from '#infra/memo'
import { createPriceTag, type PriceTag, type RateDeps } from '#pricing'
import { createItemTexts, type ItemTexts } from '#wire/merchant/market'
import type { ActingAccount } from '../principal.ts'

/** A price tag with the texts that were written with it. */
export interface TaggedTexts extends ItemTexts {
  readonly tag: PriceTag
}

export type PriceTags = (
  account: Pick<ActingAccount, 'currency' | 'houseFeeBps' | 'merchantBuyFeeBps'>,
) => Promise<TaggedTexts>

/** Texts of a whole catalogue are some megabytes for each tag; callers share a few tags. */
const REMEMBERED_TAGS = 24

export function createPriceTags({ currentRate }: RateDeps): PriceTags {
  const known = createBoundedCache<TaggedTexts>(REMEMBERED_TAGS)
  return async ({ currency, houseFeeBps, merchantBuyFeeBps }) => {
    const rate = currency === 'EUR' ? await currentRate() : null
    const tag = createPriceTag({ currency, houseFeeBps, merchantFeeBps: merchantBuyFeeBps }, rate)
    let texts = known.get(tag.key)
    if (texts === undefined) {
      texts = { tag, ...createItemTexts(tag) }
      known.set(tag.key, texts)
    }
    return texts
  }
}
