// Notes the requests of keys. No request waits for it: they are gathered in memory and written once a second,
// and what does not fit is dropped and counted. A crash loses the last second of them.
import { type Db, sql } from '#infra/database/db'
import { startPollLoop } from '#infra/jobs/poll-loop'
import type { Clock } from '#infra/process/clock'
import { createBoundedCache } from '#infra/process/memo'
import { insertKeyRequests, type NotedRequest, type OwnedRequest } from './key-request-store.ts'

/** `pace`: above the share of a tenant or key. `full`: too many wait. `failed`: by the database. */
export type DroppedBecause = 'pace' | 'full' | 'failed'

export interface KeyRequestsDeps {
  readonly db: Db
  readonly clock: Clock
  readonly onDropped: (because: DroppedBecause, count: number) => void
  readonly onError: (error: unknown) => void
}

interface KeyRequestNotes {
  /** Neither waits nor throws. `ownerId`: whose key it is, or the partner of that child. */
  note(ownerId: string, request: NotedRequest): void
  /** Everything noted so far is written, or was reported as dropped. */
  flush(): Promise<void>
  stop(): Promise<void>
}

const WRITE_EVERY_MS = 1000
/** A statement takes 10 ms for so many, and no more than the cap of a key. */
const BATCH_ROWS = 1000
/** Of all tenants, 3 MB; as many again are being written. */
export const MAX_WAITING = 10_000
/**
 * A tenant's share of what a process writes in a minute, its children included; a key has half of it. The
 * largest budget admits 360 requests, so those of one account that cost tokens find room, with whichever key
 * they come.
 */
export const BURST = 800
/** The same of refusals that cost no tokens: a flood of them takes no place of what was admitted. */
export const REFUSED_BURST = 60
const FREE_REFUSALS: ReadonlySet<string | null> = new Set([
  'INVALID_API_KEY',
  'API_KEY_REVOKED',
  'API_KEY_IP_DENIED',
  'ACCOUNT_SUSPENDED',
  'RATE_LIMITED',
])
const MINUTE_MS = 60_000
/** Of owners and of keys, with and without refusals. */
const MAX_BUCKETS = 40_000

export function createKeyRequestNotes(deps: KeyRequestsDeps): KeyRequestNotes {
  const { db, clock, onDropped, onError } = deps
  const mayWrite = createPace(clock)
  let waiting = new Map<string, OwnedRequest[]>()
  let count = 0

  /** The tenant with the most waiting loses one. False: that is the tenant itself. */
  const makeRoom = (own: readonly OwnedRequest[]): boolean => {
    let most = own
    for (const each of waiting.values()) if (each.length > most.length) most = each
    onDropped('full', 1)
    if (most === own) return false
    ;(most as OwnedRequest[]).pop()
    count--
    return true
  }

  const write = async (): Promise<void> => {
    const taken = [...waiting.values()].flat()
    waiting = new Map()
    count = 0
    while (taken.length > 0) {
      const batch = taken.splice(0, BATCH_ROWS)
      try {
        await db.transaction(async (tx) => {
          await tx.query(WITHOUT_WAITING)
          await insertKeyRequests(tx, batch)
        })
      } catch (error) {
        // The others would fail like it, after as long a wait.
        onDropped('failed', batch.length + taken.length)
        throw error
      }
    }
  }

  let writing: Promise<void> = Promise.resolve()
  const flush = (): Promise<void> => {
    writing = writing.then(write).catch(onError)
    return writing
  }
  const loop = startPollLoop({
    pollMs: WRITE_EVERY_MS,
    restMs: WRITE_EVERY_MS,
    run: flush,
    onError,
  })

  return {
    note(ownerId, request) {
      if (!mayWrite(ownerId, request)) return onDropped('pace', 1)
      const own = waiting.get(ownerId) ?? []
      if (count >= MAX_WAITING && !makeRoom(own)) return
      if (own.push({ ...request, ownerId }) === 1) waiting.set(ownerId, own)
      count++
    },
    flush,
    async stop() {
      await loop.stop()
      await flush()
    },
  }
}

// A commit of buys is not to wait for the disk behind one of these, and losing the last of them is no harm.
const WITHOUT_WAITING = sql(
  'identity.commit_without_waiting',
  "select set_config('synchronous_commit', 'off', true)",
)

/** A bucket for each owner, and one of half its size for each key. */
function createPace(clock: Clock): (ownerId: string, request: NotedRequest) => boolean {
  const buckets = createBoundedCache<{ left: number; atMs: number }>(MAX_BUCKETS)
  const leftOf = (name: string, limit: number, nowMs: number): number => {
    const { left, atMs } = buckets.get(name) ?? { left: limit, atMs: nowMs }
    return Math.min(limit, left + (Math.max(0, nowMs - atMs) * limit) / MINUTE_MS)
  }
  return (ownerId, { keyId, errorKey }) => {
    const nowMs = clock.now().getTime()
    const isFree = FREE_REFUSALS.has(errorKey)
    const limit = isFree ? REFUSED_BURST : BURST
    const asked = [
      { name: `owner ${ownerId} ${isFree}`, limit },
      { name: `key ${ownerId} ${keyId} ${isFree}`, limit: limit / 2 },
    ].map(({ name, limit }) => ({ name, left: leftOf(name, limit, nowMs) }))
    const isGranted = asked.every(({ left }) => left >= 1)
    for (const { name, left } of asked) {
      buckets.set(name, { left: isGranted ? left - 1 : left, atMs: nowMs })
    }
    return isGranted
  }
}
