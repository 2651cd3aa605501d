// The administrator's switch: trading on or off for everybody.
import type { Clock } from '#infra/clock'
import type { Db, Queryable } from '#infra/db'
import { readPaused, writePaused } from './store/switch.ts'

const REMEMBERED_MS = 250

/**
 * Whether trading is paused, read at most four times a second. The database function that accepts a buy
 * reads the switch itself, so this answer only has to be right soon.
 */
export function createPauseReader(db: Db, clock: Clock): () => Promise<boolean> {
  let known: { at: number; paused: Promise<boolean> } | undefined
  return () => {
    const now = clock.now().getTime()
    if (!known || now - known.at >= REMEMBERED_MS || now < known.at) {
      known = { at: now, paused: readPaused(db) }
      known.paused.catch(() => {
        known = undefined
      })
    }
    return known.paused
  }
}

export const pauseTrading = (db: Queryable, clock: Clock, reason: string): Promise<void> =>
  writePaused(db, { paused: true, reason, at: clock.now() })

export const resumeTrading = (db: Queryable, clock: Clock, reason: string): Promise<void> =>
  writePaused(db, { paused: false, reason, at: clock.now() })
