import type { Clock } from '../kernel/clock.ts'

/** A big answer that is built once and sent many times. */
export interface Prepared<T> {
  /** Fresh enough, else built anew; callers at the same moment share one build. */
  get(): Promise<T>
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

  return {
    async get() {
      if (ready !== null && options.clock.nowMs() - ready.atMs < options.maxAgeMs)
        return ready.value
      underWay ??= rebuild()
      return underWay
    },
    isReady: () => ready !== null,
  }
}
