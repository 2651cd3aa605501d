import { appraise } from './appraise.ts'
import { type Exterior, exteriorsWithin } from './exterior.ts'
import { fadePercentagesOf } from './fade.ts'
import { itemTypeOf, type Kind, kindOf, plainNameOf } from './kind.ts'
import { type LibraryItem, libraryItems, splitName } from './library.ts'
import { phaseOf } from './phases.ts'
import { hashOf } from './random.ts'
import { colorOf, rarityLevelOf, rarityNameOf } from './rarity.ts'
import type { CatalogueItem } from './types.ts'

/** A catalogue item with what is needed to make copies of it. */
export interface CatalogueEntry {
  readonly item: CatalogueItem
  readonly kind: Kind
  /** The platform's id for all copies that look alike. */
  readonly classId: string
  /** The range of a copy's wear: the finish's range inside the exterior's. */
  readonly band: readonly [number, number] | null
  readonly stickerSlots: number
  /** Percentage by paint seed; null for what is no fade. */
  readonly fades: readonly number[] | null
  readonly rarityLevel: number
  readonly abundance: number
}

export interface Catalogue {
  readonly entries: readonly CatalogueEntry[]
  /** Changes when the goods or their order change: then the same numbers make other copies. */
  readonly fingerprint: string
}

/** Of so many items, the most abundant ones; the same for every dataset, and quick to ask for again. */
export function readCatalogue(itemCount = Number.POSITIVE_INFINITY): Catalogue {
  catalogue ??= buildCatalogue()
  if (itemCount >= catalogue.entries.length) return catalogue
  const { entries, fingerprint } = catalogue
  const byAbundance = entries.toSorted((left, right) => right.abundance - left.abundance)
  const kept = new Set(byAbundance.slice(0, itemCount))
  return {
    entries: entries.filter((entry) => kept.has(entry)),
    fingerprint: `${fingerprint}-${itemCount}`,
  }
}

let catalogue: Catalogue | undefined

type Category = CatalogueItem['category']

/** One name on the market: an entry of the item list in one category, exterior or phase. */
interface Variant {
  readonly source: LibraryItem
  readonly kind: Kind
  readonly category: Category
  readonly exterior: Exterior | null
  readonly band: readonly [number, number] | null
}

function buildCatalogue(): Catalogue {
  const boxes = readBoxes()
  const byId = new Map(libraryItems.map((item) => [item.id, item]))
  const entries: CatalogueEntry[] = []
  const seen = new Set<string>()
  let print = 0
  for (const source of libraryItems) {
    const kind = kindOf(source, boxes.unboxed)
    if (kind === null) continue
    for (const variant of variantsOf(source, kind, boxes)) {
      const entry = describe(variant, { position: entries.length, byId })
      const key = `${entry.item.marketHashName}\u0000${entry.item.phase ?? ''}`
      // A few stickers and capsules stand in the list twice under one name: one item on a market.
      if (seen.has(key)) continue
      seen.add(key)
      entries.push(entry)
      print = hashOf(`${print} ${key} ${entry.abundance} ${entry.item.referencePriceMills}`)
    }
  }
  return { entries, fingerprint: `${entries.length}-${print.toString(16)}` }
}

interface Boxes {
  readonly unboxed: ReadonlySet<number>
  readonly souvenirs: ReadonlySet<number>
  /** Weapons that come with a kill counter, and the collections whose other weapons do. */
  readonly counted: ReadonlySet<number>
  readonly countedCollections: ReadonlySet<string>
}

// Which weapons exist with a kill counter or as souvenirs is nowhere written down; it follows from
// what can be unboxed where. A package sold as a case ('Anubis Collection Package') has no counters.
function readBoxes(): Boxes {
  const unboxed = new Set<number>()
  const souvenirs = new Set<number>()
  const counted = new Set<number>()
  const countedCollections = new Set<string>()
  for (const box of libraryItems) {
    if (box.type !== 'case') continue
    const contents = box.contents ?? []
    for (const id of [...contents, ...(box.specials ?? [])]) unboxed.add(id)
    if (box.containerType === 3) for (const id of contents) souvenirs.add(id)
    if (box.containerType !== 0 || box.name.endsWith(' Package')) continue
    for (const id of contents) counted.add(id)
    if (box.collection !== undefined) countedCollections.add(box.collection)
  }
  return { unboxed, souvenirs, counted, countedCollections }
}

function variantsOf(source: LibraryItem, kind: Kind, boxes: Boxes): readonly Variant[] {
  const categories = categoriesOf(source, kind, boxes)
  const range = floatRangeOf(source, kind)
  const looks = range === null ? [{ exterior: null, band: null }] : exteriorsWithin(range)
  return categories.flatMap((category) =>
    looks.map(({ exterior, band }) => ({ source, kind, category, exterior, band })),
  )
}

function categoriesOf(source: LibraryItem, kind: Kind, boxes: Boxes): readonly Category[] {
  if (kind === 'knife' || kind === 'musicKit') return ['Normal', 'StatTrak™']
  if (kind !== 'weapon') return ['Normal']
  const categories: Category[] = ['Normal']
  if (
    boxes.counted.has(source.id) ||
    boxes.countedCollections.has(source.collection ?? '') ||
    // The one contraband skin lost its collection when it was withdrawn; its counters stayed.
    rarityLevelOf(source.rarity) === 7
  ) {
    categories.push('StatTrak™')
  }
  if (boxes.souvenirs.has(source.id)) categories.push('Souvenir')
  return categories
}

function floatRangeOf(source: LibraryItem, kind: Kind): readonly [number, number] | null {
  if (!isPainted(source, kind)) return null
  return [source.wearMin ?? 0, source.wearMax ?? 1]
}

/** Weapons, knives and gloves with a finish; a plain ('vanilla') knife has none. */
function isPainted(source: LibraryItem, kind: Kind): boolean {
  if (kind !== 'weapon' && kind !== 'knife' && kind !== 'gloves') return false
  return source.base !== true
}

function describe(
  variant: Variant,
  { position, byId }: { position: number; byId: ReadonlyMap<number, LibraryItem> },
): CatalogueEntry {
  const { source, kind, category, exterior, band } = variant
  const plainName = plainNameOf(kind, source)
  const isArmed = kind === 'weapon' || kind === 'knife' || kind === 'gloves'
  const [weapon, finish] = isArmed ? splitName(plainName) : [null, null]
  const paintIndex = isArmed ? (source.index ?? 0) : null
  const phase = paintIndex === null ? null : phaseOf(paintIndex)
  const rarityLevel = rarityLevelOf(source.rarity)
  const floatRange = floatRangeOf(source, kind)
  const exteriorShare =
    floatRange === null || band === null ? 1 : (band[1] - band[0]) / (floatRange[1] - floatRange[0])
  const appraisal = appraise({
    kind,
    family: plainName,
    weapon,
    finish,
    exterior: exterior?.name ?? null,
    exteriorShare,
    category,
    phase,
    rarityLevel,
  })
  const name = nameOf(variant, plainName)
  const rarity = rarityOf(kind, rarityLevel)
  const itemType = itemTypeOf(kind, source)
  const item: CatalogueItem = {
    marketHashName: exterior === null ? name : `${name} (${exterior.name})`,
    phase,
    name,
    type: [...prefixesOf(variant), rarity, itemType].join(' '),
    itemType,
    weapon,
    rarity,
    rarityColor: colorOf(source.rarity),
    category,
    collection: kind === 'weapon' ? source.collectionName : null,
    exterior: exterior?.name ?? null,
    floatRange,
    iconUrl: iconOf(source, exterior),
    defIndex: source.def ?? DEF_INDEX_OF_SEALED_GRAFFITI,
    paintIndex,
    ...(ART_KINDS.has(kind) && source.index !== undefined ? { artIndex: source.index } : {}),
    referencePriceMills: appraisal.referencePriceMills,
    volume: appraisal.volume,
  }
  return {
    item,
    kind,
    classId: String(FIRST_CLASS_ID + position * 97 + (hashOf(plainName) % 97)),
    band,
    stickerSlots: kind === 'weapon' ? slotsOf(source, byId) : 0,
    fades: weapon === null || finish === null ? null : fadePercentagesOf(weapon, finish),
    rarityLevel,
    abundance: appraisal.abundance,
  }
}

const FIRST_CLASS_ID = 310_000_000
/** The item list leaves it out where one picture comes in many colours. */
const DEF_INDEX_OF_SEALED_GRAFFITI = 1348
const MOST_STICKERS = 5
const ART_KINDS: ReadonlySet<Kind> = new Set(['sticker', 'charm', 'patch', 'graffiti', 'musicKit'])

function nameOf(variant: Variant, plainName: string): string {
  return [...prefixesOf(variant), plainName].join(' ')
}

function prefixesOf({ kind, category }: Variant): readonly string[] {
  const prefixes = kind === 'knife' || kind === 'gloves' ? ['★'] : []
  return category === 'Normal' ? prefixes : [...prefixes, category]
}

function rarityOf(kind: Kind, level: number): string {
  if (kind === 'weapon' || kind === 'knife') return rarityNameOf(level, 'weapon')
  if (kind === 'gloves') return rarityNameOf(level, 'gloves')
  return rarityNameOf(level, kind === 'agent' ? 'agent' : 'other')
}

/** The hash of the picture; painted things have one for light, medium and heavy wear. */
function iconOf(source: LibraryItem, exterior: Exterior | null): string {
  const hash = /([0-9a-f]{64})\.webp$/.exec(source.image ?? '')?.[1] ?? ''
  return exterior === null ? hash : `${hash}_${exterior.picture}`
}

function slotsOf(source: LibraryItem, byId: ReadonlyMap<number, LibraryItem>): number {
  const model = byId.get(source.baseId ?? -1)
  const slots = source.legacy === true ? model?.legacyStickerSlots : model?.stickerSlots
  return Math.min(slots ?? MOST_STICKERS, MOST_STICKERS)
}
