// Which listings changed, for a process that holds none of them: the log of changes says where to look.
import type { Db } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import { listChangesAfter, startOfChanges } from './store/change.ts'
import { findListings } from './store/listings.ts'

export interface ChangedListings {
  /** Those of them that can be bought as they are read. */
  readonly listings: readonly { readonly id: bigint; readonly itemId: string }[]
  /** There is more already. */
  readonly more: boolean
  /** Changes were missed, are too many to be named, or a market went or came back: look at everything. */
  readonly lost: boolean
}

export interface ChangesFollower {
  /** At most so many listings. One call at a time; what a failed call had read is lost. */
  read(limit: number): Promise<ChangedListings>
}

/** Well before the log forgets. */
const LOST_AFTER_MS = 10 * 60_000
const BATCHES_AT_ONCE = 100
/** More waits only while a market is read for the first time. */
const MOST_WAITING = 20_000

export function followChanges({
  db,
  clock,
}: {
  readonly db: Db
  readonly clock: Clock
}): ChangesFollower {
  const waiting = new Set<bigint>()
  let after: bigint | null = null
  let readAtMs = 0
  return {
    async read(limit) {
      const nowMs = clock.now().getTime()
      let lost = nowMs - readAtMs > LOST_AFTER_MS
      if (after === null || lost) {
        waiting.clear()
        after = (await startOfChanges(db, new Date(nowMs))).after
      }
      const changes = await listChangesAfter(db, after, BATCHES_AT_ONCE)
      readAtMs = nowMs
      for (const { seq, listing, market } of changes) {
        after = seq
        if (listing !== null) waiting.add(listing.id)
        if (market !== null) lost = true
      }
      if (waiting.size > MOST_WAITING) {
        waiting.clear()
        lost = true
      }
      const ids = waiting.values().take(limit).toArray()
      for (const id of ids) waiting.delete(id)
      const found = ids.length > 0 ? await findListings(db, ids) : []
      return {
        listings: found.flatMap((one) =>
          one?.available ? { id: one.id, itemId: one.itemId } : [],
        ),
        more: waiting.size > 0,
        lost,
      }
    },
  }
}
