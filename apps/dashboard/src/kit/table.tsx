import type { ReactNode } from 'react'
import css from './kit.module.css'

export interface Column<Row> {
  readonly head: string
  readonly cell: (row: Row) => ReactNode
  readonly align?: 'end'
}

interface TableProps<Row> {
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  readonly empty: string
}

/** A plain table; on a phone each row is a card. */
export function Table<Row>({ caption, columns, rows, keyOf, empty }: TableProps<Row>) {
  if (rows.length === 0) return <p className={css.empty}>{empty}</p>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={css.scroller} aria-label={caption} tabIndex={0}>
      <table className={css.table}>
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
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ head, cell, align }) => (
                <td key={head} data-label={head} data-align={align}>
                  <div>{cell(row)}</div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
