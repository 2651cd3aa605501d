// Slots of a table in one order, cut into chunks: to put one in or take one out moves a chunk's worth of
// numbers, whatever the size of the whole. One array took 0.3 ms for each change of a million listings.
import { sortInChunks } from '#infra/limits/in-chunks'

export interface SlotOrder {
  readonly size: number
  /** Of a slot whose key has been written. */
  add(slot: number): void
  /** Of a slot whose key is still the one with which it was added. */
  remove(slot: number): void
  /** The slot at exactly this place; -1 without one. */
  find(place: Place): number
  /** How many slots are between two places. */
  count(from: Place, to: Place): number
  /** Slots behind a place, one after the other, until `visit` answers false. */
  walk(from: Place, direction: Direction, visit: (slot: number) => boolean): void
  /** Puts slots in, which is then the whole order: twenty thousand take some milliseconds. */
  put(slots: Iterable<number>): void
  /** The same of as many as there are; between pieces of the work other requests are served. */
  fill(slots: Int32Array): Promise<void>
}

/** Where a slot with this key and id is, or would be. Ids break ties. */
export interface Place {
  readonly key: number
  readonly id: number
}

export type Direction = 'up' | 'down'

export const BEFORE_ALL: Place = { key: Number.NEGATIVE_INFINITY, id: Number.NEGATIVE_INFINITY }
export const BEHIND_ALL: Place = { key: Number.POSITIVE_INFINITY, id: Number.POSITIVE_INFINITY }

/** Before everything with that key; a walk begins behind its place. */
export const upTo = (key: number): Place => ({ key, id: Number.NEGATIVE_INFINITY })
/** Behind everything with that key. */
export const downTo = (key: number): Place => ({ key, id: Number.POSITIVE_INFINITY })

interface Chunk {
  readonly slots: Int32Array
  size: number
}

const CHUNK = 1024
/** Room for what comes: a chunk that is filled at once is split by the next slot. */
const FILLED = 768
const SORTED_A_TURN = 2000

/** `keys` and `ids` are asked for anew each time: a table that grows replaces its columns. */
export function createSlotOrder(columns: {
  readonly keys: () => Float64Array
  readonly ids: () => Float64Array
}): SlotOrder {
  let chunks: Chunk[] = [emptyChunk()]
  let size = 0

  /** Negative when the slot comes before the place. */
  const compare = (slot: number, { key, id }: Place): number =>
    difference(columns.keys()[slot] as number, key) || difference(columns.ids()[slot] as number, id)

  const placeOf = (slot: number): Place => ({
    key: columns.keys()[slot] as number,
    id: columns.ids()[slot] as number,
  })

  /** The first chunk whose last slot is not before the place, or the last chunk. */
  const chunkAt = (place: Place): number => {
    let low = 0
    let high = chunks.length - 1
    while (low < high) {
      const middle = (low + high) >>> 1
      const chunk = chunks[middle] as Chunk
      if (compare(chunk.slots[chunk.size - 1] as number, place) < 0) low = middle + 1
      else high = middle
    }
    return low
  }

  /** How many slots of the chunk are before the place. */
  const countBefore = ({ slots, size: filled }: Chunk, place: Place): number => {
    let low = 0
    let high = filled
    while (low < high) {
      const middle = (low + high) >>> 1
      if (compare(slots[middle] as number, place) < 0) low = middle + 1
      else high = middle
    }
    return low
  }

  const split = (i: number): void => {
    const chunk = chunks[i] as Chunk
    const half = chunk.size >>> 1
    const rest = emptyChunk()
    rest.slots.set(chunk.slots.subarray(half, chunk.size))
    rest.size = chunk.size - half
    chunk.size = half
    chunks.splice(i + 1, 0, rest)
  }

  /** Chunks that shrank become one with their neighbour, so that there are never many of them. */
  const merge = (i: number): void => {
    const chunk = chunks[i] as Chunk
    const next = chunks[i + 1]
    if (next === undefined || chunk.size + next.size > CHUNK / 2) return
    chunk.slots.set(next.slots.subarray(0, next.size), chunk.size)
    chunk.size += next.size
    chunks.splice(i + 1, 1)
  }

  const byKey = (): ((left: number, right: number) => number) => {
    const keys = columns.keys()
    const ids = columns.ids()
    return (left, right) =>
      (keys[left] as number) - (keys[right] as number) ||
      (ids[left] as number) - (ids[right] as number)
  }

  /** Slots that are in order become the chunks. */
  const cut = (slots: Int32Array): void => {
    chunks = []
    for (let from = 0; from < slots.length; from += FILLED) {
      const chunk = emptyChunk()
      const part = slots.subarray(from, from + FILLED)
      chunk.slots.set(part)
      chunk.size = part.length
      chunks.push(chunk)
    }
    if (chunks.length === 0) chunks.push(emptyChunk())
    size = slots.length
  }

  return {
    get size() {
      return size
    },
    add: (slot) => {
      const place = placeOf(slot)
      let i = chunkAt(place)
      if ((chunks[i] as Chunk).size === CHUNK) {
        split(i)
        i = chunkAt(place)
      }
      const chunk = chunks[i] as Chunk
      const at = countBefore(chunk, place)
      chunk.slots.copyWithin(at + 1, at, chunk.size)
      chunk.slots[at] = slot
      chunk.size++
      size++
    },
    remove: (slot) => {
      const place = placeOf(slot)
      const i = chunkAt(place)
      const chunk = chunks[i] as Chunk
      const at = countBefore(chunk, place)
      if (chunk.slots[at] !== slot) throw new Error('a slot is not where its key says')
      chunk.slots.copyWithin(at, at + 1, chunk.size)
      chunk.size--
      size--
      if (chunk.size === 0 && chunks.length > 1) chunks.splice(i, 1)
      else merge(i)
    },
    find: (place) => {
      const chunk = chunks[chunkAt(place)] as Chunk
      const at = countBefore(chunk, place)
      const slot = at < chunk.size ? (chunk.slots[at] as number) : -1
      return slot >= 0 && compare(slot, place) === 0 ? slot : -1
    },
    count: (from, to) => {
      const [first, last] = [chunkAt(from), chunkAt(to)]
      let counted = -countBefore(chunks[first] as Chunk, from)
      for (let i = first; i < last; i++) counted += (chunks[i] as Chunk).size
      return Math.max(0, counted + countBefore(chunks[last] as Chunk, to))
    },
    walk: (from, direction, visit) => {
      if (size === 0) return
      let i = chunkAt(from)
      let at = countBefore(chunks[i] as Chunk, from)
      if (direction === 'down') {
        for (; i >= 0; i--, at = chunks[i]?.size ?? 0) {
          const { slots } = chunks[i] as Chunk
          while (--at >= 0) if (!visit(slots[at] as number)) return
        }
        return
      }
      const first = (chunks[i] as Chunk).slots[at] as number
      if (at < (chunks[i] as Chunk).size && compare(first, from) === 0) at++
      for (; i < chunks.length; i++, at = 0) {
        const { slots, size: filled } = chunks[i] as Chunk
        for (; at < filled; at++) if (!visit(slots[at] as number)) return
      }
    },
    put: (slots) => cut(Int32Array.from(slots).sort(byKey())),
    fill: async (slots) => {
      await sortInChunks(slots, SORTED_A_TURN, byKey())
      cut(slots)
    },
  }
}

const emptyChunk = (): Chunk => ({ slots: new Int32Array(CHUNK), size: 0 })

/** Infinities differ from themselves by nothing. */
const difference = (left: number, right: number): number =>
  left < right ? -1 : left > right ? 1 : 0
