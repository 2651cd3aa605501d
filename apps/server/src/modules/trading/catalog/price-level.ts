// Whether prices as a whole are still those of before. Pure.

export interface PriceMove {
  readonly before: bigint
  readonly now: bigint
}

/** Fewer prove nothing: a handful of items may well move together. */
const LEAST_MOVES = 20

/** The median of all prices has moved by more than half: another unit or currency, or columns mixed up. */
export function hasMoved(moves: readonly PriceMove[]): boolean {
  const both = moves.filter(({ before, now }) => before > 0n && now > 0n)
  if (both.length < LEAST_MOVES) return false
  const before = medianOf(both.map((move) => move.before))
  const now = medianOf(both.map((move) => move.now))
  const distance = now > before ? now - before : before - now
  return distance * 2n > before
}

/** The middle one; of two, the lower. */
export function medianOf<Value extends bigint>(values: readonly Value[]): Value {
  const sorted = values.toSorted((left, right) => (left < right ? -1 : left > right ? 1 : 0))
  const middle = sorted[Math.floor((sorted.length - 1) / 2)]
  if (middle === undefined) throw new Error('there is no median of nothing')
  return middle
}
