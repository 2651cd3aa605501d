import { createHmac, timingSafeEqual } from 'node:crypto'
import type { NoticeHeaders } from '#ports/deposits'

export const hmacSha512 = (secret: string, text: string | Buffer): string =>
  createHmac('sha512', secret).update(text).digest('hex')

/** In constant time; the case of hex digits does not matter. */
export function isSameSignature(given: string, right: string): boolean {
  const one = Buffer.from(given.toLowerCase())
  const other = Buffer.from(right)
  return one.length === other.length && timingSafeEqual(one, other)
}

/** A header that was sent exactly once; empty otherwise. */
export function headerOf(headers: NoticeHeaders, name: string): string {
  const value = headers[name]
  return typeof value === 'string' ? value : ''
}
