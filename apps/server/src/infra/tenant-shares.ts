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

export function createTenantShares({ atOnce, waiting, waitMs }: ShareBounds): TenantShares {
  const shares = new Map<string, Share>()

  const waitIn = (share: Share): Promise<void> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        share.waiting.delete(begin)
        reject(new BusyError())
      }, waitMs)
      const begin = (): void => {
        clearTimeout(timer)
        share.waiting.delete(begin)
        resolve()
      }
      share.waiting.add(begin)
    })
  const leave = (tenantId: string, share: Share): void => {
    const [next] = share.waiting
    // Work that ends hands its place over, so `running` stays as it is.
    if (next !== undefined) next()
    else if (--share.running === 0) shares.delete(tenantId)
  }

  return async (tenantId, work) => {
    const share = shares.get(tenantId) ?? { running: 0, waiting: new Set() }
    shares.set(tenantId, share)
    if (share.running < atOnce) share.running++
    else {
      if (share.waiting.size >= waiting) throw new BusyError()
      await waitIn(share)
    }
    try {
      return await work()
    } finally {
      leave(tenantId, share)
    }
  }
}
