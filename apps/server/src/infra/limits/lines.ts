/** Runs `work` once all that was asked for before it under the same key has ended, whatever became of it. */
export type InLine = <T>(key: string, work: () => Promise<T>) => Promise<T>

/** One at a time for a key, in the order in which they were asked for; different keys run at once. */
export function createLines(): InLine {
  const lines = new Map<string, Promise<void>>()

  return async (key, work) => {
    const mine = (lines.get(key) ?? Promise.resolve()).then(work)
    const settled = mine.then(
      () => {},
      () => {},
    )
    lines.set(key, settled)
    try {
      return await mine
    } finally {
      if (lines.get(key) === settled) lines.delete(key)
    }
  }
}
