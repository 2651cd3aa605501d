/**
 * A decimal with at most two places in hundredths: cents of dollars, basis points of percent. NaN for
 * anything else, which the service refuses with the name of the field.
 */
export function hundredthsOf(text: string): number {
  const [, whole = '', places = ''] = /^(\d{1,12})(?:\.(\d{1,2}))?$/.exec(text) ?? []
  return whole === '' ? Number.NaN : Number(whole + places.padEnd(2, '0'))
}

/** The other way: of basis points in percent, of cents in dollars. */
export const ofHundred = (hundredths: number): string => (hundredths / 100).toFixed(2)
