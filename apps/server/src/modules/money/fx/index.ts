// Foreign exchange: what it does for the other modules.
export { createRateReader } from './current-rate.ts'
export {
  type ConvertedTransfer,
  readExposure,
  refuseBeyondLimit,
  refuseOldConversion,
} from './exposure.ts'
export type { RateSource } from './ports.ts'
export type { Rate } from './rate.ts'
export { type RefreshDeps, type Refreshed, refreshRate } from './refresh.ts'
