// Notes the requests of keys. No request waits for it: they are gathered in memory and written once a second,
// and what does not fit is dropped and counted. A crash loses the last second of them.
import { type Db, sql } from '#infra/database/db'
import { startPollLoop } from '#infra/jobs/poll-loop'
import type { Clock } from '#infra/process/clock'
import { createBoundedCache } from '#infra/process/memo'
import { insertKeyRequests, type NotedRequest } from './key-request-store.ts'

/** `pace`: above a tenant's share of what is written. `full`: too many wait. `failed`: by the database. */
export type DroppedBecause = 'pace' | 'full' | 'failed'

export interface KeyRequestsDeps {
  readonly db: Db
  readonly clock: Clock
  readonly onDropped: (because: DroppedBecause, count: number) => void
  readonly onError: (error: unknown) => void
}

interface KeyRequestNotes {
  /** Neither waits nor throws. `tenantId`: whose key it is. */
  note(tenantId: string, request: NotedRequest): void
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
 * A tenant's share of what a process writes: 600 a minute, where the largest budget admits 360 requests. So
 * it bounds the refusals of a flood, which cost no tokens, and the rows that the cap of a key removes.
 */
export const BURST = 600
const PACE_PER_MS = 600 / 60_000
const MAX_PACED_TENANTS = 10_000

export function createKeyRequestNotes(deps: KeyRequestsDeps): KeyRequestNotes {
  const { db, clock, onDropped, onError } = deps
  const mayWrite = createPace(clock)
  let waiting = new Map<string, NotedRequest[]>()
  let count = 0

  /** The tenant with the most waiting loses one. False: that is the tenant itself. */
  const makeRoom = (own: readonly NotedRequest[]): boolean => {
    let most = own
    for (const each of waiting.values()) if (each.length > most.length) most = each
    onDropped('full', 1)
    if (most === own) return false
    ;(most as NotedRequest[]).pop()
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
    note(tenantId, request) {
      if (!mayWrite(tenantId)) return onDropped('pace', 1)
      const own = waiting.get(tenantId) ?? []
      if (count >= MAX_WAITING && !makeRoom(own)) return
      if (own.push(request) === 1) waiting.set(tenantId, own)
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

/** A bucket for each tenant. */
function createPace(clock: Clock): (tenantId: string) => boolean {
  const buckets = createBoundedCache<{ left: number; atMs: number }>(MAX_PACED_TENANTS)
  return (tenantId) => {
    const nowMs = clock.now().getTime()
    const bucket = buckets.get(tenantId) ?? { left: BURST, atMs: nowMs }
    const gained = Math.max(0, nowMs - bucket.atMs) * PACE_PER_MS
    const left = Math.min(BURST, bucket.left + gained)
    const isGranted = left >= 1
    buckets.set(tenantId, { left: isGranted ? left - 1 : left, atMs: nowMs })
    return isGranted
  }
}
