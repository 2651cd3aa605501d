import type { Clock } from '#platform/clock'
import type { ReserveSlot } from '#platform/lease'
import { pause } from './pause.ts'

/** Purchases go before look-ups, look-ups before re-reads of listings. */
export type Urgency = 'purchase' | 'look-up' | 're-read'

export interface Pacer {
  /** True when the call may go out now; false when no slot came within `patienceMs`. */
  take(urgency: Urgency, patienceMs: number): Promise<boolean>
}

const RANK: Readonly<Record<Urgency, number>> = { purchase: 0, 'look-up': 1, 're-read': 2 }

/**
 * How many spacings ahead a slot may be taken. Between processes this is the priority: a re-read takes
 * only a slot that is free at once, so that a backlog of them can never stand before a purchase.
 */
const REACH: Readonly<Record<Urgency, number>> = { purchase: 40, 'look-up': 16, 're-read': 0 }

/**
 * Whoever waited so long is served next, whatever is more urgent: under a steady stream of purchases
 * nobody would learn any more what became of the earlier ones.
 */
const OVERDUE_MS = { 'look-up': 700, 're-read': 10_000 } as const

interface Waiter {
  readonly urgency: Urgency
  readonly sinceMs: number
  readonly untilMs: number
  readonly settle: (granted: boolean) => void
}

/**
 * Spaces calls over all processes. Slots are taken one at a time and given, when their moment comes, to
 * the most urgent caller that waits then: taking them early would queue in order of arrival.
 */
export function createPacer({
  name,
  spacingMs,
  reserveSlot,
  clock,
}: {
  readonly name: string
  /** 0 sets no limit. */
  readonly spacingMs: number
  readonly reserveSlot: ReserveSlot
  readonly clock: Clock
}): Pacer {
  const waiters: Waiter[] = []
  let wake: (() => void) | null = null
  let isRunning = false
  let wasOverdue = false

  const nowMs = (): number => clock.now().getTime()

  const dropImpatient = (): void => {
    const now = nowMs()
    for (let i = waiters.length - 1; i >= 0; i--) {
      if ((waiters[i]?.untilMs ?? 0) < now) waiters.splice(i, 1)[0]?.settle(false)
    }
  }

  /** Overdue callers get every other slot at most: they must not starve purchases in their turn. */
  const next = (): Waiter | undefined => {
    const now = nowMs()
    const isOverdue = ({ urgency, sinceMs }: Waiter): boolean =>
      urgency !== 'purchase' && now - sinceMs > OVERDUE_MS[urgency]
    const at = wasOverdue ? -1 : waiters.findIndex(isOverdue)
    wasOverdue = at >= 0
    return wasOverdue ? waiters.splice(at, 1)[0] : waiters.shift()
  }

  const refuseAll = (): void => {
    for (const waiter of waiters.splice(0)) waiter.settle(false)
  }

  const run = async (): Promise<void> => {
    for (dropImpatient(); waiters.length > 0; dropImpatient()) {
      const first = waiters[0]
      if (first === undefined) break
      const slot = await reserveSlot(name, spacingMs, {
        maxWaitMs: REACH[first.urgency] * spacingMs,
      })
      if (slot.kind === 'granted') {
        await pause(slot.waitMs)
        next()?.settle(true)
        continue
      }
      // No slot in reach: look again a spacing later, or when somebody more urgent comes.
      await Promise.race([pause(spacingMs), new Promise<void>((resolve) => (wake = resolve))])
      wake = null
    }
  }

  const start = (): void => {
    if (isRunning) return
    isRunning = true
    run()
      // Without the shared budget nobody may call: the supplier deletes keys that are too quick.
      .catch(refuseAll)
      .finally(() => {
        isRunning = false
        if (waiters.length > 0) start()
      })
  }

  return {
    take(urgency, patienceMs) {
      if (spacingMs === 0) return Promise.resolve(true)
      return new Promise((settle) => {
        const sinceMs = nowMs()
        const waiter = { urgency, sinceMs, untilMs: sinceMs + patienceMs, settle }
        const place = waiters.findIndex((other) => RANK[other.urgency] > RANK[urgency])
        if (place < 0) waiters.push(waiter)
        else waiters.splice(place, 0, waiter)
        if (place === 0) wake?.()
        start()
      })
    },
  }
}
