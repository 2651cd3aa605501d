// Refusals of rate limits at a pace. A client that goes on whatever `retry-after` says would be refused as
// fast as it can send, and hundreds of refusals a second are work that other tenants wait for.
import { setTimeout as pause } from 'node:timers/promises'

export interface RefusalPace {
  /** Resolves when the next refusal of the tenant may be answered; null: at once. */
  next(tenantId: string): Promise<void> | null
}

export interface RefusalPaceDeps {
  /** Milliseconds of a clock that never goes back. */
  readonly nowMs: () => number
  readonly pause?: (milliseconds: number) => Promise<void>
}

/** Clients that send what they had under way, and stop, never wait. */
export const REFUSALS_AT_ONCE = 20
export const REFUSALS_PER_SECOND = 10
/** Shorter than the patience of any client. */
export const LONGEST_HOLD_MS = 1000
/** Each held request is memory: above this many of a tenant, further ones are answered at once. */
export const MOST_HELD = 100
/** Above this many the one that has been refused least lately starts anew. */
const MOST_TENANTS = 10_000

const INTERVAL_MS = 1000 / REFUSALS_PER_SECOND
const AHEAD_MS = REFUSALS_AT_ONCE * INTERVAL_MS

interface Refused {
  /** When all refusals so far would have been answered, one each interval. */
  until: number
  held: number
}

/** The generic cell rate algorithm of ITU-T I.371, with a longest wait. */
export function createRefusalPace({
  nowMs,
  pause: hold = (milliseconds) => pause(milliseconds),
}: RefusalPaceDeps): RefusalPace {
  const tenants = new Map<string, Refused>()

  const refusedOf = (tenantId: string): Refused => {
    const known = tenants.get(tenantId)
    const refused = known ?? { until: 0, held: 0 }
    // The latest last.
    if (known !== undefined) tenants.delete(tenantId)
    else if (tenants.size >= MOST_TENANTS) tenants.delete(tenants.keys().next().value as string)
    tenants.set(tenantId, refused)
    return refused
  }

  return {
    next: (tenantId) => {
      const refused = refusedOf(tenantId)
      const now = nowMs()
      refused.until = Math.min(
        Math.max(refused.until, now) + INTERVAL_MS,
        now + AHEAD_MS + LONGEST_HOLD_MS,
      )
      const waitMs = refused.until - now - AHEAD_MS
      if (waitMs <= 0 || refused.held >= MOST_HELD) return null
      refused.held++
      return hold(waitMs).finally(() => refused.held--)
    },
  }
}
