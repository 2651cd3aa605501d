import type { Db } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import { createMemo } from '#infra/process/memo'
import { readGlobalDefaultBps } from './store.ts'

/**
 * Reads the global default, at most once a second: it is asked for with every sub-user's request and
 * changes once a year. A buy made in that second is still bounded by its own maxPrice.
 */
export const createGlobalDefaultReader = ({
  db,
  clock,
}: {
  readonly db: Db
  readonly clock: Clock
}): (() => Promise<number>) =>
  createMemo(() => readGlobalDefaultBps(db), { clock, freshMs: FRESH_MS })

const FRESH_MS = 1000
