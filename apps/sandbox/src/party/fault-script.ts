import type { Store } from '../store/store.ts'

/** Entries that each change the result of one later call, first to last. Survives a restart. */
export interface FaultScript {
  list(): readonly string[]
  append(entries: readonly string[]): void
  clear(): void
  /** The entry of the call that has just arrived; null when none is queued. */
  take(): string | null
}

export function createFaultScript(store: Store, partyId: string): FaultScript {
  const name = `script:${partyId}`
  let entries = JSON.parse(store.readSetting(name) ?? '[]') as readonly string[]
  const write = (next: readonly string[]): void => {
    entries = next
    store.writeSetting(name, JSON.stringify(entries))
  }
  return {
    list: () => entries,
    append: (more) => write([...entries, ...more]),
    clear: () => write([]),
    take() {
      const [first, ...rest] = entries
      if (first === undefined) return null
      write(rest)
      return first
    },
  }
}
