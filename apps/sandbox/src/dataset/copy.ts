import type { CatalogueEntry } from './catalogue.ts'
import { wearWithin } from './exterior.ts'
import { inspectTokenOf } from './inspect-token.ts'
import type { Random } from './random.ts'
import type { AppliedCharm, AppliedSticker, Asset } from './types.ts'

/** What is applied to weapons, by where copies take it from. */
export interface Decorations {
  readonly stickers: readonly CatalogueEntry[]
  /** The stickers of one championship each: souvenirs bear those of the match they come from. */
  readonly championships: readonly (readonly CatalogueEntry[])[]
  readonly charms: readonly CatalogueEntry[]
}

export function readDecorations(entries: readonly CatalogueEntry[]): Decorations {
  const stickers = entries.filter(({ kind }) => kind === 'sticker')
  const byChampionship = Map.groupBy(
    stickers.filter(({ item }) => CHAMPIONSHIP.test(item.name)),
    ({ item }) => item.name.slice(item.name.lastIndexOf('| ') + 2),
  )
  return {
    stickers,
    championships: [...byChampionship.values()],
    charms: entries.filter(({ kind }) => kind === 'charm'),
  }
}

const CHAMPIONSHIP = /\| [^|]+ 20\d\d$/

/** One copy, consistent with itself; everything about it follows from the draws. */
export function makeCopy(entry: CatalogueEntry, random: Random, decorations: Decorations): Asset {
  const { item, band, kind } = entry
  const wear = band === null ? null : wearWithin(band, random.unit())
  const paintSeed = band === null ? null : random.between(0, kind === 'weapon' ? 1000 : 999)
  const stickers = kind === 'weapon' ? chooseStickers(entry, random, decorations) : []
  const charm =
    kind === 'weapon' && random.chance(0.05) ? chooseCharm(random, decorations.charms) : null
  const killCount =
    item.category === 'StatTrak™' && item.paintIndex !== null
      ? Math.floor(random.exponential() * 900)
      : null
  return {
    item,
    classId: entry.classId,
    instanceId: instanceIdOf(kind, stickers, charm),
    wear,
    paintSeed,
    fadePercentage: paintSeed === null ? null : (entry.fades?.[paintSeed] ?? null),
    stickers,
    charm,
    inspectToken: inspectTokenOf(entry, { wear, paintSeed, killCount, stickers, charm }),
  }
}

function chooseStickers(
  { item, stickerSlots }: CatalogueEntry,
  random: Random,
  { stickers, championships }: Decorations,
): readonly AppliedSticker[] {
  if (stickerSlots === 0) return []
  if (item.category === 'Souvenir') {
    if (championships.length === 0) return []
    const pool = random.pick(championships)
    const count = Math.min(stickerSlots, random.between(3, 4))
    return Array.from({ length: count }, (_, slot) => apply(random.pick(pool), slot, 0))
  }
  if (stickers.length === 0 || !random.chance(0.25)) return []
  const count = random.between(1, stickerSlots)
  const slots = chooseSlots(count, stickerSlots, random)
  // Players like the same sticker in every place; else they take what they have.
  const repeated = random.chance(0.4) ? random.pick(stickers) : null
  return slots.map((slot) =>
    apply(
      repeated ?? random.pick(stickers),
      slot,
      random.chance(0.7) ? 0 : Math.fround(0.01 + random.unit() * 0.9),
    ),
  )
}

/** `count` different slots in rising order: each of the places left is as likely as another. */
function chooseSlots(count: number, slotCount: number, random: Random): readonly number[] {
  const slots: number[] = []
  for (let slot = 0; slot < slotCount; slot += 1) {
    const isNeeded = random.unit() * (slotCount - slot) < count - slots.length
    if (isNeeded) slots.push(slot)
  }
  return slots
}

function apply({ item }: CatalogueEntry, slot: number, wear: number): AppliedSticker {
  return {
    name: item.marketHashName,
    stickerId: item.artIndex ?? 0,
    slot,
    wear,
    iconUrl: item.iconUrl,
  }
}

function chooseCharm(random: Random, charms: readonly CatalogueEntry[]): AppliedCharm | null {
  if (charms.length === 0) return null
  const { item } = random.pick(charms)
  return {
    name: item.marketHashName,
    charmId: item.artIndex ?? 0,
    pattern: random.between(1, 100_000),
    iconUrl: item.iconUrl,
  }
}

// The platform gives copies with the same description the same instance. What is on a weapon is in
// its description, so a decorated one has an instance of its own, made from what it bears.
function instanceIdOf(
  kind: CatalogueEntry['kind'],
  stickers: readonly AppliedSticker[],
  charm: AppliedCharm | null,
): string {
  if (kind !== 'weapon' && kind !== 'knife' && kind !== 'gloves') return PLAIN_INSTANCE
  if (stickers.length === 0 && charm === null) return BARE_WEAPON_INSTANCE
  let sum = charm === null ? 0 : charm.charmId * 31 + charm.pattern
  for (const { stickerId, slot } of stickers) sum = (sum * 10_007 + stickerId * 8 + slot) % 1e9
  return String(1_000_000_000 + Math.floor(sum))
}

const PLAIN_INSTANCE = '519977179'
const BARE_WEAPON_INSTANCE = '188530139'
