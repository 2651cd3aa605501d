// The colours and the pattern of a finish, by its name: a name that speaks of a colour has it, and each name
// has always the same.
import { hashOf } from '../dataset/random.ts'

export interface Finish {
  /** From the ground to what stands out. */
  readonly colours: readonly [string, string, string]
  readonly pattern: Pattern
}

const PATTERNS = ['plain', 'stripes', 'camouflage', 'facets', 'waves', 'dots', 'web'] as const
export type Pattern = (typeof PATTERNS)[number] | 'fade' | 'swirl' | 'panels'

type Rule = readonly [words: RegExp, pattern: Pattern | null, colours: Finish['colours']]

const RULES: readonly Rule[] = [
  [/ruby/i, 'swirl', ['#7d0f1c', '#e0243c', '#ff7a86']],
  [/sapphire/i, 'swirl', ['#10266e', '#2f6bf0', '#8ec5ff']],
  [/black pearl/i, 'swirl', ['#140f22', '#4a2a6e', '#9a7ad0']],
  [/emerald/i, 'swirl', ['#053d25', '#12a35c', '#7df0b4']],
  [/doppler.*phase 1/i, 'swirl', ['#2b1030', '#8a2050', '#e05a78']],
  [/doppler.*phase 2/i, 'swirl', ['#3b1050', '#d23ca0', '#ff9ad8']],
  [/doppler.*phase 3/i, 'swirl', ['#0f2348', '#1d7a8c', '#58d0b0']],
  [/doppler.*phase 4/i, 'swirl', ['#101a50', '#2a62d8', '#62b4ff']],
  [/doppler/i, 'swirl', ['#231040', '#6a2fb0', '#d46ae0']],
  [/marble fade/i, 'fade', ['#d8263c', '#f0c020', '#2a5ce0']],
  [/fade/i, 'fade', ['#e8b21e', '#d8307c', '#7a3ae0']],
  [/asiimov/i, 'panels', ['#f1f1ee', '#f07818', '#1c1c20']],
  [/redline/i, 'panels', ['#22242a', '#c8202c', '#5a5e68']],
  [/case hardened/i, 'camouflage', ['#c8a04a', '#3a6cd0', '#8a6a9a']],
  [/crimson web/i, 'web', ['#a01420', '#3a0a10', '#d84050']],
  [/tiger tooth/i, 'stripes', ['#e0a818', '#f8d860', '#a87008']],
  [/slaughter/i, 'camouflage', ['#98101c', '#d8303c', '#5a0810']],
  [/hyper beast|neon/i, 'waves', ['#1c3a6c', '#20d0b0', '#f04a8c']],
  [/dragon/i, 'waves', ['#8a6a3a', '#e07828', '#3a5a30']],
  [/printstream/i, 'panels', ['#f4f4f8', '#16161c', '#b8a8f0']],
  [/blaze|fire|flame|inferno|lava/i, 'waves', ['#2a1410', '#e85010', '#ffc030']],
  [/gold|amber|brass/i, null, ['#8a6414', '#d8a828', '#f8e08a']],
  [/crimson|blood|scarlet|\bred\b/i, null, ['#6a0c18', '#c82030', '#f08a90']],
  [/ocean|water|sea|aqua|cobalt|\bblue\b/i, null, ['#0c2c5c', '#1c78c8', '#8ad0f8']],
  [/ice|frost|snow|arctic|\bwhite\b/i, null, ['#b8ccd8', '#e8f0f4', '#7aa0b8']],
  [/forest|jungle|moss|vine|\bgreen\b/i, 'camouflage', ['#2c3e20', '#5a7a34', '#8aa060']],
  [/sand|desert|dune|safari|tan\b/i, 'camouflage', ['#8a7450', '#c0a878', '#5c4a30']],
  [/night|shadow|midnight|\bblack\b|carbon/i, null, ['#16181e', '#3a4050', '#6a748a']],
  [/violet|purple|ultra/i, null, ['#341858', '#7a3cc0', '#c89af0']],
  [/pink|rose|sakura|cherry/i, null, ['#8a2050', '#e86aa0', '#ffd0e4']],
  [/orange|copper|rust/i, null, ['#6a3010', '#d0702c', '#f0b080']],
]

export function finishOf(name: string): Finish {
  const chance = hashOf(name)
  const rule = RULES.find(([words]) => words.test(name))
  return {
    colours: rule?.[2] ?? threeOf(chance % 360, chance),
    pattern: rule?.[1] ?? (PATTERNS[(chance >>> 9) % PATTERNS.length] as Pattern),
  }
}

/** A hue, darker and lighter, with one across the circle. */
function threeOf(hue: number, chance: number): Finish['colours'] {
  const other = (hue + 120 + ((chance >>> 5) % 120)) % 360
  return [`hsl(${hue},38%,26%)`, `hsl(${hue},58%,50%)`, `hsl(${other},62%,64%)`]
}
