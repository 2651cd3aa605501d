// Which team of the game can use an item. Weapons that one team alone can buy are few and fixed; agents
// belong to a faction, which their names end with.
import type { CatalogItem } from './item.ts'

export type Team = 'CT' | 'T' | 'any'

// https://counterstrike.fandom.com/wiki/Buy_menu: what each side's menu alone offers.
const WEAPONS: Readonly<Record<Exclude<Team, 'any'>, readonly string[]>> = {
  CT: [
    ...['USP-S', 'P2000', 'Five-SeveN', 'MP9', 'MAG-7', 'FAMAS', 'M4A4', 'M4A1-S', 'AUG'],
    'SCAR-20',
  ],
  T: ['Glock-18', 'Tec-9', 'MAC-10', 'Sawed-Off', 'Galil AR', 'AK-47', 'SG 553', 'G3SG1'],
}

const FACTIONS: readonly (readonly [ending: string, team: Team])[] = [
  ...['The Professionals', 'Elite Crew', 'Phoenix', 'Sabre', 'Sabre Footsoldier'].map(
    (faction) => [faction, 'T'] as const,
  ),
  ['Guerrilla Warfare', 'T'],
  ...['FBI', 'FBI SWAT', 'FBI HRT', 'FBI Sniper', 'SWAT', 'SAS', 'KSK', 'TACP', 'NZSAS'].map(
    (faction) => [faction, 'CT'] as const,
  ),
  ...['NSWC SEAL', 'SEAL Frogman', 'USAF TACP', 'TACP Cavalry', 'Gendarmerie Nationale'].map(
    (faction) => [faction, 'CT'] as const,
  ),
  ['Brazilian 1st Battalion', 'CT'],
]

const BY_WEAPON = new Map(
  (['CT', 'T'] as const).flatMap((team) => WEAPONS[team].map((weapon) => [weapon, team] as const)),
)
const BY_FACTION = new Map(FACTIONS)

export function teamOf({ weapon, name }: Pick<CatalogItem, 'weapon' | 'name'>): Team {
  const ofWeapon = weapon === null ? undefined : BY_WEAPON.get(weapon)
  if (ofWeapon !== undefined) return ofWeapon
  const faction = weapon === null ? name.split(' | ').at(-1) : undefined
  return BY_FACTION.get(faction ?? '') ?? 'any'
}
