/** A slice of a list by number. */
export interface Page<T> {
  readonly items: readonly T[]
  readonly total: number
  readonly page: number
  readonly limit: number
  readonly totalPages: number
}

/** A slice of a list by the id of its last row; null on the last slice. */
export interface CursorPage<T> {
  readonly items: readonly T[]
  readonly nextCursor: string | null
}

export const pageOf = <T>(
  items: readonly T[],
  { total, page, limit }: { total: number; page: number; limit: number },
): Page<T> => ({ items, total, page, limit, totalPages: Math.ceil(total / limit) })

/** Lists are read with one row more than asked; that row says whether another slice follows. */
export function cursorPageOf<T>(
  rows: readonly T[],
  limit: number,
  idOf: (row: T) => string,
): CursorPage<T> {
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  return { items, nextCursor: rows.length > limit && last !== undefined ? idOf(last) : null }
}
