// Tables that fit the terminal: only columns that may shrink are truncated; where that is not enough, each
// row is lines of its own.
import { clean, fit, padEnd, padStart, widthOf } from './text.ts'

export interface Column<Row> {
  readonly title: string
  readonly cell: (row: Row) => string
  readonly align?: 'right'
  /** May be truncated on a narrow terminal; ids may not. */
  readonly shrinks?: boolean
  /** Shrinks to so many columns only once nothing else can be removed. */
  readonly least?: number
  /** Removed when truncation is not enough; 1 is removed first. */
  readonly drops?: number
  readonly paint?: (row: Row) => (text: string) => string
}

export interface TableOptions {
  /** Of the terminal; Infinity without one, so that nothing is truncated. */
  readonly columns: number
  readonly header: (text: string) => string
}

const GAP = 2
const NARROWEST = 8

/** A column of names, which a narrow terminal shows rather than ids. */
export const NAME = { shrinks: true, least: 16 } as const

/** One line a row, and one of titles; without the width for that, a line for each cell. */
export function tableText<Row>(
  rows: readonly Row[],
  wanted: readonly Column<Row>[],
  options: TableOptions,
): string {
  const columns = fitting(rows, wanted, options.columns)
  const removed = wanted.filter((one) => !columns.includes(one)).map(({ title }) => title)
  const cells = rows.map((row) => columns.map(({ cell }) => clean(cell(row))))
  const natural = columns.map((column) => naturalWidth(rows, column))
  const widths = shrunk(natural, columns, options.columns)
  if (widthOfLine(widths) > options.columns) return recordsText(rows, wanted, options)
  const line = (texts: readonly string[], paintOf: (i: number) => (text: string) => string) =>
    texts
      .map((text, i) => {
        const width = widths[i] ?? 0
        const fitted = fit(text, width)
        const isLast = i === columns.length - 1
        const padded =
          columns[i]?.align === 'right'
            ? padStart(fitted, width)
            : isLast
              ? fitted
              : padEnd(fitted, width)
        return paintOf(i)(padded)
      })
      .join(' '.repeat(GAP))
      .trimEnd()
  const same = (text: string): string => text
  return [
    line(
      columns.map(({ title }) => title),
      () => options.header,
    ),
    ...cells.map((texts, nth) => {
      const row = rows[nth] as Row
      return line(texts, (i) => columns[i]?.paint?.(row) ?? same)
    }),
    ...(removed.length > 0 ? [options.header(`--json has more: ${removed.join(', ')}`)] : []),
  ].join('\n')
}

const widthOfLine = (widths: readonly number[]): number =>
  widths.reduce((sum, one) => sum + one, GAP * (widths.length - 1))

/** Each cell behind its title; a value that does not fit beside it goes below it. */
function recordsText<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { columns: available, header }: TableOptions,
): string {
  const titles = Math.max(...columns.map(({ title }) => widthOf(title)))
  const lineOf = ({ title, cell, paint, shrinks }: Column<Row>, row: Row): string | null => {
    const value = clean(cell(row))
    if (value === '') return null
    const painted = paint?.(row) ?? ((text: string) => text)
    const left = available - titles - GAP
    if (left >= NARROWEST && (shrinks || widthOf(value) <= left)) {
      return header(padEnd(title, titles)) + ' '.repeat(GAP) + painted(fit(value, left))
    }
    return `${header(title)}\n${painted(shrinks ? fit(value, available) : value)}`
  }
  return rows
    .map((row) =>
      columns
        .map((column) => lineOf(column, row))
        .filter((line) => line !== null)
        .join('\n'),
    )
    .join('\n\n')
}

const naturalWidth = <Row>(rows: readonly Row[], { title, cell }: Column<Row>): number =>
  rows.reduce((width, row) => Math.max(width, widthOf(clean(cell(row)))), widthOf(title))

/** Without the columns that do not fit even when the others shrink. */
function fitting<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  available: number,
): readonly Column<Row>[] {
  const narrowest = columns.reduce(
    (sum, column) => {
      const width = naturalWidth(rows, column)
      return sum + (column.shrinks ? Math.min(width, column.least ?? NARROWEST) : width)
    },
    GAP * (columns.length - 1),
  )
  const ranks = columns.flatMap(({ drops }) => drops ?? [])
  if (narrowest <= available || ranks.length === 0) return columns
  const first = Math.min(...ranks)
  return fitting(
    rows,
    columns.filter(({ drops }) => drops !== first),
    available,
  )
}

/** Narrows the widest of the columns that may shrink until all fit, names last. */
function shrunk<Row>(
  natural: readonly number[],
  columns: readonly Column<Row>[],
  available: number,
): number[] {
  const widths = [...natural]
  const total = (): number => widthOfLine(widths)
  const narrow = (leastOf: (column: Column<Row> | undefined) => number): void => {
    while (total() > available) {
      let widest = -1
      for (const [i, width] of widths.entries()) {
        const column = columns[i]
        const mayShrink = column?.shrinks && width > leastOf(column)
        if (mayShrink && width > (widths[widest] ?? 0)) widest = i
      }
      if (widest === -1) break
      widths[widest] = (widths[widest] ?? 0) - 1
    }
  }
  narrow((column) => column?.least ?? NARROWEST)
  narrow(() => NARROWEST)
  return widths
}

/** Two columns without titles: what, and its value. */
export function detailsText(
  details: readonly (readonly [string, string] | null)[],
  paint: (text: string) => string,
): string {
  const shown = details.filter((detail) => detail !== null)
  const width = Math.max(...shown.map(([name]) => widthOf(name)))
  return shown
    .map(([name, value]) => `${paint(padEnd(name, width))}  ${clean(value)}`.trimEnd())
    .join('\n')
}
