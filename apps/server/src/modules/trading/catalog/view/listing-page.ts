// A page of listings that are met in no order.
import { comparePlaces, keysBetween, keysOf, type ListingOrder } from './listing-order.ts'
import type { ListingTable } from './listing-table.ts'
import type { Place } from './slot-order.ts'

interface PageOrder {
  readonly order: ListingOrder
  /** Behind this place. */
  readonly after: Place | null
  readonly limit: number
}

/** The first places of those that are offered in any order. */
export interface Page {
  /** What has a key outside of these bounds is not on the page. */
  readonly leastKey: number
  readonly mostKey: number
  offer(slot: number): void
  places(): readonly Place[]
}

export function createPage(table: ListingTable, { order, after, limit }: PageOrder): Page {
  const keyOf = keysOf(table, order)
  const places: Place[] = []
  const page = {
    ...keysBetween(order, after, null),
    offer: (slot: number): void => {
      const key = keyOf(slot)
      if (key < page.leastKey || key > page.mostKey) return
      const place = { key, id: table.columns.ids[slot] as number }
      if (after !== null && comparePlaces(order, place, after) <= 0) return
      // It may have moved between two turns.
      if (places.some(({ id }) => id === place.id)) return
      let low = 0
      let high = places.length
      while (low < high) {
        const middle = (low + high) >>> 1
        if (comparePlaces(order, places[middle] as Place, place) < 0) low = middle + 1
        else high = middle
      }
      if (low === limit) return
      places.splice(low, 0, place)
      if (places.length > limit) places.pop()
      if (places.length === limit) {
        Object.assign(page, keysBetween(order, after, places.at(-1) as Place))
      }
    },
    places: () => places,
  }
  return page
}
