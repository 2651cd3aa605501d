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
  return typeof value === 'object' ? compact(value) : String(value)
}

/** Facts on one line: `orderId=17 state=hold`. What is null is left out. */
export const compact = (facts: object): string =>
  Object.entries(facts)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${name}=${typeof value === 'object' ? json(value) : String(value)}`)
    .join(' ')

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
