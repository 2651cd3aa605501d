// A named lease that one process keeps from run to run. Each extension is a commit that PostgreSQL flushes to
// its disk, so what runs many times a second extends the lease only when a third of it is spent.
import type { Clock } from '../process/clock.ts'
import type { Db } from './db.ts'
import { acquireLease, type NamedLease, releaseLease, startElapsed } from './leases.ts'

export interface KeptLease {
  /** True while at most a third is spent, without a statement; otherwise as `extend`. */
  keep(): Promise<boolean>
  /** Acquires or extends it; false while another process holds it. */
  extend(): Promise<boolean>
  /** Until it may be another process's; 0 when this one does not hold it. */
  remainingMs(): number
  /** Until a third of it is spent. */
  untilDueMs(): number
  /** For another process to have it at once. Nothing happens when this one does not hold it. */
  release(): Promise<void>
}

interface KeptLeaseDeps {
  readonly db: Db
  /** The wall clock: goes on while the machine sleeps. */
  readonly clock: Clock
  /** Goes on while the process is stopped. */
  readonly monotonicMs?: () => number
}

export function createKeptLease(
  lease: NamedLease,
  durationMs: number,
  { db, clock, monotonicMs = () => performance.now() }: KeptLeaseDeps,
): KeptLease {
  /** Null: it is not this process's. */
  let spentMs: (() => number) | null = null

  const remainingMs = (): number => (spentMs === null ? 0 : Math.max(0, durationMs - spentMs()))
  const untilDueMs = (): number => Math.max(0, remainingMs() - (durationMs * 2) / 3)
  const extend = async (): Promise<boolean> => {
    const sinceAskedMs = startElapsed(clock, monotonicMs)
    const now = clock.now()
    const until = new Date(now.getTime() + durationMs)
    const isOurs = await acquireLease(db, lease, { now, until })
    spentMs = isOurs ? sinceAskedMs : null
    return isOurs
  }
  return {
    keep: async () => untilDueMs() > 0 || extend(),
    extend,
    remainingMs,
    untilDueMs,
    release: async () => {
      if (spentMs === null) return
      spentMs = null
      await releaseLease(db, lease)
    },
  }
}
