// The name of a picture at `/assets/items/`, made alike by a page that shows an item and by the service that
// fetches its picture.

/** In CSS pixels, the edge of a square. */
export const PICTURE_SIZES = [64, 256] as const
export type PictureSize = (typeof PICTURE_SIZES)[number]

/** What the platform calls the picture, alone or at the end of its address there. */
const PLATFORM_HASH = /(?:^|\/economy\/image\/)([\w-]+)$/

/**
 * 16 hex digits; null for an `iconUrl` that names no picture. The platform's hash and its whole address name
 * the same picture: lists give the one, inventories the other. It is no cryptographic hash, as browsers have
 * none that answers at once: two names that are made alike on purpose only show one picture for the other.
 */
export function pictureName(iconUrl: string): string | null {
  const source = pictureSource(iconUrl)
  return source && hex(fold(source, 0x811c9dc5)) + hex(fold(source, 0x2545f491))
}

/** The platform's hash, or an address elsewhere; null for what is neither. */
export function pictureSource(iconUrl: string): string | null {
  const [, hash] = PLATFORM_HASH.exec(iconUrl) ?? []
  return hash ?? (/^https?:\/\//.test(iconUrl) ? iconUrl : null)
}

/** FNV-1a over UTF-16 units, mixed at the end so that both halves differ in all of their bits. */
function fold(text: string, seed: number): number {
  let state = seed
  for (let at = 0; at < text.length; at++) {
    state = Math.imul(state ^ text.charCodeAt(at), 0x01000193)
    state ^= state >>> 15
  }
  state = Math.imul(state ^ (state >>> 13), 0x5bd1e995)
  return (state ^ (state >>> 16)) >>> 0
}

const hex = (number: number): string => number.toString(16).padStart(8, '0')
