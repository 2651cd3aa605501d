// The cheapest listings come from the database, through a cache of a second: under load one query serves all
// callers that ask it in the same moment.

import type { Db } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import { createKeyedMemo } from '#infra/process/memo'
import type { Listing } from './listing.ts'
import { listCheapest } from './store/listings.ts'

export interface CheapestReader {
  listCheapest(itemIds: readonly string[]): Promise<readonly Listing[]>
  /** What is asked from now on of an item is read from the database. */
  forget(itemId: string): void
}

const FRESH_MS = 1000
const REMEMBERED = 500

export function createCheapestReader({
  db,
  clock,
}: {
  readonly db: Db
  readonly clock: Clock
}): CheapestReader {
  const cheapest = createKeyedMemo<readonly Listing[]>({
    clock,
    freshMs: FRESH_MS,
    max: REMEMBERED,
  })
  // Part of the keys: what is being read of an item while it is forgotten is of the keys before. One number
  // for each item that was bought here.
  const forgotten = new Map<string, number>()
  const timesForgotten = (itemId: string): number => forgotten.get(itemId) ?? 0
  return {
    listCheapest: (itemIds) => {
      const times = itemIds.reduce((sum, itemId) => sum + timesForgotten(itemId), 0)
      return cheapest(`${times}|${itemIds.join()}`, () => listCheapest(db, itemIds))
    },
    forget: (itemId) => void forgotten.set(itemId, timesForgotten(itemId) + 1),
  }
}
