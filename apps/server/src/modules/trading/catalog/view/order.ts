// All items in one order, kept sorted while single items move. A search then never sorts: it walks.
import { sortInChunks } from '#infra/limits/in-chunks'

export interface Order {
  /** Ordinals, first to last. */
  readonly ordinals: Int32Array
  /** The place of each ordinal. */
  readonly ranks: Int32Array
  /** Puts items whose keys have changed where they belong. */
  move(changed: Iterable<number>): void
}

const SORTED_A_TURN = 1000

/** `compare` must be total: it never calls two different items equal. */
type Compare = (left: number, right: number) => number

/** The numbers from 0, in that order. */
export async function sortedOrdinals(size: number, compare: Compare): Promise<Int32Array> {
  const ordinals = Int32Array.from({ length: size }, (_, i) => i)
  await sortInChunks(ordinals, SORTED_A_TURN, compare)
  return ordinals
}

/** What `compare` reads may change once the order is made, and is made known by `move`. */
export async function createOrder(size: number, compare: Compare): Promise<Order> {
  const ordinals = await sortedOrdinals(size, compare)
  const ranks = new Int32Array(size)
  const rankFrom = (from: number, to: number): void => {
    for (let i = from; i < to; i++) ranks[ordinals[i] as number] = i
  }
  rankFrom(0, size)
  /** All others are where they belong: only what is between its two places is shifted. */
  const moveOne = (ordinal: number): void => {
    const from = ranks[ordinal] as number
    const isBefore = (place: number): boolean => compare(ordinals[place] as number, ordinal) < 0
    if (from > 0 && !isBefore(from - 1)) {
      const to = placeOf(ordinals, 0, from, ordinal, compare)
      ordinals.copyWithin(to + 1, to, from)
      ordinals[to] = ordinal
      rankFrom(to, from + 1)
    } else if (from + 1 < size && isBefore(from + 1)) {
      const behind = placeOf(ordinals, from + 1, size, ordinal, compare)
      ordinals.copyWithin(from, from + 1, behind)
      ordinals[behind - 1] = ordinal
      rankFrom(from, behind)
    }
  }
  const moves = new Uint8Array(size)
  const staying = new Int32Array(size)

  return {
    ordinals,
    ranks,
    move: (changed) => {
      const moving = [...new Set(changed)]
      const [only] = moving
      if (only === undefined) return
      if (moving.length === 1) return moveOne(only)
      for (const ordinal of moving) moves[ordinal] = 1
      let stays = 0
      for (let i = 0; i < size; i++) {
        const ordinal = ordinals[i] as number
        if (moves[ordinal] === 0) staying[stays++] = ordinal
      }
      for (const ordinal of moving) moves[ordinal] = 0
      moving.sort(compare)
      // Runs of those that stay are copied whole between the places of those that move.
      let copied = 0
      let filled = 0
      for (const ordinal of moving) {
        const place = placeOf(staying, copied, stays, ordinal, compare)
        ordinals.set(staying.subarray(copied, place), filled)
        filled += place - copied
        copied = place
        ordinals[filled++] = ordinal
      }
      ordinals.set(staying.subarray(copied, stays), filled)
      rankFrom(0, size)
    },
  }
}

/** The first place in `sorted[from..to)` whose item does not come before `ordinal`. */
function placeOf(
  sorted: Int32Array,
  from: number,
  to: number,
  ordinal: number,
  compare: Compare,
): number {
  let low = from
  let high = to
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compare(sorted[middle] as number, ordinal) < 0) low = middle + 1
    else high = middle
  }
  return low
}
