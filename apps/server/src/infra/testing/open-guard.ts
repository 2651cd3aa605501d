// Guards for calls that a test makes itself: for no item that another worker could take over, or for one that
// another worker has taken over.
import type { SendGuard } from '../jobs/send-guard.ts'

export const openGuard: SendGuard = { begin: async () => true, remainingMs: () => 600_000 }

/** Taken over before the call, and in its last moment: nothing leaves under either. */
export const closedGuards: readonly SendGuard[] = [
  { begin: async () => false, remainingMs: () => 600_000 },
  { begin: async () => true, remainingMs: () => 100 },
]
