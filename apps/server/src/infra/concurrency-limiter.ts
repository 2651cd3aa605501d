// Runs a bounded number of tasks at once, each under a key that has a bound of its own. A claiming loop
// refills free slots again and again, so that one slow task delays nothing but itself.

export interface ConcurrencyLimiter {
  free(): number
  running(): number
  /** Keys that have at least half of their own bound running. */
  busyKeys(): string[]
  add(key: string, task: Promise<void>): void
  /**
   * Waits this long, or less when a key is no longer busy, when nothing runs any more, or when woken. It
   * does not return at every end of a task: a claim then would find the busy keys still busy. Throws the
   * first error of a task.
   */
  waitForCapacity(timeoutMs: number): Promise<void>
  /** Ends the current wait, or the next one. */
  wake(): void
  allEnded(): Promise<void>
}

export function createConcurrencyLimiter({
  total,
  perKey,
}: {
  readonly total: number
  /** The bound of one key; as a function it may change while tasks run. */
  readonly perKey: number | ((key: string) => number)
}): ConcurrencyLimiter {
  const boundOf = typeof perKey === 'number' ? () => perKey : perKey
  const counts = new Map<string, number>()
  const tasks = new Set<Promise<void>>()
  let failed: { error: unknown } | undefined
  let isWoken = false
  let endWait = (): void => {}
  const isBusy = (key: string, count: number): boolean => 2 * count >= boundOf(key)
  const wake = (): void => {
    isWoken = true
    endWait()
  }
  return {
    free: () => total - tasks.size,
    running: () => tasks.size,
    busyKeys: () => [...counts].filter(([key, count]) => isBusy(key, count)).map(([key]) => key),
    add: (key, task) => {
      counts.set(key, (counts.get(key) ?? 0) + 1)
      const ended = task
        .catch((error: unknown) => {
          failed ??= { error }
        })
        .then(() => {
          tasks.delete(ended)
          const count = counts.get(key) ?? 1
          if (count === 1) counts.delete(key)
          else counts.set(key, count - 1)
          if ((isBusy(key, count) && !isBusy(key, count - 1)) || tasks.size === 0) wake()
        })
      tasks.add(ended)
    },
    waitForCapacity: async (timeoutMs) => {
      if (!isWoken) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, timeoutMs)
          endWait = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
      isWoken = false
      if (failed) throw failed.error
    },
    wake,
    allEnded: async () => {
      await Promise.all(tasks)
    },
  }
}
