// A bounded number of pieces of work under way at once, each for somebody (its key). A round of claiming
// fills the free places again and again, so that one slow piece holds up nothing but itself.

export interface Places {
  free(): number
  taken(): number
  /** Keys that already have half of what one may have under way. */
  busyKeys(): string[]
  hold(key: string, work: Promise<void>): void
  /**
   * Waits this long, or less when a key is no longer busy, nothing is under way any more, or somebody
   * wakes it. To claim at every end would find the busy keys still busy. Throws what a piece of work has
   * thrown.
   */
  nextEnd(timeoutMs: number): Promise<void>
  /** Ends the wait that is on, or the next one. */
  wake(): void
  allEnded(): Promise<void>
}

export function createPlaces({
  total,
  perKey,
}: {
  readonly total: number
  /** How much one may have under way; as a function it may change while work is under way. */
  readonly perKey: number | ((key: string) => number)
}): Places {
  const capOf = typeof perKey === 'number' ? () => perKey : perKey
  const held = new Map<string, number>()
  const works = new Set<Promise<void>>()
  let failed: { error: unknown } | undefined
  let isWoken = false
  let endWait = (): void => {}
  const isBusy = (key: string, count: number): boolean => 2 * count >= capOf(key)
  const wake = (): void => {
    isWoken = true
    endWait()
  }
  return {
    free: () => total - works.size,
    taken: () => works.size,
    busyKeys: () => [...held].filter(([key, count]) => isBusy(key, count)).map(([key]) => key),
    hold: (key, work) => {
      held.set(key, (held.get(key) ?? 0) + 1)
      const ended = work
        .catch((error: unknown) => {
          failed ??= { error }
        })
        .then(() => {
          works.delete(ended)
          const count = held.get(key) ?? 1
          if (count === 1) held.delete(key)
          else held.set(key, count - 1)
          if ((isBusy(key, count) && !isBusy(key, count - 1)) || works.size === 0) wake()
        })
      works.add(ended)
    },
    nextEnd: async (timeoutMs) => {
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
      await Promise.all(works)
    },
  }
}
