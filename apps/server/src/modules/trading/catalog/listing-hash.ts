import type { AcceptedListing } from './accept-listing.ts'

/** With its `hashOfListing`, which is made once: it takes longer than to judge what a market says. */
export interface SaidListing extends AcceptedListing {
  readonly said: number
}

/**
 * A number for everything of the listing that is written down: 52 bits, which PostgreSQL and JavaScript both
 * hold exactly. A listing that changed has the number that it had once in four thousand million million.
 */
export function hashOfListing({ priceMills, ...listing }: AcceptedListing): number {
  const text = JSON.stringify([String(priceMills), listing])
  let high = 0x9747b28c
  let low = 0x1b873593
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    high = Math.imul(high ^ code, 0x85ebca6b)
    low = Math.imul(low ^ code, 0xc2b2ae35)
    high = (high << 13) | (high >>> 19)
    low = (low << 15) | (low >>> 17)
  }
  high = mixed(high ^ text.length)
  low = mixed(low ^ high)
  return (high >>> 12) * 2 ** 32 + low
}

/** The end of MurmurHash3: every bit of the value reaches every bit of the answer. */
function mixed(value: number): number {
  let hash = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
