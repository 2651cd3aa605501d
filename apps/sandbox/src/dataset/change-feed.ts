import type { ListingChange } from './types.ts'

type Listener = (change: ListingChange) => void

export interface ChangeFeed {
  publish(change: ListingChange): void
  subscribe(listener: Listener): () => void
}

/**
 * Publishes every change to every listener, in order. A change that a listener makes during a
 * publication is queued, so that all listeners receive the same sequence.
 */
export function createChangeFeed(): ChangeFeed {
  const listeners = new Set<Listener>()
  const queue: ListingChange[] = []
  let isPublishing = false

  return {
    publish(change) {
      if (listeners.size === 0) return
      queue.push(change)
      if (isPublishing) return
      isPublishing = true
      try {
        for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
          for (const listener of [...listeners]) listener(next)
        }
      } finally {
        isPublishing = false
        // After a listener threw, the changes that wait are dropped: they are stale for the next caller.
        queue.length = 0
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
