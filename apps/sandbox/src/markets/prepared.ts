import type { Clock } from '../kernel/clock.ts'

/** A big answer that is built once and sent many times. */
export interface Prepared<T> {
  /** Fresh enough, else built anew; callers at the same moment share one build. */
  get(): Promise<T>
  /** What was built last; when that is too old, the next one is built behind this answer. */
  latest(): Promise<T>
  isReady(): boolean
}

export function createPrepared<T>(options: {
  readonly clock: Clock
  readonly maxAgeMs: number
  readonly build: () => Promise<T>
}): Prepared<T> {
  let ready: { readonly value: T; readonly atMs: number } | null = null
  let underWay: Promise<T> | null = null

  const rebuild = async (): Promise<T> => {
    const atMs = options.clock.nowMs()
    try {
      const value = await options.build()
      ready = { value, atMs }
      return value
    } finally {
      underWay = null
    }
  }

  const isFresh = (): boolean =>
    ready !== null && options.clock.nowMs() - ready.atMs < options.maxAgeMs
  const build = (): Promise<T> => {
    underWay ??= rebuild()
    return underWay
  }

  return {
    get: async () => (ready !== null && isFresh() ? ready.value : build()),
    async latest() {
      if (ready === null) return build()
      // The next caller receives its failure.
      if (!isFresh()) build().catch(() => {})
      return ready.value
    },
    isReady: () => ready !== null,
  }
}
