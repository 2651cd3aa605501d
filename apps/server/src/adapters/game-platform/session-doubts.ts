// The Web API refuses single methods to a session that is good for all others. Taken for the end of the
// session, such a refusal would have the bot logged in again for each of its calls.
import type { Clock } from '#infra/process/clock'
import type { Session } from './sessions.ts'

export interface SessionDoubts {
  /** A call with the session was not refused. */
  served(session: Session): void
  /** Whether the session may be good although the Web API has refused this call. */
  isSpared(session: Session, refusal: Refusal): boolean
}

interface Refusal {
  readonly status: number
  readonly operation: string
  /** The session was begun because another was refused the same call a moment ago. */
  readonly isRenewed: boolean
}

/** Then a method that refused a new session is believed to have refused the session itself. */
const SPARED_FOR_MS = 600_000

export function createSessionDoubts(clock: Clock): SessionDoubts {
  /** Of these the last call was refused with 403: the next one decides. */
  const doubted = new WeakSet<Session>()
  /** Until when a method is known to refuse a session that had just begun. */
  const refusing = new WeakMap<Session, Map<string, number>>()

  return {
    served: (session) => void doubted.delete(session),
    isSpared(session, { status, operation, isRenewed }) {
      const nowMs = clock.now().getTime()
      if (status === 403) {
        if (doubted.has(session) && !isRenewed) return false
        doubted.add(session)
        return true
      }
      const until = refusing.get(session) ?? new Map<string, number>()
      if (isRenewed) refusing.set(session, until.set(operation, nowMs + SPARED_FOR_MS))
      return (until.get(operation) ?? 0) > nowMs
    },
  }
}
