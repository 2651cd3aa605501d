import { isBusy, isConnectionLoss } from './db.ts'
import { withoutTenant, withTenant } from './tenant-context.ts'

/**
 * Gathers look-ups by key that are asked for in the same turn of the event loop and answers them with
 * one call. Under load one statement serves many requests; nothing is remembered between two calls,
 * so there is nothing to invalidate.
 */
export function batched<Key, Value>(
  load: (keys: readonly Key[]) => Promise<readonly Value[]>,
  maxBatchSize = 200,
): (key: Key) => Promise<Value> {
  interface Waiter {
    key: Key
    resolve: (value: Value) => void
    reject: (error: unknown) => void
  }
  let waiting: Waiter[] = []

  const flush = (): void => {
    const batch = waiting
    waiting = []
    if (batch.length === 0) return
    load(batch.map((waiter) => waiter.key)).then(
      (values) => {
        for (const [i, waiter] of batch.entries()) waiter.resolve(values[i] as Value)
      },
      (error) => {
        for (const waiter of batch) waiter.reject(error)
      },
    )
  }

  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject })
      if (waiting.length === 1) setImmediate(withoutTenant, flush)
      else if (waiting.length >= maxBatchSize) withoutTenant(flush)
    })
}

/**
 * Gathers writes by key: one call at a time for a key, and what is asked for while it runs goes into the
 * next one, so that many changes of one row share its lock and a commit. `write` is all or nothing, and what
 * is repeated it writes once. When it fails for several, each is written alone: a failure reaches its own
 * caller. While the database has no capacity or is away, it fails for all of them at once.
 */
export function gathered<Item, Value>({
  keyOf,
  write,
  isOfTenant = false,
  maxBatchSize = 64,
}: {
  readonly keyOf: (item: Item) => string
  /** The key is the id of a tenant, on whose behalf the calls run. Without it they run on behalf of all. */
  readonly isOfTenant?: boolean
  readonly write: (items: readonly Item[]) => Promise<readonly Value[]>
  readonly maxBatchSize?: number
}): (item: Item) => Promise<Value> {
  interface Waiter {
    readonly item: Item
    readonly resolve: (value: Value) => void
    readonly reject: (error: unknown) => void
  }
  const waiting = new Map<string, Waiter[]>()

  const writeTogether = async (batch: readonly Waiter[]): Promise<void> => {
    try {
      const values = await write(batch.map(({ item }) => item))
      for (const [i, { resolve }] of batch.entries()) resolve(values[i] as Value)
    } catch (error) {
      const isForAll = batch.length === 1 || isBusy(error) || isConnectionLoss(error)
      for (const one of batch) {
        if (isForAll) one.reject(error)
        else await writeTogether([one])
      }
    }
  }
  const work = async (key: string, queue: Waiter[]): Promise<void> => {
    // The rest of this turn joins the first batch.
    await new Promise(setImmediate)
    while (queue.length > 0) await writeTogether(queue.splice(0, maxBatchSize))
    waiting.delete(key)
  }

  return (item) =>
    new Promise((resolve, reject) => {
      const key = keyOf(item)
      const waiter = { item, resolve, reject }
      const queue = waiting.get(key)
      if (queue !== undefined) {
        queue.push(waiter)
        return
      }
      const begun = [waiter]
      waiting.set(key, begun)
      void withTenant(isOfTenant ? key : null, () => work(key, begun))
    })
}
