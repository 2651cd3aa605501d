// The columns of a statement, named once: their SQL, how each is read, and what is made of them.
import type { Queryable, Statement } from './db.ts'

/** Reads what the driver gives for one column. Null is not read: it stays null. */
type Reader<V> = (given: never) => V

/** A reader alone reads the column that has the property's name; beside it may stand another expression. */
type Spec<T> = {
  readonly [K in keyof T]-?:
    | Reader<NonNullable<T[K]>>
    | readonly [expression: string, reader: Reader<NonNullable<T[K]>>]
}

declare const rowBrand: unique symbol
/** A row with the columns of a `T`, and perhaps others. */
export interface Row<T> {
  readonly [rowBrand]: T
}

interface Columns<T> {
  /** What stands after `select` or `returning`: each column under the name of its property. */
  readonly list: string
  readonly of: (row: Row<T>) => T
  readonly all: (db: Queryable, statement: Statement, values?: readonly unknown[]) => Promise<T[]>
  /** Of the first row; null without one. */
  readonly first: (
    db: Queryable,
    statement: Statement,
    values?: readonly unknown[],
  ) => Promise<T | null>
  /** The same columns, of which something else is made. */
  readonly to: <U>(make: (read: T) => U) => Columns<U>
}

// As the driver gives it. The database is trusted with the rest of the type: which texts are of a union, say.
const given = <V>(value: unknown): V => value as V
export const text: <V extends string>(value: string) => V = given
export const int: <V extends number>(value: number) => V = given
export const bool: <V extends boolean>(value: boolean) => V = given
export const time: (value: Date) => Date = given
/** jsonb, or an array. */
export const json: <V extends object>(value: object) => V = given

/** The columns that make a `T`. `prefix` stands before their names, as `w.` of a table that is called `w`. */
export function columns<T extends object>(prefix: string, spec: Spec<T>): Columns<T> {
  const entries = Object.entries<Reader<unknown> | readonly [string, Reader<unknown>]>(spec)
  const readers = entries.map(([key, of]) => [key, typeof of === 'function' ? of : of[1]] as const)
  const list = entries.map(([key, of]) =>
    named(typeof of === 'function' ? prefix + snakeCase(key) : of[0], key),
  )
  return madeBy(list.join(', '), (row) => {
    const found = row as unknown as Readonly<Record<string, never>>
    const made: Record<string, unknown> = {}
    for (const [key, read] of readers) {
      const value = found[key] as never
      made[key] = value === null ? null : read(value)
    }
    return made as T
  })
}

const madeBy = <T>(list: string, of: (row: Row<unknown>) => T): Columns<T> => ({
  list,
  of,
  all: async (db, statement, values) => (await db.query<Row<T>>(statement, values)).map(of),
  first: async (db, statement, values) => {
    const [row] = await db.query<Row<T>>(statement, values)
    return row === undefined ? null : of(row)
  },
  to: (make) => madeBy(list, (row) => make(of(row))),
})

const snakeCase = (key: string): string =>
  key.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`)

const named = (expression: string, key: string): string =>
  /(?:^|\.)([a-z_]+)$/.exec(expression)?.[1] === key ? expression : `${expression} "${key}"`
