import { createReserveFairSlot, type ReserveSlot } from '#infra/database/call-slots'
import { pause } from '../shared/pause.ts'

/**
 * `0`: go on; else the milliseconds after which a call may leave. With a tenant the call is one of a budget
 * that tenants share.
 */
export type Spend = (
  name: string,
  spacingMs: number,
  /** `goesOn`: with a read that has begun, which is not given up for its tenant's share. */
  caller?: { readonly tenantId: string; readonly goesOn?: boolean },
) => Promise<number>

/** The longest that a call waits for its turn; beyond that its caller has better things to do. */
const MOST_WAIT_MS = 3_000

/**
 * Calls of one name leave one after the other, so far apart, over all processes. The platform counts calls
 * by address and by account, and bars a caller that exceeds it.
 */
export function createBudget(reserveSlot: ReserveSlot): Spend {
  const reserveFairSlot = createReserveFairSlot(reserveSlot)
  return async (name, spacingMs, caller) => {
    if (spacingMs === 0) return 0
    const limit = { maxWaitMs: MOST_WAIT_MS }
    const slot = await (caller === undefined
      ? reserveSlot(name, spacingMs, limit)
      : reserveFairSlot(name, spacingMs, { ...caller, ...limit }))
    if (slot.kind === 'refused') return slot.retryAfterMs
    await pause(slot.waitMs)
    return 0
  }
}
