// Chance under a seed. Every thing of the dataset draws from a stream of its own, named by numbers
// (seed, stream, index), so that thing N can be made again without making the N - 1 before it.

export interface Random {
  /** Uniform in [0, 1), 32 bits of it. */
  unit(): number
  /** Whole number, both ends included. */
  between(low: number, high: number): number
  chance(probability: number): boolean
  /** Standard normal. */
  normal(): number
  /** Exponential with mean 1. */
  exponential(): number
  pick<T>(list: readonly T[]): T
}

/** One number for every use of chance, so that no two uses share a stream. */
export const STREAM = {
  listing: 1,
  arrival: 2,
  tick: 3,
  shuffle: 4,
  inventory: 5,
  rounding: 6,
  appraisal: 7,
  age: 8,
  sellers: 9,
  picture: 10,
} as const

/**
 * The generator is sfc32 of Chris Doty-Humphrey's PractRand suite (public domain): three words of
 * state and a counter, period of at least 2^32 whatever the seed, twelve rounds of warming up.
 */
export function randomOf(seed: number, stream: number, index = 0): Random {
  // Indexes pass 2^32 in no life of a sandbox, but platform ids do: both halves count.
  const low = index >>> 0
  const high = Math.floor(index / 0x1_0000_0000) >>> 0
  let a = mix(seed ^ 0x9e3779b9)
  let b = mix(Math.imul(stream, 0x85ebca6b) ^ a ^ high)
  let c = mix(low ^ Math.imul(b, 0xc2b2ae35))
  let counter = 1

  function next(): number {
    const sum = (a + b + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + sum
    c |= 0
    return sum >>> 0
  }
  for (let round = 0; round < 12; round += 1) next()

  const unit = (): number => next() / 0x1_0000_0000
  return {
    unit,
    between: (from, to) => from + Math.floor(unit() * (to - from + 1)),
    chance: (probability) => unit() < probability,
    // Box-Muller; 1 - unit() is never 0, so the logarithm is finite.
    normal: () => Math.sqrt(-2 * Math.log(1 - unit())) * Math.cos(2 * Math.PI * unit()),
    exponential: () => -Math.log(1 - unit()),
    pick: (list) => {
      const chosen = list[Math.floor(unit() * list.length)]
      if (chosen === undefined) throw new RangeError('cannot pick from an empty list')
      return chosen
    },
  }
}

/** 32-bit hash of a text: FNV-1a over its UTF-16 units, finished with `mix`. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  }
  return mix(hash)
}

// The finaliser of MurmurHash3 (Austin Appleby, public domain): every input bit reaches every
// output bit, which is what makes neighbouring indexes unrelated.
function mix(word: number): number {
  let hash = word
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
