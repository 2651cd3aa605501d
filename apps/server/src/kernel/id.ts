import { randomFillSync } from 'node:crypto'

// Randomness is drawn in blocks: asking the system for 16 bytes at a time costs more than all the rest.
const POOL_BYTES = 4096
const ENTROPY_BYTES = 10
const pool = Buffer.allocUnsafe(POOL_BYTES)
let drawn = POOL_BYTES

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))
const hex = (byte: number): string => HEX[byte & 0xff] ?? ''

/** Of the last id: the millisecond that it was for (a full counter shows a later one), and its counter. */
const last = { askedMs: -1, shownMs: -1, counter: 0 }
/** Twelve bits, of which a millisecond begins in the lower half: room for at least 2,048 ids. */
const COUNTER_LIMIT = 0x1000

/**
 * A UUIDv7 (RFC 9562, section 5.7). Ids of one process are in the order of their creation, also within a
 * millisecond (section 6.2, method 1): the 12 bits behind the time are a counter that begins at random.
 */
export function newId(nowMs: number = Date.now()): string {
  if (drawn + ENTROPY_BYTES > POOL_BYTES) {
    randomFillSync(pool)
    drawn = 0
  }
  const at = drawn
  drawn += ENTROPY_BYTES
  const random = (i: number): number => pool[at + i] ?? 0
  count(Math.floor(nowMs), ((random(0) & 0x07) << 8) | random(1))
  const time = last.shownMs.toString(16).padStart(12, '0')
  return (
    `${time.slice(0, 8)}-${time.slice(8)}-` +
    `${hex((last.counter >> 8) | 0x70)}${hex(last.counter)}-` +
    `${hex((random(2) & 0x3f) | 0x80)}${hex(random(3))}-` +
    `${hex(random(4))}${hex(random(5))}${hex(random(6))}${hex(random(7))}${hex(random(8))}${hex(random(9))}`
  )
}

function count(nowMs: number, start: number): void {
  if (nowMs < last.askedMs || nowMs > last.shownMs) {
    last.askedMs = nowMs
    last.shownMs = nowMs
    last.counter = start
    return
  }
  last.counter += 1
  if (last.counter < COUNTER_LIMIT) return
  last.shownMs += 1
  last.counter = 0
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** When an id was made, to the millisecond; null for one that does not say. */
export const timeOfId = (id: string): Date | null =>
  isUuid(id) && id[14] === '7'
    ? new Date(Number.parseInt(id.replace('-', '').slice(0, 12), 16))
    : null

/** The lowest UUID of version 7 that this millisecond can have. */
export function firstUuidOf(time: Date): string {
  const hex = time.getTime().toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}

export const isUuid = (text: string): boolean => UUID.test(text)
