// A guard for calls that a test makes itself, for no item that another worker could take over.
import type { SendGuard } from '../send-guard.ts'

export const openGuard: SendGuard = { begin: async () => true, remainingMs: () => 600_000 }
