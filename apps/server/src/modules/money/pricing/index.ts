// Pricing: what it does for the other modules.
export { ceilingOf } from './ceiling.ts'
export {
  type Conversion,
  convertHalfUp,
  convertRoundedDown,
  convertRoundedUp,
  convertTransfer,
  quoteIn,
} from './convert.ts'
export {
  type AgreedFees,
  type EffectiveFees,
  effectiveChildFeeBps,
  effectiveFees,
  feesOfMerchant,
} from './effective-fees.ts'
export { createGlobalDefaultReader } from './global-default.ts'
export { type RateDeps, rateFor } from './locked-rate.ts'
export {
  type AgreedPartnerFees,
  type EffectivePartnerFees,
  effectivePartnerFees,
} from './partner-fees.ts'
export { type BuyingTerms, type ListingPrice, priceListing, priceOf } from './price.ts'
export { sourcingIn } from './sourcing.ts'
export { readGlobalDefaultBps, readWithdrawFeeBps, writeGlobalDefaultBps } from './store.ts'
export { boundsInMills, createPriceTag, type PriceTag } from './tag.ts'
