import { decodeHex } from '@csfloat/cs2-inspect-serializer'
import type { SourceListing } from '#ports/catalog'
import { charmFace, type GameBook, stickerFace } from './game-book.ts'
import { decimalText } from './reader.ts'

/** What an inspect token states of an item: the market's statement, not checked by the platform. */
export interface Inspected {
  readonly token: string
  readonly wear: string | null
  readonly paintSeed: number | null
  readonly paintIndex: number | null
  readonly stickers: SourceListing['stickers']
  readonly charm: SourceListing['charm']
}

const HEX_AT_END = /(?:^|[\s+]|%20)([0-9A-Fa-f]{12,4096})$/

/** The bare token of an inspect link, upper case; null for older links, which carry no data. */
export function inspectTokenOf(link: string | null): string | null {
  const token = link === null ? null : HEX_AT_END.exec(link.trim())?.[1]
  return token === null || token === undefined || token.length % 2 !== 0
    ? null
    : token.toUpperCase()
}

/** Null for a token that cannot be decoded: its sender may write anything. */
export function inspect(token: string, book: GameBook): Inspected | null {
  try {
    const item = decodeHex(token)
    const paintIndex = item.paintindex ?? null
    // Things without a finish have no wear and no seed; their fields are zero.
    const isPainted = paintIndex !== null && paintIndex > 0
    return {
      token,
      wear: isPainted ? wearText(item.paintwear) : null,
      paintSeed: isPainted ? (item.paintseed ?? 0) : null,
      paintIndex: isPainted ? paintIndex : null,
      stickers: item.stickers.slice(0, 10).flatMap(({ stickerId, slot, wear }, index) =>
        stickerId === undefined || stickerId === 0
          ? []
          : {
              ...stickerFace(book, stickerId),
              slot: slot ?? index,
              wear: typeof wear === 'number' && wear >= 0 && wear <= 1 ? wear : null,
            },
      ),
      charm: charmOf(item.keychains[0], book),
    }
  } catch {
    return null
  }
}

function charmOf(
  charm: { readonly stickerId?: number; readonly pattern?: number } | undefined,
  book: GameBook,
): SourceListing['charm'] {
  if (charm?.stickerId === undefined || charm.stickerId === 0) return null
  return { ...charmFace(book, charm.stickerId), pattern: charm.pattern ?? null }
}

function wearText(wear: number | undefined): string | null {
  if (wear === undefined || !(wear >= 0 && wear <= 1)) return null
  return decimalText(wear)
}
