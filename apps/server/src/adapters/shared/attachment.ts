import { pause } from './pause.ts'

/**
 * How a snapshot and the live changes of one feed fit together without a hole between them: a snapshot
 * waits a moment for a socket that is just connecting, and a socket that comes after a snapshot reports
 * that something may have been lost.
 */
export interface Attachment {
  /** Changes are being asked for; the socket is not up yet. */
  connecting(): void
  /** The socket is up. True when events before may have been lost. */
  connected(): boolean
  ended(): void
  beforeSnapshot(signal: AbortSignal): Promise<void>
}

/** Longer than a healthy socket takes. A market whose socket is down must still be read. */
const WAIT_MS = 3_000

export function createAttachment(): Attachment {
  let waiting: PromiseWithResolvers<void> | null = null
  let hasSnapshot = false
  let hadConnection = false

  const release = (): void => {
    waiting?.resolve()
    waiting = null
  }

  return {
    connecting() {
      release()
      hadConnection = false
      waiting = Promise.withResolvers()
    },
    connected() {
      const mayHaveLost = hasSnapshot || hadConnection
      hadConnection = true
      release()
      return mayHaveLost
    },
    ended: release,
    async beforeSnapshot(signal) {
      if (waiting !== null) await Promise.race([waiting.promise, pause(WAIT_MS, signal)])
      hasSnapshot = true
    },
  }
}
