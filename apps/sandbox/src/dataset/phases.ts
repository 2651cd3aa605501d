// The Doppler phases. The game knows no phase: it has one paint index for each look, and players
// gave them names. Some knives got indexes of their own where the pattern was redrawn for them.

const PHASE_OF_PAINT_INDEX: ReadonlyMap<number, string> = new Map([
  // Doppler
  [415, 'Ruby'],
  [416, 'Sapphire'],
  [417, 'Black Pearl'],
  [418, 'Phase 1'],
  [419, 'Phase 2'],
  [420, 'Phase 3'],
  [421, 'Phase 4'],
  // Doppler redrawn for the Butterfly Knife and the Shadow Daggers
  [617, 'Black Pearl'],
  [618, 'Phase 2'],
  [619, 'Sapphire'],
  // Doppler redrawn for the Talon Knife
  [852, 'Phase 1'],
  [853, 'Phase 2'],
  [854, 'Phase 3'],
  [855, 'Phase 4'],
  // Gamma Doppler
  [568, 'Emerald'],
  [569, 'Phase 1'],
  [570, 'Phase 2'],
  [571, 'Phase 3'],
  [572, 'Phase 4'],
  // Gamma Doppler of the Glock-18
  [1119, 'Emerald'],
  [1120, 'Phase 1'],
  [1121, 'Phase 2'],
  [1122, 'Phase 3'],
  [1123, 'Phase 4'],
])

export function phaseOf(paintIndex: number): string | null {
  return PHASE_OF_PAINT_INDEX.get(paintIndex) ?? null
}
