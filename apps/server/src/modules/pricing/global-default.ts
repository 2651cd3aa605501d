import type { Clock } from '#infra/clock'
import type { Db } from '#infra/db'
import { readGlobalDefaultBps } from './store.ts'

/**
 * Reads the global default, at most once a second: it is asked for with every sub-user's request and
 * changes once a year. A buy made in that second is still bounded by its own maxPrice.
 */
export function createGlobalDefaultReader({
  db,
  clock,
}: {
  readonly db: Db
  readonly clock: Clock
}): () => Promise<number> {
  let known: { readonly value: Promise<number>; readonly untilMs: number } | undefined
  return () => {
    const nowMs = clock.now().getTime()
    if (known && nowMs < known.untilMs) return known.value
    const value = readGlobalDefaultBps(db)
    known = { value, untilMs: nowMs + FRESH_MS }
    // A failure is told to those who asked, and not remembered.
    value.catch(() => {
      if (known?.value === value) known = undefined
    })
    return value
  }
}

const FRESH_MS = 1000
