// The texts of this page, in the reader's language. A file in languages/ adds one: it is loaded when it is
// chosen, English is always there. Whatever imports from here is evaluated when the texts have arrived.
import { chooseLanguage, type Language, type Texts } from './catalogue.ts'
import { en } from './en.ts'
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

export const texts: Texts = await load(choice.language)

/** Of a language that cannot be loaded the English texts are better than none. */
async function load(tag: string): Promise<Texts> {
  const loaded = await loaders
    .get(tag)?.()
    .catch(() => null)
  return loaded?.texts ?? en
}

/** The pages are loaded anew in it. */
export function setLanguage(tag: string): void {
  localStorage.setItem(KEY, tag)
  window.location.reload()
}

export { formatCount, formatPercent, locale } from './locale.ts'
