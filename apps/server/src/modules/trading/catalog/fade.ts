// How much of a fade's pattern a copy shows, from its paint seed.
import {
  AcidFadeCalculator,
  AmberFadeCalculator,
  FadeCalculator,
} from 'csgo-fade-percentage-calculator'

interface FadeSource {
  getSupportedWeapons(): readonly unknown[]
  getFadePercentages(weapon: string): readonly { seed: number; percentage: number }[]
}

const FINISHES: readonly (readonly [ending: string, source: FadeSource])[] = [
  ['| Fade', FadeCalculator],
  ['| Amber Fade', AmberFadeCalculator],
  ['| Acid Fade', AcidFadeCalculator],
]

/**
 * Percentage, or null for what is not a fade. One answer of the calculator takes 4 ms, because it ranks
 * all seeds each time; so a weapon's seeds are calculated once, when the first copy of it is shown.
 */
export function fadeOf(
  marketHashName: string,
  weapon: string | null,
  seed: number | null,
): number | null {
  if (weapon === null || seed === null || !marketHashName.includes('Fade')) return null
  const finish = marketHashName.replace(/ \([^()]*\)$/, '')
  const source = FINISHES.find(([ending]) => finish.endsWith(ending))?.[1]
  if (source === undefined) return null
  return tableOf(source, weapon).get(seed) ?? null
}

const tables = new Map<FadeSource, Map<string, ReadonlyMap<number, number>>>()

function tableOf(source: FadeSource, weapon: string): ReadonlyMap<number, number> {
  let ofSource = tables.get(source)
  if (ofSource === undefined) {
    ofSource = new Map(source.getSupportedWeapons().map((name) => [String(name), new Map()]))
    tables.set(source, ofSource)
  }
  let table = ofSource.get(weapon)
  if (table === undefined) return new Map()
  if (table.size === 0) {
    table = new Map(source.getFadePercentages(weapon).map((row) => [row.seed, row.percentage]))
    ofSource.set(weapon, table)
  }
  return table
}
