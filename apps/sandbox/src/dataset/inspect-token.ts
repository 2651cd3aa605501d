import { generateHex } from '@csfloat/cs2-inspect-serializer'
import type { CatalogueEntry } from './catalogue.ts'
import type { AppliedCharm, AppliedSticker } from './types.ts'

/**
 * The bare upper-case hex of the item's data block. Things without a model of their own to turn in
 * the hand (stickers, cases and the like) have none: their token would describe nothing new.
 */
export function inspectTokenOf(
  entry: CatalogueEntry,
  copy: {
    readonly wear: number | null
    readonly paintSeed: number | null
    readonly killCount: number | null
    readonly stickers: readonly AppliedSticker[]
    readonly charm: AppliedCharm | null
  },
): string | null {
  const { item, kind, rarityLevel } = entry
  if (item.paintIndex === null) return null
  return generateHex({
    defindex: item.defIndex,
    paintindex: item.paintIndex,
    rarity: rarityLevel,
    quality: qualityOf(kind, item.category),
    // Left out, the serialiser would invent a wear; a thing without wear has zero there.
    paintwear: copy.wear ?? 0,
    ...(copy.paintSeed === null ? {} : { paintseed: copy.paintSeed }),
    ...(copy.killCount === null ? {} : { killeaterscoretype: 0, killeatervalue: copy.killCount }),
    stickers: copy.stickers.map(({ slot, stickerId, wear }) => ({ slot, stickerId, wear })),
    keychains:
      copy.charm === null
        ? []
        : [{ slot: 0, stickerId: copy.charm.charmId, pattern: copy.charm.pattern }],
  })
}

// The game's quality numbers. The star of knives and gloves hides the counter's own number.
function qualityOf(kind: CatalogueEntry['kind'], category: string): number {
  if (kind !== 'weapon') return 3
  return category === 'StatTrak™' ? 9 : category === 'Souvenir' ? 12 : 4
}
