// The platform names the colours of rarity differently for each kind of item.

export type RarityWords = 'weapon' | 'gloves' | 'agent' | 'other'

/** The game's rarity levels, as inspect tokens carry them, by the colour of the item list. */
export function rarityLevelOf(color: string | undefined): number {
  return LEVELS.get(color ?? '') ?? 1
}

export function rarityNameOf(level: number, words: RarityWords): string {
  return NAMES[words][level - 1] ?? 'Base Grade'
}

/** Six upper-case hex digits. */
export function colorOf(color: string | undefined): string {
  return (color ?? '#b0c3d9').slice(1).toUpperCase()
}

const LEVELS: ReadonlyMap<string, number> = new Map([
  ['#b0c3d9', 1],
  ['#5e98d9', 2],
  ['#4b69ff', 3],
  ['#8847ff', 4],
  ['#d32ce6', 5],
  ['#eb4b4b', 6],
  ['#e4ae39', 7],
])

const NAMES: Readonly<Record<RarityWords, readonly string[]>> = {
  weapon: [
    'Consumer Grade',
    'Industrial Grade',
    'Mil-Spec Grade',
    'Restricted',
    'Classified',
    'Covert',
    'Contraband',
  ],
  gloves: ['', '', '', '', '', 'Extraordinary', ''],
  agent: ['', '', 'Distinguished', 'Exceptional', 'Superior', 'Master', ''],
  other: [
    'Base Grade',
    'Base Grade',
    'High Grade',
    'Remarkable',
    'Exotic',
    'Extraordinary',
    'Contraband',
  ],
}
