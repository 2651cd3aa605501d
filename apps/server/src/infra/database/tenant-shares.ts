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
  /** Running at once, of one tenant. */
  readonly atOnce: number
  /** Running at once, of all tenants. One that has nothing running begins beyond it. Without it: no bound. */
  readonly ofAll?: number
  /** Waiting, of one tenant. */
  readonly waiting: number
  /** How long one waits at most. */
  readonly waitMs: number
}

/**
 * Runs `work`, at once or after earlier work of the same tenant. Throws BusyError when too much waits already
 * and when its turn did not come in time.
 */
export type TenantShares = <T>(tenantId: string, work: () => Promise<T>) => Promise<T>

interface Share {
  running: number
  readonly waiting: Set<() => void>
}

export function createTenantShares({
  atOnce,
  ofAll = Number.POSITIVE_INFINITY,
  waiting,
  waitMs,
}: ShareBounds): TenantShares {
  /** Of the tenants with work that runs or waits. */
  const shares = new Map<string, Share>()
  const crowded = new Set<Share>()
  let running = 0

  const hasPlace = (share: Share): boolean =>
    share.running === 0 || (running < ofAll && share.running < atOnce)
  const begin = (share: Share): void => {
    share.running++
    running++
  }

  const waitIn = (share: Share): Promise<void> =>
    new Promise((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(timer)
        share.waiting.delete(enter)
        if (share.waiting.size === 0) crowded.delete(share)
      }
      const enter = (): void => {
        leave()
        begin(share)
        resolve()
      }
      const timer = setTimeout(() => {
        leave()
        reject(new BusyError())
      }, waitMs)
      share.waiting.add(enter)
      crowded.add(share)
    })
  const beginWaiting = (): void => {
    for (const share of crowded) {
      for (const enter of share.waiting) {
        if (!hasPlace(share)) break
        enter()
      }
    }
  }

  return async (tenantId, work) => {
    const share = shares.get(tenantId) ?? { running: 0, waiting: new Set() }
    shares.set(tenantId, share)
    if (share.waiting.size === 0 && hasPlace(share)) begin(share)
    else {
      if (share.waiting.size >= waiting) throw new BusyError()
      await waitIn(share)
    }
    try {
      return await work()
    } finally {
      share.running--
      running--
      beginWaiting()
      if (share.running === 0 && share.waiting.size === 0) shares.delete(tenantId)
    }
  }
}
