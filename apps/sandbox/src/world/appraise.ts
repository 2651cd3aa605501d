import type { Kind } from './kind.ts'
import { hashOf, randomOf, STREAM } from './random.ts'

// What a thing is worth and how much of it is about. Invented, but with the shape of the real
// market: most things cost cents, a few thousands of dollars, and the two hardly ever trade alike.
// It follows from the names alone, never from the world's seed, so that examples stay true.

export interface Subject {
  readonly kind: Kind
  /** The name without category and exterior: 'AK-47 | Redline', 'Sticker | Crown (Foil)'. */
  readonly family: string
  readonly weapon: string | null
  readonly finish: string | null
  readonly exterior: string | null
  /** How much of the finish's whole range of wear lies in this exterior, 0 to 1. */
  readonly exteriorShare: number
  readonly category: 'Normal' | 'Souvenir' | 'StatTrak™'
  readonly phase: string | null
  readonly rarityLevel: number
}

export interface Appraisal {
  readonly referencePriceMills: number
  /** How many copies are offered, against other items; the scale is set by the world. */
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
  const familyFame = Math.exp(ofFamily.normal() * 0.75) * (isKnown ? 4 : 1)
  const abundance =
    ABUNDANCE[subject.kind] *
    familyFame *
    Math.exp(ofItem.normal() * 0.6) *
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

const SPREADS: Readonly<Record<Kind, number>> = {
  weapon: 0.85,
  knife: 0.12,
  gloves: 0.6,
  sticker: 0.8,
  charm: 0.9,
  agent: 0.5,
  case: 1.1,
  capsule: 1.1,
  souvenirPackage: 1.2,
  musicKit: 0.5,
  graffiti: 0.7,
  patch: 0.6,
  pin: 0.9,
  tool: 0.1,
}
const ABUNDANCE: Readonly<Record<Kind, number>> = {
  weapon: 2,
  knife: 2.2,
  gloves: 3,
  sticker: 0.7,
  charm: 9,
  agent: 14,
  case: 70,
  capsule: 4,
  souvenirPackage: 2,
  musicKit: 4,
  graffiti: 0.3,
  patch: 1.5,
  pin: 4,
  tool: 40,
}

// By rarity level; 0 is unused.
const WEAPON_DOLLARS: readonly number[] = [0, 0.06, 0.16, 0.5, 2.2, 8, 38, 3000]
const STICKER_DOLLARS: readonly number[] = [0, 0.1, 0.1, 0.18, 0.7, 1.4, 5, 400]
const AGENT_DOLLARS: readonly number[] = [0, 1, 1, 2.2, 4, 8, 20, 20]
const SMALL_THINGS: readonly number[] = [0, 0.06, 0.1, 0.25, 1.2, 4, 18, 60]
const PLAIN_DOLLARS = {
  case: 1.6,
  capsule: 2.5,
  souvenirPackage: 9,
  musicKit: 4,
  pin: 9,
  tool: 1.4,
} as const

const EXTERIOR_FACTORS: Readonly<Record<string, number>> = {
  'Factory New': 1.75,
  'Minimal Wear': 1.2,
  'Field-Tested': 0.95,
  'Well-Worn': 0.88,
  'Battle-Scarred': 0.8,
}
const EXTERIOR_ABUNDANCE: Readonly<Record<string, number>> = {
  'Factory New': 0.9,
  'Minimal Wear': 1.1,
  'Field-Tested': 1.5,
  'Well-Worn': 0.6,
  'Battle-Scarred': 0.8,
}
const PHASE_FACTORS: Readonly<Record<string, number>> = {
  'Phase 1': 0.95,
  'Phase 2': 1.1,
  'Phase 3': 0.97,
  'Phase 4': 1.03,
  Ruby: 3.4,
  Sapphire: 3.8,
  'Black Pearl': 2.9,
  Emerald: 4.2,
}
const GEMS: ReadonlySet<string> = new Set(['Ruby', 'Sapphire', 'Black Pearl', 'Emerald'])

const WEAPON_FAME: ReadonlyMap<string, number> = new Map([
  ['AK-47', 3],
  ['AWP', 2.8],
  ['M4A1-S', 2.4],
  ['M4A4', 2.2],
  ['Desert Eagle', 2],
  ['USP-S', 2],
  ['Glock-18', 2],
  ['P250', 1],
  ['Five-SeveN', 0.9],
  ['MAC-10', 0.9],
  ['MP9', 0.9],
  ['SSG 08', 0.9],
])

const KNIFE_DOLLARS: ReadonlyMap<string, number> = new Map([
  ['Butterfly Knife', 900],
  ['Karambit', 780],
  ['M9 Bayonet', 640],
  ['Talon Knife', 420],
  ['Skeleton Knife', 400],
  ['Bayonet', 300],
  ['Kukri Knife', 170],
  ['Stiletto Knife', 260],
  ['Flip Knife', 230],
  ['Ursus Knife', 200],
  ['Nomad Knife', 220],
  ['Classic Knife', 190],
  ['Huntsman Knife', 160],
  ['Bowie Knife', 150],
  ['Paracord Knife', 140],
  ['Survival Knife', 140],
  ['Falchion Knife', 130],
  ['Gut Knife', 110],
  ['Shadow Daggers', 95],
  ['Navaja Knife', 90],
])
const KNIFE_FINISHES: ReadonlyMap<string, number> = new Map([
  ['Vanilla', 1.25],
  ['Fade', 1.7],
  ['Marble Fade', 1.6],
  ['Doppler', 1.4],
  ['Gamma Doppler', 1.5],
  ['Lore', 1.35],
  ['Tiger Tooth', 1.3],
  ['Slaughter', 1.2],
  ['Crimson Web', 1.2],
  ['Autotronic', 1.15],
  ['Case Hardened', 1.15],
  ['Blue Steel', 0.95],
  ['Black Laminate', 0.9],
  ['Freehand', 0.85],
  ['Night', 0.8],
  ['Bright Water', 0.8],
  ['Damascus Steel', 0.85],
  ['Stained', 0.8],
  ['Ultraviolet', 0.8],
  ['Rust Coat', 0.7],
  ['Night Stripe', 0.65],
  ['Boreal Forest', 0.55],
  ['Forest DDPAT', 0.55],
  ['Urban Masked', 0.55],
  ['Scorched', 0.52],
  ['Safari Mesh', 0.5],
])
const GLOVE_DOLLARS: ReadonlyMap<string, number> = new Map([
  ['Sport Gloves', 420],
  ['Specialist Gloves', 260],
  ['Moto Gloves', 180],
  ['Driver Gloves', 150],
  ['Hand Wraps', 160],
  ['Broken Fang Gloves', 80],
  ['Hydra Gloves', 75],
  ['Bloodhound Gloves', 80],
])

const TREATMENTS: ReadonlyMap<string, number> = new Map([
  ['Glitter', 0.5],
  ['Embroidered', 0.8],
  ['Holo', 1.4],
  ['Foil', 1.1],
  ['Lenticular', 1.6],
  ['Gold', 1.5],
])
const EVENTS: ReadonlyMap<string, number> = new Map([
  ['Katowice 2014', 220],
  ['Cologne 2014', 25],
  ['DreamHack 2014', 22],
  ['Katowice 2015', 28],
  ['Cologne 2015', 7],
  ['Cluj-Napoca 2015', 5],
  ['MLG Columbus 2016', 5],
  ['Cologne 2016', 4],
  ['Atlanta 2017', 5],
  ['Krakow 2017', 4],
  ['Boston 2018', 2.5],
  ['London 2018', 2.2],
  ['Katowice 2019', 1.8],
  ['Berlin 2019', 1.3],
  ['2020 RMR', 1],
  ['Stockholm 2021', 0.5],
  ['Antwerp 2022', 0.4],
  ['Rio 2022', 0.35],
  ['Paris 2023', 0.22],
  ['Copenhagen 2024', 0.2],
  ['Shanghai 2024', 0.2],
  ['Austin 2025', 0.2],
  ['Budapest 2025', 0.25],
])

/** Dollars: new cases fall from the sky each week, old ones get fewer with every opening. */
const KNOWN_CASES: ReadonlyMap<string, number> = new Map([
  ['CS:GO Weapon Case', 92],
  ['eSports 2013 Case', 60],
  ['Operation Bravo Case', 54],
  ['Operation Hydra Case', 31],
  ['CS:GO Weapon Case 2', 21],
  ['Glove Case', 12.5],
  ['CS:GO Weapon Case 3', 11],
  ['Operation Riptide Case', 9.4],
  ['Operation Broken Fang Case', 6.8],
  ['Chroma Case', 5.1],
  ['Gamma Case', 3.3],
  ['Spectrum 2 Case', 3.1],
  ['Dreams & Nightmares Case', 1.35],
  ['Danger Zone Case', 1.1],
  ['CS20 Case', 0.95],
  ['Prisma 2 Case', 0.9],
  ['Clutch Case', 0.85],
  ['Fever Case', 0.7],
  ['Revolution Case', 0.5],
  ['Kilowatt Case', 0.48],
  ['Recoil Case', 0.42],
  ['Snakebite Case', 0.4],
  ['Fracture Case', 0.38],
])

/** Dollars of a middling copy of finishes that everybody knows: they trade most, too. */
const KNOWN_FINISHES: ReadonlyMap<string, number> = new Map([
  ['AWP | Dragon Lore', 5200],
  ['AWP | Gungnir', 5000],
  ['AK-47 | Wild Lotus', 4300],
  ['M4A4 | Howl', 3600],
  ['AWP | The Prince', 2600],
  ['AWP | Medusa', 2200],
  ['M4A1-S | Knight', 1100],
  ['Glock-18 | Fade', 1050],
  ['AWP | Fade', 800],
  ['AK-47 | Gold Arabesque', 1200],
  ['M4A1-S | Welcome to the Jungle', 700],
  ['AK-47 | Fire Serpent', 750],
  ['AWP | Desert Hydra', 850],
  ['AK-47 | Hydroponic', 480],
  ['M4A1-S | Hot Rod', 620],
  ['AK-47 | X-Ray', 420],
  ['M4A4 | Poseidon', 700],
  ['Desert Eagle | Blaze', 340],
  ['AK-47 | Case Hardened', 150],
  ['AK-47 | Vulcan', 140],
  ['AK-47 | Bloodsport', 70],
  ['AK-47 | Fuel Injector', 80],
  ['AK-47 | The Empress', 55],
  ['AK-47 | Neon Rider', 40],
  ['AK-47 | Asiimov', 34],
  ['AK-47 | Redline', 27],
  ['AK-47 | Ice Coaled', 11],
  ['AK-47 | Slate', 5.5],
  ['AK-47 | Blue Laminate', 6],
  ['AWP | Asiimov', 115],
  ['AWP | Printstream', 45],
  ['AWP | Hyper Beast', 32],
  ['AWP | Neo-Noir', 33],
  ['AWP | Chromatic Aberration', 22],
  ['AWP | Atheris', 6.5],
  ['AWP | Redline', 36],
  ['M4A4 | Asiimov', 72],
  ['M4A4 | Neo-Noir', 36],
  ['M4A4 | The Emperor', 26],
  ['M4A4 | Temukau', 30],
  ['M4A4 | Desolate Space', 14],
  ['M4A1-S | Printstream', 95],
  ['M4A1-S | Hyper Beast', 28],
  ['M4A1-S | Golden Coil', 38],
  ['M4A1-S | Decimator', 13],
  ['M4A1-S | Nightmare', 9],
  ['Desert Eagle | Printstream', 42],
  ['Desert Eagle | Kumicho Dragon', 18],
  ['Desert Eagle | Code Red', 30],
  ['USP-S | Kill Confirmed', 48],
  ['USP-S | Printstream', 38],
  ['USP-S | Neo-Noir', 22],
  ['USP-S | Cortex', 6],
  ['USP-S | Orion', 55],
  ['Glock-18 | Water Elemental', 7],
  ['Glock-18 | Vogue', 5],
  ['Glock-18 | Gamma Doppler', 60],
  ['P90 | Asiimov', 9],
  ['P250 | Asiimov', 6],
  ['Five-SeveN | Hyper Beast', 9],
  ['MAC-10 | Neon Rider', 5],
])
