// How much of one resource a tenant holds at once. What it asks for beyond its share waits for its own work
// to end, so it takes nothing that another tenant could use.

/** More was asked for than is let in, or it waited too long. Nothing of it was begun. */
export class BusyError extends Error {
  constructor() {
    super('too much work of one tenant at once')
    this.name = 'BusyError'
  }
}

export interface ShareBounds {
  /** Running at once, of one tenant, where so many tenants are served: itself, and who was served lately. */
  atOnce(served: number): number
  /** Waiting, of one tenant. */
  readonly waiting: number
  /** How long one waits at most. */
  readonly waitMs: number
  /** Of a clock that only goes forward. */
  readonly nowMs?: () => number
}

/**
 * Runs `work`, at once or after earlier work of the same tenant. Throws BusyError when too much waits already
 * and when its turn did not come in time.
 */
export type TenantShares = <T>(tenantId: string, work: () => Promise<T>) => Promise<T>

/** Who reads now and then is still there between two reads. */
const LATELY_MS = 2000

interface Share {
  running: number
  readonly waiting: Set<() => void>
  servedMs: number
}

export function createTenantShares({
  atOnce,
  waiting,
  waitMs,
  nowMs = () => performance.now(),
}: ShareBounds): TenantShares {
  /** Who was served last is the last. */
  const shares = new Map<string, Share>()

  const serve = (tenantId: string, share: Share): void => {
    share.servedMs = nowMs()
    shares.delete(tenantId)
    shares.set(tenantId, share)
  }
  const countServed = (): number => {
    const fromMs = nowMs() - LATELY_MS
    for (const [tenantId, share] of shares) {
      if (share.servedMs >= fromMs) break
      if (share.running > 0) serve(tenantId, share)
      else shares.delete(tenantId)
    }
    return shares.size
  }
  const hasPlace = (share: Share): boolean => share.running < Math.max(1, atOnce(countServed()))

  const waitIn = (share: Share): Promise<void> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        share.waiting.delete(begin)
        reject(new BusyError())
      }, waitMs)
      const begin = (): void => {
        clearTimeout(timer)
        share.waiting.delete(begin)
        share.running++
        resolve()
      }
      share.waiting.add(begin)
    })
  /** A share grows when other tenants have gone, and shrinks when they come: then none begins for a while. */
  const beginWaiting = (share: Share): void => {
    for (const begin of share.waiting) {
      if (!hasPlace(share)) return
      begin()
    }
  }

  return async (tenantId, work) => {
    const share = shares.get(tenantId) ?? { running: 0, waiting: new Set(), servedMs: 0 }
    serve(tenantId, share)
    beginWaiting(share)
    if (share.waiting.size === 0 && hasPlace(share)) share.running++
    else {
      if (share.waiting.size >= waiting) throw new BusyError()
      await waitIn(share)
    }
    try {
      return await work()
    } finally {
      share.running--
      beginWaiting(share)
    }
  }
}
