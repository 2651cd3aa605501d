// Requests that wait for something to happen: each for a bounded time, and under a key that has a bound of
// its own, so that one caller takes no slot of another.

export interface Wait<T> {
  readonly key: string
  readonly about: T
  /** Resolves it; later calls do nothing. */
  end(hasHappened: boolean): void
}

export interface WaitBounds {
  readonly total: number
  readonly perKey: number
}

export interface Waits<T> {
  /**
   * Resolves to true when it happened; to false when the time is over, when all were ended, or when a newer
   * wait took its slot.
   */
  add(wait: Pick<Wait<T>, 'key' | 'about'>, durationMs: number): Promise<boolean>
  /** In order of arrival. */
  list(): readonly Wait<T>[]
  /** Ends every wait now, with false. */
  endAll(): void
}

export function createWaits<T>({ total, perKey }: WaitBounds): Waits<T> {
  const waits = new Set<Wait<T>>()
  return {
    add: ({ key, about }, durationMs) => {
      // The oldest waits end first: their callers are the likeliest to have disconnected.
      const own = [...waits].filter((wait) => wait.key === key)
      if (own.length >= perKey) own[0]?.end(false)
      const [oldest] = waits
      if (waits.size >= total) oldest?.end(false)
      return new Promise((resolve) => {
        const wait: Wait<T> = {
          key,
          about,
          end: (hasHappened) => {
            clearTimeout(timer)
            waits.delete(wait)
            resolve(hasHappened)
          },
        }
        const timer = setTimeout(() => wait.end(false), durationMs)
        waits.add(wait)
      })
    },
    list: () => [...waits],
    endAll: () => {
      for (const wait of waits) wait.end(false)
    },
  }
}
