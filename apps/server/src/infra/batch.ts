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
      if (waiting.length === 1) setImmediate(flush)
      else if (waiting.length >= maxBatchSize) flush()
    })
}
