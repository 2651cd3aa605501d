// How the charts of an overview name their hours and days, which are those of UTC.
import { texts } from '../../texts/texts.ts'

const { overview: words } = texts

/** `Intl.DateTimeFormat` writes the same, but loading it is a tenth of the time until the page is there. */
export function labelOf(at: string, unit: 'hour' | 'day'): string {
  const time = new Date(at)
  if (unit === 'hour') return words.hourOf(time.getUTCHours())
  return words.dayOf(time.getUTCDate(), words.months[time.getUTCMonth()] ?? '')
}
