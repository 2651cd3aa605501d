// A pool that gives out nothing any more. Silent connections are destroyed, so this finds what the limit of a
// statement does not; the process is of no use then, and another one may be.
import type { Db } from './db.ts'

const LOOK_MS = 5000

export interface StarvedPoolOptions {
  readonly db: Pick<Db, 'stats'>
  /** So long a caller waits for a connection, and none has come back. */
  readonly limitMs: number
  /** A connection beside the pool: resolves when the database answers. */
  readonly askFresh: () => Promise<void>
  readonly onStarved: () => void
}

/** Calls `onStarved` once, when the database answers a fresh connection while the pool has none to give. */
export function watchStarvedPool(options: StarvedPoolOptions): { stop(): void } {
  const { db, limitMs, askFresh, onStarved } = options
  let last = { releases: -1, atMs: performance.now() }
  let isAsking = false
  const look = async (): Promise<void> => {
    const { releases, waiting } = db.stats()
    const nowMs = performance.now()
    if (waiting === 0 || releases !== last.releases) last = { releases, atMs: nowMs }
    if (nowMs - last.atMs < limitMs || isAsking) return
    isAsking = true
    try {
      await askFresh()
      if (db.stats().releases !== last.releases) return
      clearInterval(timer)
      onStarved()
    } catch {
      // The database itself is away: another process would wait as well.
    } finally {
      isAsking = false
    }
  }
  const timer = setInterval(() => void look(), Math.min(LOOK_MS, limitMs / 4)).unref()
  return { stop: () => clearInterval(timer) }
}
