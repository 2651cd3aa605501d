// The texts of this page, in the reader's language. A file in languages/ adds one: it is loaded when it is
// chosen, English is always there. Whatever imports from here is evaluated when the texts have arrived. Areas
// that the first page does not show have files of their own beside this one: their English comes with their
// pages.
import { chooseLanguage, type Language, type Texts } from './catalogue.ts'
import { shared } from './en/shared.ts'
import { isolating } from './foreign.ts'
import { setLocale } from './locale.ts'

const FILES = import.meta.glob<Language>('./languages/*.ts', { import: 'default' })
const TAG = /([\w-]+)\.ts$/
const loaders = new Map(
  Object.entries(FILES).map(([path, load]) => [TAG.exec(path)?.[1] ?? path, load]),
)
const KEY = 'tradepost-language'

/** The tags that a reader can choose from. */
export const languages: readonly [string, ...string[]] = ['en', ...loaders.keys()]

export const choice = chooseLanguage(languages, {
  setting: localStorage.getItem(KEY),
  preferred: navigator.languages,
})
setLocale(choice.locale)
document.documentElement.lang = choice.language

/** Null for English, and for a language that cannot be loaded: the English texts are better than none. */
const chosen: Texts | null = await load(choice.language)

export const texts: Pick<Texts, keyof typeof shared> = isolating(chosen ?? shared)

type Area = Exclude<keyof Texts, keyof typeof shared>

/** The texts of an area in the reader's language. */
export const areaOf = <Name extends Area>(name: Name, english: Texts[Name]): Texts[Name] =>
  isolating(chosen?.[name] ?? english)

async function load(tag: string): Promise<Texts | null> {
  const loaded = await loaders
    .get(tag)?.()
    .catch(() => null)
  return loaded?.texts ?? null
}

/** The pages are loaded anew in it. */
export function setLanguage(tag: string): void {
  localStorage.setItem(KEY, tag)
  window.location.reload()
}

export { formatCount, formatPercent, locale, once } from './locale.ts'
