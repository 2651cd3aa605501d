import type { Permit, PermitRules, TakePermit } from '#infra/database/call-permits'
import type { ReserveSlot, Slot } from '#infra/database/call-slots'
import type { Clock } from '#infra/process/clock'
import { pause } from './pause.ts'
import { createTurn, type Turn, UNLIMITED } from './turn.ts'

/** Purchases go before cancels, cancels before look-ups, look-ups before re-reads of listings. */
export type Urgency = 'purchase' | 'cancel' | 'look-up' | 're-read'

export interface Pacer {
  /**
   * The call may go out now; null when there was no turn for it within `patienceMs`, or the signal said stop
   * before.
   */
  take(urgency: Urgency, patienceMs: number, signal?: AbortSignal): Promise<Turn | null>
  /** False when there is no limit: every call has a turn at once. */
  readonly isLimited: boolean
}

const RANK: Readonly<Record<Urgency, number>> = {
  purchase: 0,
  cancel: 1,
  'look-up': 2,
  're-read': 3,
}

/**
 * How many spacings ahead a slot may be taken. Between processes this is the priority: a re-read takes
 * only a slot that is free at once, so that a backlog of them can never stand before a purchase.
 */
const REACH: Readonly<Record<Urgency, number>> = {
  purchase: 40,
  cancel: 16,
  'look-up': 16,
  're-read': 0,
}

/**
 * A caller that waited so long is served next, whatever is more urgent: under a steady stream of purchases
 * the outcome of the earlier ones would not be read any more.
 */
const OVERDUE_MS = { cancel: 300, 'look-up': 300, 're-read': 10_000 } as const

/** How soon it is looked again while all permits are out. */
const PERMIT_LOOK_MS = 50

interface Waiter {
  readonly urgency: Urgency
  readonly sinceMs: number
  readonly untilMs: number
  readonly settle: (turn: Turn | null) => void
}

export interface PacerOptions {
  readonly name: string
  /** 0 sets no limit. */
  readonly spacingMs: number
  readonly permits: PermitRules
  readonly reserveSlot: ReserveSlot
  readonly takePermit: TakePermit
  readonly clock: Clock
}

/**
 * Spaces calls over all processes, and lets no more of them out at once than the counterpart may count
 * in its window: spaced calls that a stalled counterpart reads together are a burst to it. Slots are taken
 * one at a time and given, when their moment comes, to the most urgent caller that waits then: taking them
 * early would queue in order of arrival.
 */
export function createPacer({
  name,
  spacingMs,
  permits,
  reserveSlot,
  takePermit,
  clock,
}: PacerOptions): Pacer {
  const waiters: Waiter[] = []
  let wake: (() => void) | null = null
  let isRunning = false
  let wasOverdue = false
  /** The number of the turn in which an urgency was last served. */
  const servedIn = new Map<Urgency, number>()
  let turns = 0

  const nowMs = (): number => clock.now().getTime()

  const dropExpired = (): void => {
    const now = nowMs()
    for (let i = waiters.length - 1; i >= 0; i--) {
      if ((waiters[i]?.untilMs ?? 0) < now) waiters.splice(i, 1)[0]?.settle(null)
    }
  }

  /**
   * Overdue callers get every other slot at most: they must not starve purchases in their turn. Among
   * them turns go round by urgency, so that neither a flood of cancels nor one of look-ups keeps the
   * other waiting.
   */
  const next = (): Waiter | undefined => {
    const now = nowMs()
    const isOverdue = ({ urgency, sinceMs }: Waiter): boolean =>
      urgency !== 'purchase' && now - sinceMs > OVERDUE_MS[urgency]
    const turnOfLast = ({ urgency }: Waiter): number => servedIn.get(urgency) ?? 0
    const overdue = wasOverdue ? [] : waiters.filter(isOverdue)
    const [chosen = waiters[0]] = overdue.sort((a, b) => turnOfLast(a) - turnOfLast(b))
    wasOverdue = overdue.length > 0
    if (chosen === undefined) return undefined
    waiters.splice(waiters.indexOf(chosen), 1)
    servedIn.set(chosen.urgency, ++turns)
    return chosen
  }

  const refuseAll = (): void => {
    for (const waiter of waiters.splice(0)) waiter.settle(null)
  }

  const serveNext = async (slot: GrantedSlot): Promise<void> => {
    for (dropExpired(); waiters.length > 0; dropExpired()) {
      const permit = await takePermit(name, permits)
      if (permit !== null) {
        const turn = turnOf(permit, slot)
        const waiter = next()
        if (waiter) waiter.settle(turn)
        // The last one left meanwhile.
        else turn.giveBack()
        return
      }
      await pause(PERMIT_LOOK_MS)
    }
    await slot.giveBack()
  }

  const run = async (): Promise<void> => {
    for (dropExpired(); waiters.length > 0; dropExpired()) {
      const first = waiters[0]
      if (first === undefined) break
      const slot = await reserveSlot(name, spacingMs, {
        maxWaitMs: REACH[first.urgency] * spacingMs,
      })
      if (slot.kind === 'granted') {
        await pause(slot.waitMs)
        await serveNext(slot)
        continue
      }
      // No slot in reach: look again a spacing later, or when a more urgent caller comes.
      await Promise.race([pause(spacingMs), new Promise<void>((resolve) => (wake = resolve))])
      wake = null
    }
  }

  const start = (): void => {
    if (isRunning) return
    isRunning = true
    run()
      // Without the shared budget no call may leave: the supplier deletes keys that are too quick.
      .catch(refuseAll)
      .finally(() => {
        isRunning = false
        if (waiters.length > 0) start()
      })
  }

  return {
    isLimited: spacingMs > 0,
    take(urgency, patienceMs, signal) {
      if (spacingMs === 0) return Promise.resolve(UNLIMITED)
      if (signal?.aborted) return Promise.resolve(null)
      return new Promise((resolve) => {
        const leave = (): void => {
          const at = waiters.indexOf(waiter)
          if (at >= 0) waiters.splice(at, 1)[0]?.settle(null)
        }
        const settle = (turn: Turn | null): void => {
          signal?.removeEventListener('abort', leave)
          resolve(turn)
        }
        const sinceMs = nowMs()
        const waiter: Waiter = { urgency, sinceMs, untilMs: sinceMs + patienceMs, settle }
        const at = waiters.findIndex((other) => RANK[other.urgency] > RANK[urgency])
        if (at < 0) waiters.push(waiter)
        else waiters.splice(at, 0, waiter)
        signal?.addEventListener('abort', leave)
        if (at === 0) wake?.()
        start()
      })
    },
  }
}

type GrantedSlot = Extract<Slot, { kind: 'granted' }>

/** A permit whose end cannot be recorded counts until it runs out: later calls are late, not too many. */
const turnOf = (permit: Permit, slot: GrantedSlot): Turn =>
  createTurn({
    end: () => void permit.end().catch(() => {}),
    giveBack: () => void Promise.allSettled([permit.giveBack(), slot.giveBack()]),
  })
