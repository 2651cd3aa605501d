// A bounded number of pieces of work under way at once, each for somebody (its key). A round of claiming
// fills the free places again and again, so that one slow piece holds up nothing but itself.

export interface Places {
  readonly perKey: number
  free(): number
  taken(): number
  /** Keys that already have half of what one may have under way. */
  busyKeys(): string[]
  hold(key: string, work: Promise<void>): void
  /** Waits this long, or less when half of the places are free. Throws what a piece of work has thrown. */
  nextEnd(timeoutMs: number): Promise<void>
  allEnded(): Promise<void>
}

export function createPlaces({ total, perKey }: { total: number; perKey: number }): Places {
  const held = new Map<string, number>()
  const works = new Set<Promise<void>>()
  let failed: { error: unknown } | undefined
  let onRoom = (): void => {}
  return {
    perKey,
    free: () => total - works.size,
    taken: () => works.size,
    busyKeys: () => [...held].filter(([, count]) => 2 * count >= perKey).map(([key]) => key),
    hold: (key, work) => {
      held.set(key, (held.get(key) ?? 0) + 1)
      const ended = work
        .catch((error: unknown) => {
          failed ??= { error }
        })
        .then(() => {
          works.delete(ended)
          const left = (held.get(key) ?? 1) - 1
          if (left === 0) held.delete(key)
          else held.set(key, left)
          if (2 * works.size <= total) onRoom()
        })
      works.add(ended)
    },
    nextEnd: async (timeoutMs) => {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, timeoutMs)
        onRoom = () => {
          clearTimeout(timer)
          resolve()
        }
      })
      if (failed) throw failed.error
    },
    allEnded: async () => {
      await Promise.all(works)
    },
  }
}
