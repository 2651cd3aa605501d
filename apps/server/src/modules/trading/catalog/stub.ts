// An item of which a market's name is all that is known: for sale from the second read in which the name is
// seen, whole with the next import that names it. What can be said of it follows from the form of its name.
import { type Category, exteriorOf, itemIdOf } from './item.ts'

/** As a market spells it. */
export interface UnknownName {
  readonly marketHashName: string
  readonly phase: string | null
}

export interface StubItem extends UnknownName {
  readonly id: string
  readonly name: string
  readonly itemType: string
  readonly weapon: string | null
  readonly category: Category
  readonly exterior: string | null
}

const WEAPONS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    Pistol:
      'Glock-18,P2000,USP-S,P250,Five-SeveN,CZ75-Auto,Tec-9,Dual Berettas,Desert Eagle,R8 Revolver',
    SMG: 'MAC-10,MP9,MP7,MP5-SD,UMP-45,P90,PP-Bizon',
    Rifle: 'AK-47,M4A4,M4A1-S,Galil AR,FAMAS,AUG,SG 553',
    'Sniper Rifle': 'AWP,SSG 08,SCAR-20,G3SG1',
    Shotgun: 'Nova,XM1014,MAG-7,Sawed-Off',
    Machinegun: 'M249,Negev',
    Equipment: 'Zeus x27',
  }).flatMap(([type, names]) => names.split(',').map((name) => [name, type] as const)),
)

/** What no weapon is, by how its name begins or ends. */
const FORMS: readonly (readonly [RegExp, string])[] = [
  [/^Sticker \| /, 'Sticker'],
  [/^(Souvenir )?Charm \| |^Sticker Slab \| /, 'Charm'],
  [/^Patch \| /, 'Patch'],
  [/^(Sealed )?Graffiti \| /, 'Graffiti'],
  [/^Music Kit \| /, 'Music Kit'],
  [/ Pin$/, 'Collectible'],
  [/ Key$/, 'Key'],
  [/ (Case|Capsule|Package|Terminal|Box)( \d+)?$/, 'Container'],
  [/ \| /, 'Agent'],
]

const EXTERIORS = new Set([0, 0.07, 0.15, 0.38, 0.45].map(exteriorOf))

export function stubOf({ marketHashName, phase }: UnknownName): StubItem {
  const [, front = marketHashName, end = ''] = /^(.+) \(([^()]+)\)$/.exec(marketHashName) ?? []
  const exterior = EXTERIORS.has(end) ? end : null
  const name = exterior === null ? marketHashName : front
  const [, star, mark, plain = name] = /^(★ )?(StatTrak™ |Souvenir )?(.+)$/.exec(name) ?? []
  const [model = plain] = plain.split(' | ')
  const isCarried = star !== undefined || WEAPONS.has(model)
  const itemType = star === undefined ? typeOf(plain, model) : typeOfStarred(model)
  // A box of them, or a package of souvenirs, is none itself.
  const isMarked = isCarried || itemType === 'Music Kit'
  return {
    id: itemIdOf(marketHashName, phase),
    ...{ marketHashName, phase, name, exterior, itemType },
    weapon: isCarried ? model : null,
    category: isMarked ? categoryOf(mark) : 'Normal',
  }
}

const typeOfStarred = (model: string): string =>
  /\b(Gloves|Wraps)$/.test(model) ? 'Gloves' : 'Knife'

const typeOf = (plain: string, model: string): string =>
  WEAPONS.get(model) ?? FORMS.find(([form]) => form.test(plain))?.[1] ?? 'Other'

const categoryOf = (mark: string | undefined): Category =>
  mark === 'StatTrak™ ' ? 'StatTrak™' : mark === 'Souvenir ' ? 'Souvenir' : 'Normal'
