// What a list can be filtered by. A filter's state is the search parameters of the page, in the interface's
// own syntax, so that every state of a list is an address.
import { ApiError } from '../../api/call.ts'
import { locale, once } from '../../texts/texts.ts'

export type Filter =
  | {
      readonly kind: 'choice'
      readonly name: string
      readonly label: string
      /** Shown words by wire value. */
      readonly options: Readonly<Record<string, string>>
      /** The interface takes several, separated by commas. */
      readonly many?: boolean
    }
  | { readonly kind: 'text'; readonly name: string; readonly label: string; readonly hint?: string }
  /** The parameters `from` and `to`, ISO 8601. */
  | { readonly kind: 'time'; readonly label: string }

type Search = Readonly<Record<string, string | undefined>>

export const choice = (
  name: string,
  label: string,
  options: Readonly<Record<string, string>>,
  { many = false }: { readonly many?: boolean } = {},
): Filter => ({ kind: 'choice', name, label, options, many })

export const text = (name: string, label: string, hint?: string): Filter => ({
  ...{ kind: 'text', name, label },
  ...(hint !== undefined && { hint }),
})

export const time = (label: string): Filter => ({ kind: 'time', label })

export const namesOf = (filter: Filter): readonly string[] =>
  filter.kind === 'time' ? ['from', 'to'] : [filter.name]

/** Only what a filter of the list names: other parameters of an address never reach the interface. */
export const queryOf = (filters: readonly Filter[], search: Search): Record<string, string> =>
  Object.fromEntries(
    filters
      .flatMap(namesOf)
      .flatMap((name) => (search[name] ? [[name, search[name]] as const] : [])),
  )

const days = once(() => new Intl.DateTimeFormat(locale, { dateStyle: 'medium' }))

/** What the filter's button shows beside its label; null when it is not set. */
export function shownValue(
  filter: Filter,
  search: Search,
  words: { since(text: string): string; until(text: string): string },
): string | null {
  if (filter.kind === 'text') return search[filter.name] ?? null
  if (filter.kind === 'choice') {
    const value = search[filter.name]
    if (!value) return null
    return value
      .split(',')
      .map((each) => filter.options[each] ?? each)
      .join(', ')
  }
  const { from, to } = search
  const day = (at: string): string =>
    Number.isNaN(Date.parse(at)) ? at : days().format(new Date(at))
  if (from && to) return `${day(from)} – ${day(to)}`
  if (from) return words.since(day(from))
  return to ? words.until(day(to)) : null
}

/** What was refused is the filters: a list sends nothing else of its address. */
export const isBadFilter = (error: unknown): boolean =>
  error instanceof ApiError && error.key === 'VALIDATION_FAILED'
