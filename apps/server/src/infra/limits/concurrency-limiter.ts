// Runs a bounded number of tasks at once, each under a key that has a bound of its own. A claiming loop
// refills free slots again and again, so that one slow task delays nothing but itself.

export interface ConcurrencyLimiter {
  free(): number
  running(): number
  add(key: string, task: Promise<void>): void
  /** Work that follows a task and needs no slot. */
  addFollowUp(work: Promise<unknown>): void
  followUps(): number
  /**
   * Waits this long, or less when a key is no longer busy, when nothing runs any more, or when a follow-up
   * has ended. It does not return at every end of a task: a claim then would find the busy keys still busy.
   * Throws the first error of a task or follow-up.
   */
  waitForCapacity(timeoutMs: number): Promise<void>
  /** Waits for tasks and follow-ups. Throws the first error of one. */
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
  const followUps = new Set<Promise<void>>()
  let failed: { error: unknown } | undefined
  let isWoken = false
  let endWait = (): void => {}
  const isBusy = (key: string, count: number): boolean => 2 * count >= boundOf(key)
  const wake = (): void => {
    isWoken = true
    endWait()
  }
  const fail = (error: unknown): void => {
    failed ??= { error }
  }
  return {
    free: () => total - tasks.size,
    running: () => tasks.size,
    add: (key, task) => {
      counts.set(key, (counts.get(key) ?? 0) + 1)
      const ended = task.catch(fail).then(() => {
        tasks.delete(ended)
        const count = counts.get(key) ?? 1
        if (count === 1) counts.delete(key)
        else counts.set(key, count - 1)
        if ((isBusy(key, count) && !isBusy(key, count - 1)) || tasks.size === 0) wake()
      })
      tasks.add(ended)
    },
    addFollowUp: (work) => {
      const ended = work.catch(fail).then(() => {
        followUps.delete(ended)
        wake()
      })
      followUps.add(ended)
    },
    followUps: () => followUps.size,
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
    allEnded: async () => {
      await Promise.all(tasks)
      await Promise.all(followUps)
      if (failed) throw failed.error
    },
  }
}
