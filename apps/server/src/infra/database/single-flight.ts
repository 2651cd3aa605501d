// Identical reads that are asked for at the same time are one read.

/**
 * The value of `read`, which those share who ask under one key: one read of a key runs at a time, and who
 * asks while it runs shares the next one. Each begins after all that share it have asked, so it sees
 * whatever any of them may know to be there. An error reaches all of them.
 */
export type SingleFlight<Value> = (key: string, read: () => Promise<Value>) => Promise<Value>

export function createSingleFlight<Value>(): SingleFlight<Value> {
  interface Shared {
    hasBegun: boolean
    readonly value: Promise<Value>
  }
  /** The last of each key: one that runs, or one that begins after it. */
  const lastOf = new Map<string, Shared>()

  return (key, read) => {
    const last = lastOf.get(key)
    if (last !== undefined && !last.hasBegun) return last.value
    const begin = async (): Promise<Value> => {
      if (last !== undefined) await last.value.catch(() => {})
      // Requests that arrive in this turn of the event loop join it.
      else await new Promise(setImmediate)
      shared.hasBegun = true
      try {
        return await read()
      } finally {
        if (lastOf.get(key) === shared) lastOf.delete(key)
      }
    }
    const shared: Shared = { hasBegun: false, value: begin() }
    lastOf.set(key, shared)
    return shared.value
  }
}
