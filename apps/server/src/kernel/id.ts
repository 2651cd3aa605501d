import { randomFillSync } from 'node:crypto'

// Randomness is drawn in blocks: asking the system for 16 bytes at a time costs more than all the rest.
const POOL_BYTES = 4096
const ENTROPY_BYTES = 10
const pool = Buffer.allocUnsafe(POOL_BYTES)
let drawn = POOL_BYTES

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))
const hex = (byte: number): string => HEX[byte & 0xff] ?? ''

/** A UUIDv7 (RFC 9562, section 5.7): its order is the order of creation. */
export function newId(nowMs: number = Date.now()): string {
  if (drawn + ENTROPY_BYTES > POOL_BYTES) {
    randomFillSync(pool)
    drawn = 0
  }
  const at = drawn
  drawn += ENTROPY_BYTES
  const time = Math.floor(nowMs).toString(16).padStart(12, '0')
  const random = (i: number): number => pool[at + i] ?? 0
  return (
    `${time.slice(0, 8)}-${time.slice(8)}-` +
    `${hex((random(0) & 0x0f) | 0x70)}${hex(random(1))}-` +
    `${hex((random(2) & 0x3f) | 0x80)}${hex(random(3))}-` +
    `${hex(random(4))}${hex(random(5))}${hex(random(6))}${hex(random(7))}${hex(random(8))}${hex(random(9))}`
  )
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export const isUuid = (text: string): boolean => UUID.test(text)
