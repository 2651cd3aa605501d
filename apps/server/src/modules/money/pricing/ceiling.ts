// Bounds of what a buyer pays as bounds of what markets ask. Prices never fall when what is asked rises,
// so the bound is found by halving instead of inverting every rounding on the way.
import { type Cents, type Mills, mills } from '#kernel/money'

/** A million dollars and a little: no listing asks more. */
const HIGHEST_MILLS = 2_000_000_000n

type PriceOf = (asked: Mills) => Cents

/** The most that a market may ask so that the buyer pays no more than `maxPrice`; 0 when nothing fits. */
export const ceilingOf = (maxPrice: Cents, priceOf: PriceOf): Mills =>
  mills(firstMills((asked) => priceOf(asked) > maxPrice) - 1n)

/** The least that a market asks when the buyer pays `minPrice` or more; above every listing for none. */
export const floorOf = (minPrice: Cents, priceOf: PriceOf): Mills =>
  firstMills((asked) => priceOf(asked) >= minPrice)

function firstMills(fits: (asked: Mills) => boolean): Mills {
  let low = 0n
  let high = HIGHEST_MILLS + 1n
  while (low < high) {
    const middle = (low + high) / 2n
    if (fits(mills(middle))) high = middle
    else low = middle + 1n
  }
  return mills(low)
}
