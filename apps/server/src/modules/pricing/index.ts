// Pricing: what it does for the other modules.
export {
  type Conversion,
  convertHalfUp,
  convertRoundedDown,
  convertRoundedUp,
} from './convert.ts'
export {
  type AgreedFees,
  type EffectiveFees,
  effectiveChildFeeBps,
  effectiveFees,
} from './effective-fees.ts'
export { createGlobalDefaultReader } from './global-default.ts'
export { type Price, type PriceTerms, priceOf } from './price.ts'
export { sourcingIn } from './sourcing.ts'
export { writeGlobalDefaultBps } from './store.ts'
