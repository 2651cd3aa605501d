// Where bars and marks of a chart stand: the two scales that it needs.

/** Round numbers are these, times a power of ten. */
const ROUND = [1, 2, 5, 10] as const
/** Of sums of decimal fractions. */
const ROUNDING = 1e-9

/**
 * Marks at round distances from 0 to `top` or just above it: about `count` of them, at least `least` apart,
 * which is itself a power of ten.
 */
export function marksOf(
  top: number,
  { count, least }: { readonly count: number; readonly least: number },
): readonly number[] {
  const wanted = Math.max(top / count, least)
  const power = 10 ** Math.floor(Math.log10(wanted) + ROUNDING)
  const round = ROUND.find((each) => each * power >= wanted * (1 - ROUNDING)) ?? 10
  const step = round * power
  const steps = Math.max(1, Math.ceil(top / step - ROUNDING))
  return Array.from({ length: steps + 1 }, (_, i) => Number((i * step).toPrecision(12)))
}

/** Bars of equal width from `from` to `to`, with a gap between and around them; its share of a bar's room. */
const GAP = 0.25

export interface Bars {
  readonly width: number
  leftOf(index: number): number
}

export function barsOf(count: number, from: number, to: number): Bars {
  const room = (to - from) / (count + GAP)
  return { width: room * (1 - GAP), leftOf: (index) => from + room * (GAP + index) }
}
