// Every listing that its market offers, by what listings are filtered and sorted by, in columns of numbers:
// some 60 bytes each. A million objects would be ten times that, and each collection of the heap would visit
// them.
import type { Delivery } from '../item.ts'
import type { MarketId } from '../ports.ts'
import { createSlotOrder, type SlotOrder } from './slot-order.ts'

/** What of a listing is kept. */
export interface ListingAttributes {
  /** The numbers of listings are far below 2^53. */
  readonly id: number
  readonly itemId: string
  readonly market: MarketId
  /** What the market asks, at most a million dollars; for comparisons alone. */
  readonly mills: number
  readonly delivery: Delivery
  readonly wear: number | null
  readonly paintSeed: number | null
  /** Names, with repetitions. */
  readonly stickers: readonly string[]
}

export interface ListingTable {
  readonly count: number
  /** Puts a listing in, or in the place of what was known of it. */
  put(attributes: ListingAttributes): void
  remove(id: number): void
  /** Null when it is not offered. */
  find(id: number): ListingAttributes | null
  /** Of a table that is empty; between pieces of the work other requests are served. */
  fill(rows: AsyncIterable<readonly ListingAttributes[]>): Promise<void>
  readonly columns: Readonly<Columns>
  readonly orders: ListingOrders
  readonly items: Numbering
  readonly markets: Numbering
  readonly stickers: Numbering
  /** How many listings an item has, by its number. */
  countOfItem(item: number): number
  /** Slots of an item, until `visit` answers false. */
  walkItem(item: number, visit: (slot: number) => boolean): void
  /** The same for an item alone, kept from the first call on; null for one whose listings are soon sorted. */
  ordersOfItem(item: number): ItemOrders | null
  /** How many listings have this paint seed. */
  countOfSeed(seed: number): number
  /** Their slots, until `visit` answers false. */
  walkSeed(seed: number, visit: (slot: number) => boolean): void
  /** How often a sticker is on a listing, by its number. */
  countOfSticker(sticker: number): number
  /** Slots with a sticker, a slot once for each time that it is on it, until `visit` answers false. */
  walkSticker(sticker: number, visit: (slot: number) => boolean): void
  hasSticker(slot: number, sticker: number): boolean
  hasAnySticker(slot: number): boolean
}

interface ItemOrders {
  readonly price: SlotOrder
  readonly wear: SlotOrder
}

export interface ListingOrders extends ItemOrders {
  readonly id: SlotOrder
}

/** By slot. A free slot has the item -1. Others take their places when the table grows. */
interface Columns {
  /** Slots at or above this were never used. */
  used: number
  ids: Float64Array
  mills: Float64Array
  /** `NO_WEAR` without one, which is behind every wear. */
  wears: Float64Array
  items: Int32Array
  /** -1 without one. */
  seeds: Int16Array
  markets: Uint8Array
  /** 1 for automatic delivery. */
  instants: Uint8Array
}

export const NO_WEAR = 2

/** Texts as small numbers, from 0. */
interface Numbering {
  numberOf(text: string): number
  /** -1 for one that has none. */
  find(text: string): number
  textOf(number: number): string
  readonly size: number
}

function createNumbering(): Numbering {
  const numbers = new Map<string, number>()
  const texts: string[] = []
  return {
    numberOf: (text) => {
      let number = numbers.get(text)
      if (number === undefined) {
        number = texts.push(text) - 1
        numbers.set(text, number)
      }
      return number
    },
    find: (text) => numbers.get(text) ?? -1,
    textOf: (number) => texts[number] as string,
    get size() {
      return texts.length
    },
  }
}

const FIRST_CAPACITY = 1024
/** The orders of an item take 8 KB at least, and so many listings are sorted in half a millisecond. */
const SORTED_EACH_TIME = 500

export function createListingTable(): ListingTable {
  const items = createNumbering()
  const markets = createNumbering()
  const stickers = createNumbering()
  const columns = emptyColumns(FIRST_CAPACITY)
  const free: number[] = []
  const ofItem = createLists()
  const ofSeed = createLists()
  const marks = createMarks()
  const ids = (): Float64Array => columns.ids
  const createItemOrders = (): ItemOrders => ({
    price: createSlotOrder({ keys: () => columns.mills, ids }),
    wear: createSlotOrder({ keys: () => columns.wears, ids }),
  })
  const orders: ListingOrders = { ...createItemOrders(), id: createSlotOrder({ keys: ids, ids }) }
  const kept = new Map<number, ItemOrders>()

  const allOrders = [orders.price, orders.wear, orders.id]
  /** Every order that the slot is in. */
  const ordersAt = (slot: number): SlotOrder[] => {
    const ofItem = kept.get(columns.items[slot] as number)
    return ofItem === undefined ? allOrders : [...allOrders, ofItem.price, ofItem.wear]
  }
  const priceOrdersAt = (slot: number): SlotOrder[] => {
    const ofItem = kept.get(columns.items[slot] as number)
    return ofItem === undefined ? [orders.price] : [orders.price, ofItem.price]
  }

  const slotOf = (id: number): number => orders.id.find({ key: id, id })

  const write = (slot: number, attributes: ListingAttributes): void => {
    columns.ids[slot] = attributes.id
    columns.mills[slot] = attributes.mills
    columns.wears[slot] = attributes.wear ?? NO_WEAR
    columns.items[slot] = items.numberOf(attributes.itemId)
    columns.seeds[slot] = attributes.paintSeed ?? -1
    columns.markets[slot] = markets.numberOf(attributes.market)
    columns.instants[slot] = attributes.delivery === 'instant' ? 1 : 0
    ofItem.add(columns.items[slot] as number, slot)
    if (attributes.paintSeed !== null) ofSeed.add(attributes.paintSeed, slot)
    for (const name of attributes.stickers) marks.add(slot, stickers.numberOf(name))
  }

  const takeSlot = (): number => {
    const slot = free.pop()
    if (slot !== undefined) return slot
    if (columns.used === columns.ids.length) grow(columns)
    return columns.used++
  }

  const clear = (slot: number): void => {
    ofItem.remove(columns.items[slot] as number, slot)
    const seed = columns.seeds[slot] as number
    if (seed >= 0) ofSeed.remove(seed, slot)
    marks.removeAll(slot)
    columns.items[slot] = -1
  }

  const attributesAt = (slot: number): ListingAttributes => {
    const wear = columns.wears[slot] as number
    const seed = columns.seeds[slot] as number
    return {
      id: columns.ids[slot] as number,
      itemId: items.textOf(columns.items[slot] as number),
      market: markets.textOf(columns.markets[slot] as number) as MarketId,
      mills: columns.mills[slot] as number,
      delivery: columns.instants[slot] === 1 ? 'instant' : 'standard',
      wear: wear === NO_WEAR ? null : wear,
      paintSeed: seed < 0 ? null : seed,
      stickers: marks.of(slot).map(stickers.textOf),
    }
  }

  const removeAt = (slot: number): void => {
    for (const order of ordersAt(slot)) order.remove(slot)
    clear(slot)
    free.push(slot)
  }

  return {
    get count() {
      return orders.id.size
    },
    put: (attributes) => {
      const known = slotOf(attributes.id)
      if (known >= 0 && differsInPriceAlone(attributesAt(known), attributes)) {
        const changed = priceOrdersAt(known)
        for (const order of changed) order.remove(known)
        columns.mills[known] = attributes.mills
        for (const order of changed) order.add(known)
        return
      }
      if (known >= 0) removeAt(known)
      const slot = takeSlot()
      write(slot, attributes)
      for (const order of ordersAt(slot)) order.add(slot)
    },
    remove: (id) => {
      const slot = slotOf(id)
      if (slot >= 0) removeAt(slot)
    },
    find: (id) => {
      const slot = slotOf(id)
      return slot < 0 ? null : attributesAt(slot)
    },
    fill: async (rows) => {
      for await (const piece of rows) for (const attributes of piece) write(takeSlot(), attributes)
      for (const order of allOrders) {
        await order.fill(Int32Array.from({ length: columns.used }, (_, slot) => slot))
      }
    },
    ...{ columns, orders, items, markets, stickers },
    countOfItem: (item) => ofItem.count(item),
    walkItem: (item, visit) => ofItem.walk(item, visit),
    ordersOfItem: (item) => {
      if (ofItem.count(item) <= SORTED_EACH_TIME) {
        kept.delete(item)
        return null
      }
      let found = kept.get(item)
      if (found === undefined) {
        found = createItemOrders()
        const slots: number[] = []
        ofItem.walk(item, (slot) => slots.push(slot) > 0)
        found.price.put(slots)
        found.wear.put(slots)
        kept.set(item, found)
      }
      return found
    },
    countOfSeed: (seed) => ofSeed.count(seed),
    walkSeed: (seed, visit) => ofSeed.walk(seed, visit),
    countOfSticker: (sticker) => marks.count(sticker),
    walkSticker: (sticker, visit) => marks.walk(sticker, visit),
    hasSticker: (slot, sticker) => marks.has(slot, sticker),
    hasAnySticker: (slot) => marks.hasAny(slot),
  }
}

/** Of one listing. */
const differsInPriceAlone = (left: ListingAttributes, right: ListingAttributes): boolean =>
  left.itemId === right.itemId &&
  left.market === right.market &&
  left.delivery === right.delivery &&
  left.wear === right.wear &&
  left.paintSeed === right.paintSeed &&
  left.stickers.toSorted().join('\n') === right.stickers.toSorted().join('\n')

const emptyColumns = (capacity: number): Columns => ({
  used: 0,
  ids: new Float64Array(capacity),
  mills: new Float64Array(capacity),
  wears: new Float64Array(capacity),
  items: new Int32Array(capacity).fill(-1),
  seeds: new Int16Array(capacity),
  markets: new Uint8Array(capacity),
  instants: new Uint8Array(capacity),
})

function grow(columns: Columns): void {
  const { used: _, ...larger } = emptyColumns(columns.ids.length * 2)
  for (const name of Object.keys(larger) as (keyof typeof larger)[]) larger[name].set(columns[name])
  Object.assign(columns, larger)
}

/** Which slots are in which list, each in one: linked, so that each comes and goes at once. */
function createLists() {
  const heads = createInts()
  const counts = createInts()
  const nexts = createInts()
  const befores = createInts()
  return {
    // Numbers are kept one higher: 0 is none.
    add: (list: number, slot: number): void => {
      const head = heads.at(list)
      nexts.set(slot, head)
      befores.set(slot, 0)
      if (head > 0) befores.set(head - 1, slot + 1)
      heads.set(list, slot + 1)
      counts.set(list, counts.at(list) + 1)
    },
    remove: (list: number, slot: number): void => {
      const next = nexts.at(slot)
      const before = befores.at(slot)
      if (before > 0) nexts.set(before - 1, next)
      else heads.set(list, next)
      if (next > 0) befores.set(next - 1, before)
      counts.set(list, counts.at(list) - 1)
    },
    count: (list: number): number => counts.at(list),
    walk: (list: number, visit: (slot: number) => boolean): void => {
      for (let slot = heads.at(list) - 1; slot >= 0; slot = nexts.at(slot) - 1) {
        if (!visit(slot)) return
      }
    },
  }
}

/** Stickers on slots: a mark for each, in the list of its sticker and a chain of its slot. */
function createMarks() {
  const ofSticker = createLists()
  const stickerOf = createInts()
  const slotOf = createInts()
  const chains = createInts()
  const nextOnSlot = createInts()
  const free: number[] = []
  let used = 0
  function* onSlot(slot: number): Generator<number> {
    for (let mark = chains.at(slot) - 1; mark >= 0; mark = nextOnSlot.at(mark) - 1) yield mark
  }
  return {
    add: (slot: number, sticker: number): void => {
      const mark = free.pop() ?? used++
      stickerOf.set(mark, sticker)
      slotOf.set(mark, slot)
      nextOnSlot.set(mark, chains.at(slot))
      chains.set(slot, mark + 1)
      ofSticker.add(sticker, mark)
    },
    removeAll: (slot: number): void => {
      for (const mark of [...onSlot(slot)]) {
        ofSticker.remove(stickerOf.at(mark), mark)
        free.push(mark)
      }
      chains.set(slot, 0)
    },
    of: (slot: number): number[] => Array.from(onSlot(slot), stickerOf.at),
    has: (slot: number, sticker: number): boolean => {
      for (let mark = chains.at(slot) - 1; mark >= 0; mark = nextOnSlot.at(mark) - 1) {
        if (stickerOf.at(mark) === sticker) return true
      }
      return false
    },
    hasAny: (slot: number): boolean => chains.at(slot) > 0,
    count: (sticker: number): number => ofSticker.count(sticker),
    walk: (sticker: number, visit: (slot: number) => boolean): void =>
      ofSticker.walk(sticker, (mark) => visit(slotOf.at(mark))),
  }
}

/** Numbers by index, 0 where none was written. */
function createInts() {
  let values = new Int32Array(FIRST_CAPACITY)
  return {
    at: (index: number): number => (index < values.length ? (values[index] as number) : 0),
    set: (index: number, value: number): void => {
      if (index >= values.length) {
        const larger = new Int32Array(Math.max(values.length * 2, index + 1))
        larger.set(values)
        values = larger
      }
      values[index] = value
    },
  }
}
