// Reads whose work grows with what a tenant owns. They run on connections of their own, and only some of
// them at once for each tenant: one tenant's reads never keep another's requests from the database.
import type { Db } from './db.ts'

/** More was asked for at once than is let in. Nothing has been sent to the database. */
export class BusyError extends Error {
  constructor() {
    super('too many heavy reads at once')
    this.name = 'BusyError'
  }
}

export interface HeavyReads {
  /** Runs `read`, at once or after others of the same tenant. Throws BusyError when too many wait already. */
  run<T>(tenantId: string, read: (db: Db) => Promise<T>): Promise<T>
}

export interface HeavyReadsDeps {
  /** A pool that nothing else uses. */
  readonly db: Db
  /** Running at once, of one tenant. Less than the pool has connections, so that one tenant leaves some. */
  readonly perTenant: number
  /** Waiting for their turn, of one tenant. */
  readonly waitingPerTenant: number
}

interface Queue {
  running: number
  readonly waiting: (() => void)[]
}

export function createHeavyReads({ db, perTenant, waitingPerTenant }: HeavyReadsDeps): HeavyReads {
  const queues = new Map<string, Queue>()

  const enter = async (tenantId: string): Promise<Queue> => {
    const queue = queues.get(tenantId) ?? { running: 0, waiting: [] }
    queues.set(tenantId, queue)
    if (queue.running < perTenant) {
      queue.running++
      return queue
    }
    if (queue.waiting.length >= waitingPerTenant) throw new BusyError()
    // A read that ends hands its turn over, so `running` stays as it is.
    await new Promise<void>((resolve) => queue.waiting.push(resolve))
    return queue
  }

  const leave = (tenantId: string, queue: Queue): void => {
    const next = queue.waiting.shift()
    if (next) next()
    else if (--queue.running === 0) queues.delete(tenantId)
  }

  return {
    run: async (tenantId, read) => {
      const queue = await enter(tenantId)
      try {
        return await read(db)
      } finally {
        leave(tenantId, queue)
      }
    },
  }
}
