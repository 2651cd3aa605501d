// How the operator's commands answer: a table for people, JSON for programs.

export type Row = Readonly<Record<string, unknown>>

/** Columns as wide as their widest cell; the last one is not padded. */
export function table(rows: readonly Row[], columns: readonly string[]): string {
  const cells = rows.map((row) => columns.map((column) => cellOf(row[column])))
  const widths = columns.map((column, at) =>
    Math.max(column.length, ...cells.map((line) => line[at]?.length ?? 0)),
  )
  const line = (parts: readonly string[]): string =>
    parts
      .map((part, at) => (at === parts.length - 1 ? part : part.padEnd(widths[at] ?? 0)))
      .join('  ')
      .trimEnd()
  return [line(columns), ...cells.map(line)].join('\n')
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (value instanceof Date) return value.toISOString()
  return onOneLine(typeof value === 'object' ? compact(value) : String(value))
}

/**
 * Texts of others, safe to print: what moves a cursor, changes a colour or the direction of reading stands
 * as its code (`\\u001b`, which in JSON is the same text). Line breaks stay.
 */
export const printable = (text: string): string => text.replace(UNPRINTABLE, escapeOf)

/** The same for a cell: a line break would begin another row. */
const onOneLine = (text: string): string => printable(text).replaceAll('\n', '\\n')

// Control characters but line breaks, marks and overrides of direction, line and paragraph separators.
const UNPRINTABLE = /(?!\n)[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu

const escapeOf = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Details on one line: `orderId=17 state=hold`. What is null is left out. */
export const compact = (details: object): string =>
  Object.entries(details)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${name}=${spelled(value)}`)
    .join(' ')

export const spelled = (value: unknown): string =>
  typeof value === 'object' ? json(value) : String(value)

/** An entry, a case or a line as its JSON names things: `facts`, as in the dashboard's API. */
export const withFacts = <Entry extends { readonly details: unknown }>({
  details,
  ...rest
}: Entry): Omit<Entry, 'details'> & { readonly facts: Entry['details'] } => ({
  ...rest,
  facts: details,
})

/** Money and ids that are bigint are spelled out. */
export const json = (value: unknown, indent?: number): string =>
  JSON.stringify(
    value,
    (_key, part: unknown) => (typeof part === 'bigint' ? String(part) : part),
    indent,
  )

/** `3 d 4 h`, `12 min`, `40 s`. */
export function ageOf(since: Date, now: Date): string {
  const seconds = Math.max(0, Math.floor((now.getTime() - since.getTime()) / 1000))
  if (seconds < 120) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 120) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} d ${hours % 24} h`
}

/** `2.5%` of 250 basis points. */
export const percent = (basisPoints: number): string => `${basisPoints / 100}%`
