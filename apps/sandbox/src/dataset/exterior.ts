// How a wear value becomes the name of an exterior, and which exteriors a finish can have.

export interface Exterior {
  readonly name: string
  /** A wear belongs here from `from` on, and below `to` (at `to` as well for the last one). */
  readonly from: number
  readonly to: number
  /** The ending of the picture that shows about this much wear. */
  readonly picture: 'light' | 'medium' | 'heavy'
}

export const EXTERIORS: readonly Exterior[] = [
  { name: 'Factory New', from: 0, to: 0.07, picture: 'light' },
  { name: 'Minimal Wear', from: 0.07, to: 0.15, picture: 'light' },
  { name: 'Field-Tested', from: 0.15, to: 0.38, picture: 'medium' },
  { name: 'Well-Worn', from: 0.38, to: 0.45, picture: 'medium' },
  { name: 'Battle-Scarred', from: 0.45, to: 1, picture: 'heavy' },
]

export function exteriorOf(wear: number): string {
  const found = EXTERIORS.find((exterior) => wear < exterior.to) ?? EXTERIORS[4]
  if (found === undefined) throw new Error('the table of exteriors is empty')
  return found.name
}

/** The exteriors that a finish of this range can have, each with the part of the range inside it. */
export function exteriorsWithin(
  range: readonly [number, number],
): readonly { readonly exterior: Exterior; readonly band: readonly [number, number] }[] {
  const [least, most] = range
  return EXTERIORS.flatMap((exterior) => {
    const low = Math.max(least, exterior.from)
    const high = Math.min(most, exterior.to)
    // A range that merely touches a border ('0 to 0.38') has no copies beyond it.
    return high - low > NARROWEST_BAND ? [{ exterior, band: [low, high] as const }] : []
  })
}

/**
 * A wear inside the band, as an exact float32. It keeps some millionths away from both ends: the
 * float32 next to a border can be on its other side, where readers would name another exterior,
 * and a number below a millionth is written with an exponent.
 */
export function wearWithin(band: readonly [number, number], share: number): number {
  const [low, high] = band
  return Math.fround(low + MARGIN + share * (high - low - 2 * MARGIN))
}

const NARROWEST_BAND = 1e-4
const MARGIN = 2e-6
