import type { Kind } from './kind.ts'
import {
  ABUNDANCE,
  AGENT_DOLLARS,
  EVENTS,
  EXTERIOR_ABUNDANCE,
  EXTERIOR_FACTORS,
  GEMS,
  GLOVE_DOLLARS,
  KNIFE_DOLLARS,
  KNIFE_FINISHES,
  KNOWN_CASES,
  KNOWN_FINISHES,
  PHASE_FACTORS,
  PLAIN_DOLLARS,
  SMALL_THINGS,
  SPREADS,
  STICKER_DOLLARS,
  TREATMENTS,
  WEAPON_DOLLARS,
  WEAPON_FAME,
} from './price-tables.ts'
import { hashOf, randomOf, STREAM } from './random.ts'

// What a thing is worth and how much of it is about. Invented, but with the shape of the real
// market: most things cost cents, a few thousands of dollars, and the two hardly ever trade alike.
// It follows from the names alone, never from the dataset's seed, so that examples stay true.

export interface Subject {
  readonly kind: Kind
  /** The name without category and exterior: 'AK-47 | Redline', 'Sticker | Crown (Foil)'. */
  readonly family: string
  readonly weapon: string | null
  readonly finish: string | null
  readonly exterior: string | null
  /** How much of the finish's whole range of wear is in this exterior, 0 to 1. */
  readonly exteriorShare: number
  readonly category: 'Normal' | 'Souvenir' | 'StatTrak™'
  readonly phase: string | null
  readonly rarityLevel: number
}

export interface Appraisal {
  readonly referencePriceMills: number
  /** How many copies are offered, against other items; the scale is set by the dataset. */
  readonly abundance: number
  /** Sales a day. */
  readonly volume: number
}

export function appraise(subject: Subject): Appraisal {
  const ofFamily = randomOf(hashOf(subject.family), STREAM.appraisal)
  const ofItem = randomOf(
    hashOf([subject.family, subject.category, subject.exterior, subject.phase].join('\u0000')),
    STREAM.appraisal,
  )
  const familySpread = Math.exp(ofFamily.normal() * SPREADS[subject.kind])
  const dollars =
    familyDollars(subject, familySpread) *
    exteriorFactor(subject) *
    categoryFactor(subject) *
    Math.exp(ofItem.normal() * 0.12)
  const referencePriceMills = roundPrice(Math.min(dollars, DEAREST_DOLLARS) * 1000)

  const isKnown = KNOWN_FINISHES.has(subject.family)
  const familyFame = isKnown
    ? 4 * Math.exp(ofFamily.normal() * 0.4)
    : Math.exp(ofFamily.normal() * 0.75)
  const abundance =
    ABUNDANCE[subject.kind] *
    familyFame *
    Math.exp(ofItem.normal() * 0.45) *
    (subject.kind === 'weapon' ? (WEAPON_FAME.get(subject.weapon ?? '') ?? 0.7) : 1) *
    exteriorAbundance(subject) *
    categoryAbundance(subject) *
    (GEMS.has(subject.phase ?? '') ? 0.25 : 1) *
    // What costs thousands is rare; below a dollar the price says nothing.
    Math.max(1, referencePriceMills / 1000) ** -0.22
  return {
    referencePriceMills,
    abundance,
    volume: Math.round(abundance * SALES_A_DAY * (0.5 + ofItem.unit())),
  }
}

/** The cheapest thing costs three cents; from a dollar on, prices are whole cents. */
export function roundPrice(mills: number): number {
  const step = mills >= 1000 ? 10 : 1
  return Math.max(CHEAPEST_MILLS, Math.round(mills / step) * step)
}

const CHEAPEST_MILLS = 30
const DEAREST_DOLLARS = 12_000
const SALES_A_DAY = 3

function familyDollars(subject: Subject, spread: number): number {
  const { kind, rarityLevel } = subject
  switch (kind) {
    case 'weapon': {
      const known = KNOWN_FINISHES.get(subject.family)
      if (known !== undefined) return known * phaseFactor(subject)
      const fame = Math.sqrt(WEAPON_FAME.get(subject.weapon ?? '') ?? 0.7)
      return (WEAPON_DOLLARS[rarityLevel] ?? 1) * fame * spread * phaseFactor(subject)
    }
    case 'knife':
      return (
        (KNIFE_DOLLARS.get(subject.weapon ?? '') ?? 150) *
        (KNIFE_FINISHES.get(subject.finish ?? 'Vanilla') ?? 1) *
        phaseFactor(subject) *
        spread
      )
    case 'gloves':
      return (GLOVE_DOLLARS.get(subject.weapon ?? '') ?? 120) * spread
    case 'sticker':
      return stickerDollars(subject.family, rarityLevel) * spread
    case 'agent':
      return (AGENT_DOLLARS[rarityLevel] ?? 3) * spread
    case 'charm':
    case 'patch':
    case 'graffiti':
      return (SMALL_THINGS[rarityLevel] ?? 0.05) * (kind === 'graffiti' ? 0.4 : 1) * spread
    default:
      return KNOWN_CASES.get(subject.family) ?? PLAIN_DOLLARS[kind] * spread
  }
}

function stickerDollars(family: string, rarityLevel: number): number {
  const plain = STICKER_DOLLARS[rarityLevel] ?? 0.3
  const treatment = /\((?:\w+, )?(Gold|Holo|Foil|Glitter|Embroidered|Lenticular)/.exec(family)?.[1]
  const event = family.slice(family.lastIndexOf('| ') + 2)
  return plain * (TREATMENTS.get(treatment ?? '') ?? 1) * (EVENTS.get(event) ?? 1)
}

function exteriorFactor({ exterior, exteriorShare }: Subject): number {
  if (exterior === null) return 1
  // A finish that hardly comes in an exterior is dearer in it, the good ones above all.
  const scarcity = Math.min(2.5, Math.max(1, (0.08 / Math.max(exteriorShare, 0.01)) ** 0.35))
  return (EXTERIOR_FACTORS[exterior] ?? 1) * (exterior === 'Factory New' ? scarcity : 1)
}

function exteriorAbundance({ exterior, exteriorShare }: Subject): number {
  if (exterior === null) return 1
  return (EXTERIOR_ABUNDANCE[exterior] ?? 1) * Math.min(1.3, 0.5 + exteriorShare * 2)
}

function categoryFactor({ category, kind }: Subject): number {
  if (category === 'Normal') return 1
  if (category === 'Souvenir') return 1.6
  return kind === 'knife' ? 1.15 : kind === 'musicKit' ? 2.2 : 1.9
}

function categoryAbundance({ category }: Subject): number {
  return category === 'Normal' ? 1 : category === 'StatTrak™' ? 0.35 : 0.3
}

function phaseFactor({ phase }: Subject): number {
  return phase === null ? 1 : (PHASE_FACTORS[phase] ?? 1)
}
