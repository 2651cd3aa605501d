// A supplier's budget of calls in a minute, shared by all processes and kept before the supplier has to.
import type { ReserveSlot } from '#infra/database/call-slots'
import { pause } from './pause.ts'
import { createTurn, type Turn, UNLIMITED } from './turn.ts'

export interface MinuteBudget {
  /** The call may go out now; null when no turn comes within `patienceMs`, or the signal first. */
  take(patienceMs: number, signal?: AbortSignal): Promise<Turn | null>
  /** False when there is no limit: every call has a turn at once. */
  readonly isLimited: boolean
  /** How long a call without a turn does well to wait. */
  readonly spacingMs: number
}

/** Of the calls in a minute so many may go at once; the others come one by one. */
const BURST_SHARE = 1 / 5

const burstOf = (callsPerMinute: number): number =>
  Math.max(1, Math.floor(callsPerMinute * BURST_SHARE))

/** Of those in a minute, the calls that come one by one. */
export const sustainedOf = (callsPerMinute: number): number =>
  Math.max(1, callsPerMinute - burstOf(callsPerMinute))

/**
 * At most `callsPerMinute` calls in any sixty seconds: a burst of a fifth of them, and the other four
 * fifths evenly spaced, so that a burst and a minute of spaced calls together are the budget.
 */
export function createMinuteBudget(
  name: string,
  { callsPerMinute, reserveSlot }: { callsPerMinute: number; reserveSlot: ReserveSlot },
): MinuteBudget {
  if (callsPerMinute === 0) return { take: async () => UNLIMITED, isLimited: false, spacingMs: 0 }
  const burst = burstOf(callsPerMinute)
  const spacingMs = Math.ceil(60_000 / sustainedOf(callsPerMinute))
  return {
    spacingMs,
    isLimited: true,
    async take(patienceMs, signal) {
      const slot = await reserveSlot(name, spacingMs, { burst, maxWaitMs: patienceMs })
      if (slot.kind === 'refused') return null
      await pause(slot.waitMs, signal)
      const giveBack = (): void => void slot.giveBack().catch(() => {})
      if (signal?.aborted !== true) return createTurn({ end: () => {}, giveBack })
      giveBack()
      return null
    },
  }
}
