// What a dataset keeps beyond its seed, as compact JSON. The size is bounded by the number of
// listings, however long the dataset has lived: gone listings of the opening are one bit each, gone
// later ones are simply not named.

export interface SavedDataset {
  /** Of what the numbers were made; a dataset made of something else cannot use them. */
  readonly origin: string
  /** The number of the first listing of the opening, and the moment of the opening. */
  readonly first: number
  readonly openedAtMs: number
  /** The next number to give out. */
  readonly next: number
  readonly ticks: number
  /** Places of the opening whose listings are gone. */
  readonly gone: ReadonlySet<number>
  /** Listings that came later: number and moment. */
  readonly added: ReadonlyMap<number, number>
  /** Prices that moved, by number. */
  readonly prices: ReadonlyMap<number, number>
}

const VERSION = 1

export function writeDataset(saved: SavedDataset, openingCount: number): string {
  const bits = Buffer.alloc(Math.ceil(openingCount / 8))
  for (const place of saved.gone) {
    bits[place >> 3] = (bits[place >> 3] ?? 0) | (1 << (place & 7))
  }
  return JSON.stringify({
    version: VERSION,
    origin: saved.origin,
    first: saved.first,
    openedAtMs: saved.openedAtMs,
    next: saved.next,
    ticks: saved.ticks,
    gone: bits.toString('base64'),
    added: flatten(saved.added, saved.openedAtMs),
    prices: flatten(saved.prices, 0),
  })
}

/** Throws when the text is not a dataset that this program wrote. */
export function readDataset(text: string): SavedDataset {
  const value: unknown = JSON.parse(text)
  if (!isRecord(value) || value.version !== VERSION) throw invalidDataset()
  const { origin, first, openedAtMs, next, ticks, gone, added, prices } = value
  if (typeof origin !== 'string' || typeof gone !== 'string') throw invalidDataset()
  if (!isCount(first) || !isCount(openedAtMs) || !isCount(next) || !isCount(ticks)) {
    throw invalidDataset()
  }
  return {
    origin,
    first,
    openedAtMs,
    next,
    ticks,
    gone: readBits(Buffer.from(gone, 'base64')),
    added: unflatten(added, openedAtMs),
    prices: unflatten(prices, 0),
  }
}

// Pairs in one flat list, numbers as steps from the one before: short, and quick to parse.
function flatten(pairs: ReadonlyMap<number, number>, origin: number): number[] {
  const flat: number[] = []
  let previous = 0
  for (const [number, value] of [...pairs].sort(([left], [right]) => left - right)) {
    flat.push(number - previous, value - origin)
    previous = number
  }
  return flat
}

function unflatten(flat: unknown, origin: number): Map<number, number> {
  if (!Array.isArray(flat) || flat.length % 2 !== 0) throw invalidDataset()
  const pairs = new Map<number, number>()
  let number = 0
  for (let at = 0; at < flat.length; at += 2) {
    const step: unknown = flat[at]
    const value: unknown = flat[at + 1]
    if (!isCount(step) || !Number.isSafeInteger(value)) throw invalidDataset()
    number += step
    pairs.set(number, Number(value) + origin)
  }
  return pairs
}

function readBits(bits: Buffer): Set<number> {
  const places = new Set<number>()
  for (const [index, byte] of bits.entries()) {
    for (let bit = 0; bit < 8; bit += 1) if ((byte & (1 << bit)) !== 0) places.add(index * 8 + bit)
  }
  return places
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

function invalidDataset(): Error {
  return new Error('this is not the saved state of a dataset')
}
