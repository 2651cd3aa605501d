// The leases of the singletons of one process. One timer asks for all that their jobs want, in one statement:
// what the process holds is extended, and what has become free is acquired. Jobs only look in memory.
import type { Queryable } from '../database/db.ts'
import { acquireLeases, type NamedLease, releaseLease, startElapsed } from '../database/leases.ts'
import { createSingleFlight } from '../database/single-flight.ts'
import type { Clock } from '../process/clock.ts'
import type { Log } from '../process/log.ts'
import { startPollLoop } from './poll-loop.ts'

const LEASE_MS = 10_000
/** How often leases are extended, and those asked for that other processes hold. */
export const RENEW_MS = Math.floor(LEASE_MS / 3)

export interface JobLease {
  /**
   * Looks in memory; the first call has the timer ask for it, from now on. Null while this process does not
   * hold it. The signal is aborted as soon as another process may hold it.
   */
  acquire(): AbortSignal | null
  /** For another process to have it at once; it is wanted again from the next `acquire` on. */
  release(): Promise<void>
}

/** `onMoved`: this process has acquired it, or lost it. */
export type JobLeases = (lease: NamedLease, onMoved: () => void) => JobLease

interface JobLeasesDeps {
  readonly db: Queryable
  /** The wall clock: goes on while the machine sleeps. */
  readonly clock: Clock
  readonly log: Log
  /** Goes on while the process is stopped. */
  readonly monotonicMs?: () => number
}

interface Wanted {
  readonly lease: NamedLease
  readonly onMoved: () => void
  /** Null while it is not held. */
  holding: AbortController | null
}

export function createJobLeases({
  db,
  clock,
  log,
  monotonicMs = () => performance.now(),
}: JobLeasesDeps): JobLeases {
  const wanted = new Set<Wanted>()
  const released: NamedLease[] = []
  /** Since the last statement that was answered: all that is held was in it. */
  let spentMs = (): number => Number.POSITIVE_INFINITY
  let expiry: NodeJS.Timeout | undefined
  const inTurn = createSingleFlight<void>()

  const setHeld = (one: Wanted, isHeld: boolean): void => {
    if (isHeld === (one.holding !== null)) return
    one.holding?.abort(new Error('the lease is lost'))
    one.holding = isHeld ? new AbortController() : null
    one.onMoved()
  }
  // Its timer fires late, but before anything else of this process, when the process was stopped and goes on.
  const expire = (): void => {
    clearTimeout(expiry)
    const remainingMs = LEASE_MS - spentMs()
    if (remainingMs > 0) expiry = setTimeout(expire, remainingMs).unref()
    else for (const one of wanted) setHeld(one, false)
  }
  /** One at a time: a release that is late would take the lease that is acquired after it. */
  const write = async (): Promise<void> => {
    // A lease that is not released expires by itself.
    await Promise.allSettled(released.splice(0).map((lease) => releaseLease(db, lease)))
    const asked = [...wanted]
    if (asked.length === 0) return
    const sinceAskedMs = startElapsed(clock, monotonicMs)
    const now = clock.now()
    const until = new Date(now.getTime() + LEASE_MS)
    const leases = asked.map(({ lease }) => lease)
    const ours = await acquireLeases(db, leases, { now, until })
    spentMs = sinceAskedMs
    const isInTime = spentMs() < LEASE_MS
    for (const one of asked) {
      // Not one that was released meanwhile.
      if (wanted.has(one)) setHeld(one, isInTime && ours.has(one.lease.name))
    }
    expire()
  }
  const timer = startPollLoop({
    pollMs: RENEW_MS,
    restMs: 0,
    firstMs: Number.POSITIVE_INFINITY,
    run: async () => {
      await inTurn('', write)
      return wanted.size === 0 ? { pollMs: Number.POSITIVE_INFINITY } : {}
    },
    onError: (error) => log.warn({ err: error }, 'lease not extended'),
  })

  return (lease, onMoved) => {
    let one: Wanted | null = null
    return {
      acquire: () => {
        if (one === null) {
          one = { lease, onMoved, holding: null }
          wanted.add(one)
          timer.wake()
        }
        expire()
        return one.holding?.signal ?? null
      },
      release: async () => {
        if (one === null) return
        wanted.delete(one)
        setHeld(one, false)
        one = null
        released.push(lease)
        await inTurn('', write).catch(() => {})
      },
    }
  }
}
