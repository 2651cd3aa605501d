// The administrator's switch: trading on or off for all tenants.

import type { Db, Queryable } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import { createMemo } from '#infra/process/memo'
import { findPausedSince, writePaused } from './store/switch.ts'

const REMEMBERED_MS = 250

/**
 * Whether trading is paused, read at most four times a second. The database function that accepts a buy
 * reads the switch itself, so this answer only has to be right soon.
 */
export const createPauseReader = (db: Db, clock: Clock): (() => Promise<boolean>) =>
  createMemo(async () => (await findPausedSince(db)) !== null, { clock, freshMs: REMEMBERED_MS })

export const pauseTrading = (db: Queryable, clock: Clock, reason: string): Promise<void> =>
  writePaused(db, { paused: true, reason, at: clock.now() })

export const resumeTrading = (db: Queryable, clock: Clock, reason: string): Promise<void> =>
  writePaused(db, { paused: false, reason, at: clock.now() })
