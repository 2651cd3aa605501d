/**
 * Where the sandbox keeps what must survive its process. All calls are synchronous: what an answer
 * acknowledges was written before it is sent, so that a kill at any moment loses nothing acknowledged.
 */
export interface Store {
  readSetting(name: string): string | null
  writeSetting(name: string, value: string): void
  /** The table of this name; it is created when it does not exist. */
  table(name: string): Table
  /** All writes of `work`, or none. */
  atomically<T>(work: () => T): T
  close(): void
}

/** Rows of text by number. What the text means is its owner's business. */
export interface Table {
  /** Inserts or replaces the row. */
  write(key: number, row: string): void
  /** Inserts a row under the next number. */
  append(row: string): void
  /** By rising number. */
  rows(): Iterable<{ readonly key: number; readonly row: string }>
  clear(): void
}

/** Keeps nothing: the memory of the process is then the only copy. */
export function createMemoryStore(): Store {
  const table: Table = { write: () => {}, append: () => {}, rows: () => [], clear: () => {} }
  return {
    readSetting: () => null,
    writeSetting: () => {},
    table: () => table,
    atomically: (work) => work(),
    close: () => {},
  }
}
