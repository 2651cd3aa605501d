// Named leases that one process keeps from run to run. Each extension is a commit that PostgreSQL flushes to
// its disk, so what runs many times a second extends the lease only when a third of it is spent. All leases
// that the process uses and that are nearly due are extended along with it, in one statement: from then on
// they are due together.
import type { Clock } from '../process/clock.ts'
import type { Db } from './db.ts'
import { acquireLeases, type NamedLease, releaseLease, startElapsed } from './leases.ts'

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

/** The leases of one process. */
export type KeptLeases = (lease: NamedLease) => KeptLease

interface KeptLeasesDeps {
  readonly db: Db
  /** The wall clock: goes on while the machine sleeps. */
  readonly clock: Clock
  /** Goes on while the process is stopped. */
  readonly monotonicMs?: () => number
}

/** What is known of a lease that was asked for and not released since. */
interface Asked {
  readonly lease: NamedLease
  /** Since the last answer that it is this process's; null: it is not. */
  spentMs: (() => number) | null
  /** Since its owner asked for it. */
  unusedMs: () => number
  /** Of the last statement about it. */
  answeredMs: () => number
  /** While a statement about it is under way. */
  writing: Promise<void> | null
}

/** Of what is asked for and held by another process, an answer that is no older is given again. */
const REFUSED_FOR_MS = 1000

export function createKeptLeases(
  durationMs: number,
  { db, clock, monotonicMs = () => performance.now() }: KeptLeasesDeps,
): KeptLeases {
  const asked = new Set<Asked>()

  const write = async (those: readonly Asked[]): Promise<void> => {
    const sinceAskedMs = startElapsed(clock, monotonicMs)
    const now = clock.now()
    const until = new Date(now.getTime() + durationMs)
    const leases = those.map(({ lease }) => lease)
    const ours = await acquireLeases(db, leases, { now, until })
    for (const one of those) {
      one.spentMs = ours.has(one.lease.name) ? sinceAskedMs : null
      one.answeredMs = sinceAskedMs
    }
  }
  /**
   * Not what its owner has not asked for since a whole lease, what has expired, nor what was extended a
   * moment ago: jobs that run seldom acquire a lease every second, and each would write those of all others
   * again.
   */
  const isWorthExtending = ({ writing, unusedMs, spentMs, answeredMs }: Asked): boolean => {
    if (writing !== null || unusedMs() >= durationMs) return false
    if (spentMs === null) return answeredMs() >= REFUSED_FOR_MS
    return spentMs() >= durationMs / 4 && spentMs() < durationMs
  }
  const extend = async (one: Asked): Promise<boolean> => {
    if (one.writing === null) {
      const those = [one, ...[...asked].filter((other) => other !== one && isWorthExtending(other))]
      const writing = write(those).finally(() => {
        for (const each of those) each.writing = null
      })
      for (const each of those) each.writing = writing
    }
    await one.writing
    return one.spentMs !== null
  }

  return (lease) => {
    const one: Asked = {
      lease,
      spentMs: null,
      unusedMs: startElapsed(clock, monotonicMs),
      answeredMs: () => Number.POSITIVE_INFINITY,
      writing: null,
    }
    const remainingMs = (): number =>
      one.spentMs === null ? 0 : Math.max(0, durationMs - one.spentMs())
    const untilDueMs = (): number => Math.max(0, remainingMs() - (durationMs * 2) / 3)
    const use = (): void => {
      asked.add(one)
      one.unusedMs = startElapsed(clock, monotonicMs)
    }
    return {
      keep: async () => {
        use()
        if (untilDueMs() > 0) return true
        if (one.spentMs === null && one.answeredMs() < REFUSED_FOR_MS) return false
        return extend(one)
      },
      extend: async () => {
        use()
        return extend(one)
      },
      remainingMs,
      untilDueMs,
      release: async () => {
        asked.delete(one)
        await one.writing?.catch(() => {})
        if (one.spentMs === null) return
        one.spentMs = null
        one.answeredMs = () => Number.POSITIVE_INFINITY
        await releaseLease(db, lease)
      },
    }
  }
}
