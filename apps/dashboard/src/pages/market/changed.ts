// Which rows have just changed, so that a page can mark them for a moment.
import { useEffect, useRef, useState } from 'react'

const MARKED_MS = 1000
const NONE: ReadonlySet<string> = new Set()

/** The keys of the rows that were there before and looked otherwise then. */
export function useChanged<Row>(
  rows: readonly Row[] | undefined,
  keyOf: (row: Row) => string,
  lookOf: (row: Row) => string,
): ReadonlySet<string> {
  const before = useRef<ReadonlyMap<string, string>>(new Map())
  const [changed, setChanged] = useState(NONE)
  // biome-ignore lint/correctness/useExhaustiveDependencies: both functions are the same at each drawing
  useEffect(() => {
    if (rows === undefined) return
    const now = new Map(rows.map((row) => [keyOf(row), lookOf(row)]))
    const last = before.current
    before.current = now
    const keys = [...now].flatMap(([key, look]) =>
      last.has(key) && last.get(key) !== look ? [key] : [],
    )
    if (keys.length > 0) setChanged(new Set(keys))
  }, [rows])
  useEffect(() => {
    if (changed.size === 0) return
    const timer = setTimeout(() => setChanged(NONE), MARKED_MS)
    return () => clearTimeout(timer)
  }, [changed])
  return changed
}
