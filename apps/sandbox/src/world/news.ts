import type { ListingChange } from './types.ts'

type Listener = (change: ListingChange) => void

export interface News {
  tell(change: ListingChange): void
  subscribe(listener: Listener): () => void
}

/**
 * Tells every change to every listener, in order. A listener that changes the world while it is
 * told adds to the end of the line, so that all hear the same sequence.
 */
export function createNews(): News {
  const listeners = new Set<Listener>()
  const line: ListingChange[] = []
  let isTelling = false

  return {
    tell(change) {
      if (listeners.size === 0) return
      line.push(change)
      if (isTelling) return
      isTelling = true
      try {
        for (let next = line.shift(); next !== undefined; next = line.shift()) {
          for (const listener of [...listeners]) listener(next)
        }
      } finally {
        isTelling = false
        // After a listener that threw, the rest is no news any more to anybody who goes on.
        line.length = 0
      }
    },
    subscribe(listener) {
      // Wrapped, so that one function may listen twice and each can stop for itself.
      const own: Listener = (change) => listener(change)
      listeners.add(own)
      return () => {
        listeners.delete(own)
      }
    },
  }
}
