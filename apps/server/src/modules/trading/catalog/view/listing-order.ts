// The orders in which listings are shown, and walks along them.
import { unreachable } from '#kernel/assert'
import {
  type ListingAttributes,
  type ListingOrders,
  type ListingTable,
  NO_WEAR,
} from './listing-table.ts'
import {
  BEFORE_ALL,
  BEHIND_ALL,
  type Direction,
  downTo,
  type Place,
  type SlotOrder,
  upTo,
} from './slot-order.ts'

export const LISTING_ORDERS = ['priceAsc', 'priceDesc', 'wearAsc', 'wearDesc', 'newest'] as const
/** Ties are broken by id, in the direction of the sort; listings without wear come last in both its sorts. */
export type ListingOrder = (typeof LISTING_ORDERS)[number]

/** Both included; null: no bound. */
export interface ListingBounds {
  /** What the market asks. */
  readonly minMills: number | null
  readonly maxMills: number | null
  readonly minWear: number | null
  readonly maxWear: number | null
}

/** Where a listing is in an order. */
export const placeOf = (order: ListingOrder, { id, mills, wear }: ListingAttributes): Place => {
  switch (order) {
    case 'priceAsc':
    case 'priceDesc':
      return { key: mills, id }
    case 'wearAsc':
    case 'wearDesc':
      return { key: wear ?? NO_WEAR, id }
    case 'newest':
      return { key: id, id }
    default:
      return unreachable(order)
  }
}

interface Segment {
  readonly order: SlotOrder
  readonly direction: Direction
  readonly from: Place
  /** The last key that belongs to it. */
  readonly to: number
}

/** Its slots, one after the other, until `visit` answers false. */
export function walkSegment(
  { order, direction, from, to }: Segment,
  keyOf: (slot: number) => number,
  visit: (slot: number) => boolean,
): void {
  order.walk(from, direction, (slot) => {
    const key = keyOf(slot)
    return (direction === 'up' ? key <= to : key >= to) && visit(slot)
  })
}

/** The parts of an order that a search walks through, from its first place to its last. */
export function segmentsOf(
  { price, wear, id }: ListingOrders,
  {
    order,
    terms,
    after,
  }: {
    readonly order: ListingOrder
    readonly terms: ListingBounds
    /** Behind this place. */
    readonly after: Place | null
  },
): Segment[] {
  const least = terms.minMills ?? Number.NEGATIVE_INFINITY
  const most = terms.maxMills ?? Number.POSITIVE_INFINITY
  const isWorn = terms.minWear !== null || terms.maxWear !== null
  switch (order) {
    case 'priceAsc':
      return [{ order: price, direction: 'up', from: later(after, upTo(least)), to: most }]
    case 'priceDesc':
      return [{ order: price, direction: 'down', from: earlier(after, downTo(most)), to: least }]
    case 'wearAsc': {
      const from = later(after, upTo(terms.minWear ?? Number.NEGATIVE_INFINITY))
      const to = isWorn ? (terms.maxWear ?? 1) : NO_WEAR
      return [{ order: wear, direction: 'up', from, to }]
    }
    case 'wearDesc': {
      const worn: Segment = {
        order: wear,
        direction: 'down',
        to: terms.minWear ?? Number.NEGATIVE_INFINITY,
        from: earlier(after?.key === NO_WEAR ? null : after, downTo(terms.maxWear ?? 1)),
      }
      const bare: Segment = {
        order: wear,
        direction: 'down',
        to: NO_WEAR,
        from: after?.key === NO_WEAR ? after : BEHIND_ALL,
      }
      return after?.key === NO_WEAR ? [bare] : isWorn ? [worn] : [worn, bare]
    }
    case 'newest':
      return [{ order: id, direction: 'down', from: after ?? BEHIND_ALL, to: BEFORE_ALL.key }]
    default:
      return unreachable(order)
  }
}

const later = (after: Place | null, bound: Place): Place =>
  after === null || after.key < bound.key ? bound : after
const earlier = (after: Place | null, bound: Place): Place =>
  after === null || after.key > bound.key ? bound : after

/** By what slots are in this order. */
export const keysOf =
  ({ columns }: ListingTable, order: ListingOrder): ((slot: number) => number) =>
  (slot) =>
    columnOf(columns, order)[slot] as number

/** The column itself: a table that grows replaces it. */
export function columnOf(
  { mills, wears, ids }: ListingTable['columns'],
  order: ListingOrder,
): Float64Array {
  switch (order) {
    case 'priceAsc':
    case 'priceDesc':
      return mills
    case 'wearAsc':
    case 'wearDesc':
      return wears
    case 'newest':
      return ids
    default:
      return unreachable(order)
  }
}

/** Bounds of the keys between two places of an order, both included; there may be others within them. */
export function keysBetween(
  order: ListingOrder,
  after: Place | null,
  last: Place | null,
): { readonly leastKey: number; readonly mostKey: number } {
  const first = after?.key ?? null
  const end = last?.key ?? null
  const [least, most] = isUpwards(order) ? [first, end] : [end, first]
  // Listings without wear come last in both of its sorts, and have the highest key.
  const isBareLast = order === 'wearDesc' && (end === null || end === NO_WEAR)
  if (isBareLast) {
    const leastKey = first === NO_WEAR ? NO_WEAR : Number.NEGATIVE_INFINITY
    return { leastKey, mostKey: Number.POSITIVE_INFINITY }
  }
  return {
    leastKey: least ?? Number.NEGATIVE_INFINITY,
    mostKey: most ?? (order === 'wearDesc' ? 1 : Number.POSITIVE_INFINITY),
  }
}

/** Negative when `left` comes first. */
export const comparePlaces = (order: ListingOrder, left: Place, right: Place): number =>
  rankOf(order, left.key) - rankOf(order, right.key) ||
  (left.id - right.id) * (isUpwards(order) ? 1 : -1)

const isUpwards = (order: ListingOrder): boolean => order === 'priceAsc' || order === 'wearAsc'

/** Of a key; rises along the order. */
function rankOf(order: ListingOrder, key: number): number {
  if (isUpwards(order)) return key
  return order === 'wearDesc' && key === NO_WEAR ? NO_WEAR : -key
}
