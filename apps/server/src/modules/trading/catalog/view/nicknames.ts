// Words under which people ask for an item beside those of its name. They find what no name has as typed.
import type { CatalogItem } from '../item.ts'
import { wordsOf } from './words.ts'

const OF_WEAPONS: ReadonlyMap<string, readonly string[]> = new Map([['Desert Eagle', ['deagle']]])

/** Words alone: "ft" is Field-Tested, and the "ft" of "craft" is nothing. */
export function nicknamesOf({
  itemType,
  category,
  weapon,
  exterior,
  phase,
}: CatalogItem): string[] {
  return [
    // "knife" for a Karambit, "sniper" for an AWP.
    ...wordsOf(itemType),
    ...(category === 'StatTrak™' ? ['st', 'trak'] : []),
    ...(OF_WEAPONS.get(weapon ?? '') ?? []),
    ...initials(exterior ?? ''),
    ...initials(phase ?? ''),
  ]
}

/** What of an item is searched beside its whole name: also "ssg08" for SSG 08, "phase2" for Phase 2. */
export const otherTextOf = ({ name, phase, weapon }: CatalogItem): string =>
  [name, phase, joined(weapon ?? ''), joined(phase ?? '')].join(' ')

const joined = (text: string): string => wordsOf(text).join('')

/** "ft" for Field-Tested, "p2" for Phase 2; a word alone has none. */
function initials(text: string): string[] {
  const words = wordsOf(text)
  return words.length > 1 ? [words.map((word) => word.charAt(0)).join('')] : []
}
