import {
  AcidFadeCalculator,
  AmberFadeCalculator,
  FadeCalculator,
} from 'csgo-fade-percentage-calculator'

interface FadeSource {
  getSupportedWeapons(): readonly unknown[]
  getFadePercentages(weapon: string): readonly { readonly percentage: number }[]
}

const CALCULATORS: ReadonlyMap<string, FadeSource> = new Map([
  ['Fade', FadeCalculator],
  ['Amber Fade', AmberFadeCalculator],
  ['Acid Fade', AcidFadeCalculator],
])
const tables = new Map<string, readonly number[]>()

/**
 * The percentage (80 to 100) of each paint seed, by its position; null where the finish is no fade.
 * Gloves have a finish of that name too, but no computation of their pattern is known.
 */
export function fadePercentagesOf(weapon: string, finish: string): readonly number[] | null {
  const calculator = CALCULATORS.get(finish)
  if (calculator === undefined || !calculator.getSupportedWeapons().includes(weapon)) return null
  // The calculator makes the whole table at each call, so its result is cached.
  const key = `${weapon} | ${finish}`
  const known = tables.get(key)
  if (known !== undefined) return known
  const table = calculator.getFadePercentages(weapon).map(({ percentage }) => percentage)
  tables.set(key, table)
  return table
}
