// Doppler finishes come in phases that differ in price by a factor of ten. Markets spell them in a
// column, in the name, or in both.

const PHASES = [
  'Phase 1',
  'Phase 2',
  'Phase 3',
  'Phase 4',
  'Ruby',
  'Sapphire',
  'Black Pearl',
  'Emerald',
] as const

const BY_SPELLING: ReadonlyMap<string, string> = new Map(
  PHASES.map((phase) => [spelling(phase), phase]),
)

function spelling(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]/g, '')
}

/** 'phase3', 'Phase 3' and 'Doppler Phase 3' are one phase; null for anything that is none. */
export function phaseOf(text: string | null): string | null {
  if (text === null) return null
  const plain = spelling(text).replace(/^(gamma)?doppler/, '')
  return BY_SPELLING.get(plain) ?? null
}

/** Whether listings of this name differ by phase. */
export const hasPhases = (marketHashName: string): boolean => /\bDoppler\b/.test(marketHashName)

const PHASE_IN_NAME = new RegExp(`^(.*\\bDoppler) (${PHASES.join('|')})(?= \\(|$)`)

/** Takes a phase out of a name that carries one: the platform's own names never do. */
export function splitPhase(name: string): {
  readonly marketHashName: string
  readonly phase: string | null
} {
  const match = PHASE_IN_NAME.exec(name)
  if (!match) return { marketHashName: name, phase: null }
  const [whole, plain = '', phase = ''] = match
  return { marketHashName: plain + name.slice(whole.length), phase }
}
