/** A parsed query string: a repeated name gives a list. */
export type Query = Readonly<Record<string, string | readonly string[] | undefined>>

/** The last value of a name, as PHP and most frameworks take it; empty counts as absent. */
export function one(query: Query, name: string): string | undefined {
  const value = query[name]
  const last = typeof value === 'string' ? value : value?.at(-1)
  return last === '' ? undefined : last
}

/** All values of a name that may be repeated. */
export function many(query: Query, ...names: readonly string[]): readonly string[] {
  return names.flatMap((name) => query[name] ?? []).filter((value) => value !== '')
}

/** A whole number of at most 12 digits; null when it is something else, undefined when absent. */
export function integer(query: Query, name: string): number | null | undefined {
  const value = one(query, name)
  if (value === undefined) return undefined
  return /^\d{1,12}$/.test(value) ? Number(value) : null
}
