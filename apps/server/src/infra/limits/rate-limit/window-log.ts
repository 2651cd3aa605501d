// What was taken of one limit within the last window, entry by entry: a ring of stamps and costs. A
// bucket that refills would be one number instead, and would let through nearly twice its size in some
// windows: a full bucket at once, and what has trickled in by the end of the minute.

/** Above this many entries a log counts in slots, so that its memory has a bound whatever the limit is. */
export const MAX_ENTRIES = 4096

export interface WindowLog {
  stamps: Float64Array
  costs: Float64Array
  /** The oldest entry. */
  head: number
  count: number
  /** The sum of the costs in the ring. */
  used: number
}

const FIRST_CAPACITY = 4

export const newLog = (): WindowLog => ({
  stamps: new Float64Array(FIRST_CAPACITY),
  costs: new Float64Array(FIRST_CAPACITY),
  head: 0,
  count: 0,
  used: 0,
})

/** Lets go of what has left the window, and says what is in it. */
export function usedOf(log: WindowLog, nowMs: number, windowMs: number): number {
  // The same sum as in the waits below, or its rounding could return a wait that is a moment too short.
  while (log.count > 0 && (log.stamps[log.head] as number) + windowMs <= nowMs) {
    log.used -= log.costs[log.head] as number
    log.head = (log.head + 1) % log.stamps.length
    log.count--
  }
  return log.used
}

/** After `usedOf` of the same moment. */
export function take(log: WindowLog, cost: number, stampMs: number): void {
  log.used += cost
  if (log.count > 0) {
    const last = (log.head + log.count - 1) % log.stamps.length
    if ((log.stamps[last] as number) >= stampMs) {
      log.costs[last] = (log.costs[last] as number) + cost
      return
    }
  }
  if (log.count === log.stamps.length) grow(log)
  const next = (log.head + log.count) % log.stamps.length
  log.stamps[next] = stampMs
  log.costs[next] = cost
  log.count++
}

/**
 * The stamp under which something is entered. Of a limit that is too large to keep each entry, it is the
 * end of a slot: what is entered then leaves a little later than it might, and never earlier.
 */
export function stampOf(nowMs: number, limit: number, windowMs: number): number {
  if (limit <= MAX_ENTRIES) return nowMs
  const slotMs = windowMs / MAX_ENTRIES
  return Math.ceil(nowMs / slotMs) * slotMs
}

/** How long until the oldest entry leaves. */
export const resetOf = (log: WindowLog, nowMs: number, windowMs: number): number =>
  log.count === 0 ? 0 : (log.stamps[log.head] as number) + windowMs - nowMs

/** How long until so much has left that `cost` fits below `limit`; 0 when it does now. */
export function waitOf(
  log: WindowLog,
  {
    cost,
    limit,
    nowMs,
    windowMs,
  }: { cost: number; limit: number; nowMs: number; windowMs: number },
): number {
  let excess = log.used + cost - limit
  if (excess <= 0) return 0
  for (let i = 0; i < log.count; i++) {
    const at = (log.head + i) % log.stamps.length
    excess -= log.costs[at] as number
    if (excess <= 0) return (log.stamps[at] as number) + windowMs - nowMs
  }
  // It costs more than the whole limit, which is a mistake in a table: it never fits.
  return windowMs
}

function grow(log: WindowLog): void {
  const { head, count, stamps, costs } = log
  const inOrder = (from: Float64Array): Float64Array => {
    const to = new Float64Array(from.length * 2)
    to.set(from.subarray(head, head + count), 0)
    to.set(from.subarray(0, Math.max(0, head + count - from.length)), from.length - head)
    return to
  }
  log.stamps = inOrder(stamps)
  log.costs = inOrder(costs)
  log.head = 0
}
