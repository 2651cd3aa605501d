// Foreign exchange: what it does for the rest of the house.
export { createRateReader } from './current-rate.ts'
export type { RateSource } from './ports.ts'
export {
  type Conversion,
  convertHalfUp,
  convertRoundedDown,
  convertRoundedUp,
  type Rate,
} from './rate.ts'
export { type RefreshDeps, type Refreshed, refreshRate } from './refresh.ts'
export { sourcingIn } from './sourcing.ts'
