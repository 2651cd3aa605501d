import type { ReactNode } from 'react'
import css from './kit.module.css'
import { asText } from './text.tsx'
import { Bone } from './waiting.tsx'

export interface Column<Row> {
  readonly head: string
  readonly cell: (row: Row) => ReactNode
  readonly align?: 'end'
  /** A column that is empty in every row is left out. */
  readonly isEmpty?: (row: Row) => boolean
}

interface TableProps<Row> {
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  /** Undefined while they are being loaded. */
  readonly rows: readonly Row[] | undefined
  /** How many rows are likely to come: so high is the table until then. */
  readonly expected?: number
  readonly keyOf: (row: Row) => string
  /** Why there is nothing, and what to do next. */
  readonly empty: ReactNode
  /** Has it changed just now? */
  readonly isMarked?: (row: Row) => boolean
  /** On a phone the short values of a row stand beside each other, each behind its head: for long tables. */
  readonly isFlowing?: boolean
  /** Columns of one width, for tables that are compared with each other. */
  readonly isEven?: boolean
}

/** The acts of a row, side by side. */
export const RowActs = ({ children }: { readonly children: ReactNode }) => (
  <div className={css.rowActs}>{children}</div>
)

/** A plain table; on a phone each row is a card. */
export function Table<Row>({
  caption,
  columns: all,
  rows,
  expected = 3,
  keyOf,
  empty,
  isMarked,
  isFlowing = false,
  isEven = false,
}: TableProps<Row>) {
  if (rows?.length === 0) return <div className={css.empty}>{empty}</div>
  const columns = all.filter(
    ({ isEmpty }) => isEmpty === undefined || rows === undefined || !rows.every(isEmpty),
  )
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={css.scroller} aria-label={caption} tabIndex={0}>
      <table
        className={css.table}
        data-flows={isFlowing || undefined}
        data-even={isEven || undefined}
        aria-busy={rows === undefined}
      >
        <caption className="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ head, align }) => (
              <th key={head} scope="col" data-align={align}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {(rows ?? Array.from({ length: expected }, () => null)).map((row, i) => (
            <tr
              key={row === null ? `row-${i}` : keyOf(row)}
              data-marked={(row !== null && isMarked?.(row)) || undefined}
            >
              {columns.map(({ head, cell, align }) => (
                <td key={head} data-label={head} data-align={align}>
                  <div>{row === null ? <Bone /> : asText(cell(row))}</div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
