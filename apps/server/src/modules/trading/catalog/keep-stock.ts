// What happened beside the feeds: buys take listings, settled trades are sales. Both leave a row in
// passing; here they become stock and days.

import type { Db } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import { changeCatalog, noteListingChange, purgeChanges } from './store/change.ts'
import {
  countOwnSales,
  foldSales,
  hasSaleRows,
  lastObservation,
  observePrices,
} from './store/days.ts'
import { purgeListings } from './store/feeds.ts'
import { drainTaken, hasTakenRows, recountStock } from './store/stock.ts'

interface Deps {
  readonly db: Db
  readonly clock: Clock
}

const ROWS_AT_ONCE = 5000

/** Counts what buys took or gave back; true when there may be more. */
export async function countTaken({ db, clock }: Deps): Promise<boolean> {
  if (!(await hasTakenRows(db))) return false
  return changeCatalog(db, async (tx, seq) => {
    const { itemIds, listingIds, count } = await drainTaken(tx, ROWS_AT_ONCE)
    await recountStock(tx, seq, itemIds)
    // One that is for sale now was given back; the others are gone, and are read as such.
    await noteListingChange(tx, { seq, at: clock.now() }, { appeared: listingIds, changed: [] })
    return count === ROWS_AT_ONCE
  })
}

/** Adds settled sales to their days; true when there may be more. */
export async function countSales({ db, clock }: Deps): Promise<boolean> {
  if (!(await hasSaleRows(db))) return false
  return changeCatalog(db, async (tx, seq) => {
    const { itemIds, count } = await foldSales(tx, seq, ROWS_AT_ONCE)
    await countOwnSales(tx, seq, { at: clock.now(), itemIds })
    return count === ROWS_AT_ONCE
  })
}

const OBSERVE_EVERY_MS = 3_600_000

/**
 * Notes once an hour what the cheapest listing of each item is, and lets sales of more than 30 days ago
 * drop out of popularity. False when it was not due, or a market has not been read yet.
 */
export async function observeDay({ db, clock }: Deps): Promise<boolean> {
  const at = clock.now()
  const { observedAt, ready } = await lastObservation(db)
  const due = observedAt === null || at.getTime() - observedAt.getTime() >= OBSERVE_EVERY_MS
  if (!ready || !due) return false
  await changeCatalog(db, async (tx, seq) => {
    await observePrices(tx, at)
    await countOwnSales(tx, seq, { at, itemIds: null })
  })
  return true
}

const DAY_MS = 86_400_000
const PURGE_AT_ONCE = 5000

/** Longer than any process follows behind, and any socket resumes after. */
const CHANGES_KEPT_MS = 15 * 60_000

/**
 * Forgets listings that are gone for a week, or a month when we sold them; true when there may be more.
 * What changed of listings is forgotten after a quarter of an hour.
 */
export async function purgeGone({ db, clock }: Deps): Promise<boolean> {
  const nowMs = clock.now().getTime()
  await purgeChanges(db, new Date(nowMs - CHANGES_KEPT_MS))
  const purged = await purgeListings(
    db,
    { goneBefore: new Date(nowMs - 7 * DAY_MS), takenBefore: new Date(nowMs - 30 * DAY_MS) },
    PURGE_AT_ONCE,
  )
  return purged === PURGE_AT_ONCE
}
