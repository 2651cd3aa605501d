// Notifying all merchants of a change, some at a time: an event for each of fifty thousand in one transaction
// would hold up the dispatch of every other event.

import { listMerchantsAfter } from '#identity'
import type { Db } from '#infra/database/db'
import { lockUnannounced, writeAnnouncement } from './store.ts'

/** Half a batch of the dispatch. */
export const NOTIFIED_AT_ONCE = 250

/** Notifies the next merchants of the oldest change; how many; null: no change is left to report. */
export const announceNext = (
  db: Db,
  at: Date,
  limit: number = NOTIFIED_AT_ONCE,
): Promise<number | null> =>
  db.transaction(async (tx) => {
    const change = await lockUnannounced(tx)
    if (change === null) return null
    const accountIds = await listMerchantsAfter(tx, { after: change.announcedThrough, limit })
    await writeAnnouncement(tx, change.id, { accountIds, isLast: accountIds.length < limit, at })
    return accountIds.length
  })
