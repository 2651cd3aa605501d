// Fees: what it does for the rest of the house.
export {
  type AgreedFees,
  type EffectiveFees,
  effectiveChildFeeBps,
  effectiveFees,
} from './effective-fees.ts'
export { createGlobalDefaultReader } from './global-default.ts'
export { type Price, type PriceTerms, priceOf } from './price.ts'
export { writeGlobalDefaultBps } from './store.ts'
