// What a language is made of, and which one a reader gets.
import type { en } from './en.ts'

/** Any texts in the places of the English ones: a language that lacks one does not compile. */
type Widened<T> = T extends string
  ? string
  : T extends (...values: infer Values) => infer Text
    ? (...values: Values) => Widened<Text>
    : { readonly [Name in keyof T]: Widened<T[Name]> }

export type Texts = Widened<typeof en>

/** Only `language` makes one, so that the file of a language is checked where it is written. */
export interface Language {
  readonly texts: Texts
  readonly isChecked: typeof CHECKED
}
const CHECKED: unique symbol = Symbol('checked')

/** The default export of a file in languages/, which is named by its tag (BCP 47), such as `de.ts`. */
export const language = (texts: Texts): Language => ({ texts, isChecked: CHECKED })

export interface Choice {
  /** The tag of the catalogue. */
  readonly language: string
  /** How dates and numbers are written: of a reader's region where the language has several. */
  readonly locale: string
}

/**
 * The catalogue for a reader: the one that was set, else the first of the preferred languages that is known,
 * else the first known one. A tag without a region serves readers of every region.
 */
export function chooseLanguage(
  known: readonly [string, ...string[]],
  reader: { readonly setting: string | null; readonly preferred: readonly string[] },
): Choice {
  const find = (tag: string): string | undefined =>
    known.find((each) => each === tag) ?? known.find((each) => each === baseOf(tag))
  const set = known.find((each) => each === reader.setting)
  for (const tag of reader.preferred) {
    const found = find(tag)
    if (found !== undefined && (set === undefined || found === set) && isLocale(tag)) {
      return { language: found, locale: tag }
    }
  }
  const language = set ?? known[0]
  return { language, locale: language }
}

/** Some systems name a locale in another form, which `Intl` refuses. */
const isLocale = (tag: string): boolean => {
  try {
    return Intl.getCanonicalLocales(tag).length === 1
  } catch {
    return false
  }
}

const baseOf = (tag: string): string | undefined => tag.split('-', 1)[0]?.toLowerCase()
