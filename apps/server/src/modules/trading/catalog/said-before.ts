/**
 * What was last said of the live listings of a market when a whole read began, and which of them it has
 * shown. A map of strings takes a hundred bytes a listing, half a million times; ids that are numbers, as
 * those of both markets are, take 16 to 50 here, outside of V8's heap. Other ids are kept in a map.
 */
export interface SaidBefore {
  readonly size: number
  /** `said` as `hashOfListing` makes it; null where that is not known. */
  add(rawId: string, said: number | null): void
  /** Notes that the read shows the listing; answers what was said of it, the second time null. */
  show(rawId: string): number | null
  has(rawId: string): boolean
  /** Added, and not shown. */
  missing(): Generator<string>
}

const FIRST_PLACES = 1024
/** Of the places that are taken before there are twice as many. */
const MOST_FULL = 0.6
const NUMBER = /^[1-9]\d{0,14}$/
const UNKNOWN = -1
const SHOWN = -2

export function createSaidBefore(): SaidBefore {
  const others = new Map<string, number>()
  // Open addressing: a free place has the key 0, which is no id.
  let keys = new Float64Array(FIRST_PLACES)
  let values = new Float64Array(FIRST_PLACES)
  let taken = 0
  let added = 0

  const placeOf = (key: number): number => {
    const last = keys.length - 1
    let place = mixed(key) & last
    while (keys[place] !== 0 && keys[place] !== key) place = (place + 1) & last
    return place
  }
  const grow = (): void => {
    const [oldKeys, oldValues] = [keys, values]
    keys = new Float64Array(oldKeys.length * 2)
    values = new Float64Array(oldKeys.length * 2)
    for (const [i, key] of oldKeys.entries()) {
      if (key === 0) continue
      const place = placeOf(key)
      keys[place] = key
      values[place] = oldValues[i] as number
    }
  }
  const find = (rawId: string): number | undefined => {
    if (!NUMBER.test(rawId)) return others.get(rawId)
    const place = placeOf(Number(rawId))
    return keys[place] === 0 ? undefined : values[place]
  }
  const write = (rawId: string, value: number): void => {
    if (!NUMBER.test(rawId)) {
      others.set(rawId, value)
      return
    }
    const key = Number(rawId)
    let place = placeOf(key)
    if (keys[place] === 0) {
      if (++taken > keys.length * MOST_FULL) {
        grow()
        place = placeOf(key)
      }
      keys[place] = key
    }
    values[place] = value
  }

  return {
    get size() {
      return added
    },
    add(rawId, said) {
      added++
      write(rawId, said ?? UNKNOWN)
    },
    show(rawId) {
      const said = find(rawId)
      write(rawId, SHOWN)
      return said === undefined || said < 0 ? null : said
    },
    has: (rawId) => find(rawId) !== undefined,
    *missing() {
      for (const [i, key] of keys.entries()) {
        if (key !== 0 && values[i] !== SHOWN) yield String(key)
      }
      for (const [rawId, said] of others) if (said !== SHOWN) yield rawId
    },
  }
}

/** Ids of a market rise one by one; their low bits alone would fill the table in lumps. */
function mixed(key: number): number {
  let hash = (key % 2 ** 32) ^ (key / 2 ** 32)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  return (hash ^ (hash >>> 13)) >>> 0
}
