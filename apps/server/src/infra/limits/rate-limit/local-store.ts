// Limits of one process, in its memory. It looks at a clock that only goes forward: a wall clock that is
// set back would refuse every request, one that is set forward would admit each twice.
import type { Claim, Level, Verdict } from './claim.ts'
import { newLog, resetOf, stampOf, take, usedOf, type WindowLog, waitOf } from './window-log.ts'

export interface LocalStore {
  /** Takes all claims or none. With a weight each costs so many times as much, up to its limit. */
  take(claims: readonly Claim[], weight?: number): Verdict
  read(claims: readonly Claim[]): Level[]
  /** Enters what was taken elsewhere, whether there is room for it or not. */
  enter(claim: Claim): void
  used(key: string): number
  /** What was used, which is forgotten. */
  drain(key: string): number
  /** How many keys are remembered. */
  size(): number
}

export interface LocalStoreOptions {
  readonly windowMs: number
  /** Milliseconds of a clock that never goes back. */
  readonly nowMs: () => number
  /** Above this many keys the oldest are forgotten: for keys that unauthenticated callers can make up. */
  readonly maxKeys?: number
}

export function createLocalStore({
  windowMs,
  nowMs,
  maxKeys = Number.POSITIVE_INFINITY,
}: LocalStoreOptions): LocalStore {
  const logs = createLogs({ windowMs, maxKeys })

  const levelOf = (log: WindowLog, now: number): Level => ({
    used: usedOf(log, now, windowMs),
    resetMs: resetOf(log, now, windowMs),
  })

  return {
    // On the path of every request: plain loops cost half of what closures do.
    take(claims, weight = 1) {
      const now = nowMs()
      const found: Found[] = []
      let admitted = true
      for (const { key, limit, cost } of claims) {
        const log = logs.find(key, now)
        const charge = weight === 1 ? cost : Math.min(cost * weight, Math.max(limit, cost))
        if (usedOf(log, now, windowMs) + charge > limit) admitted = false
        found.push({ log, charge, limit })
      }
      const levels: Level[] = []
      for (const { log, charge, limit } of found) {
        if (admitted && charge > 0) take(log, charge, stampOf(now, limit, windowMs))
        levels.push({ used: log.used, resetMs: resetOf(log, now, windowMs) })
      }
      if (admitted) return { admitted, levels, waitsMs: NO_WAITS }
      const waitsMs = found.map(({ log, charge, limit }) =>
        waitOf(log, { cost: charge, limit, nowMs: now, windowMs }),
      )
      return { admitted, levels, waitsMs }
    },

    read(claims) {
      const now = nowMs()
      return claims.map(({ key }) => {
        const log = logs.peek(key)
        return log === undefined ? EMPTY : levelOf(log, now)
      })
    },

    enter({ key, limit, cost }) {
      const now = nowMs()
      const log = logs.find(key, now)
      usedOf(log, now, windowMs)
      take(log, cost, stampOf(now, limit, windowMs))
    },

    used(key) {
      const log = logs.peek(key)
      return log === undefined ? 0 : usedOf(log, nowMs(), windowMs)
    },

    drain(key) {
      const log = logs.peek(key)
      if (log === undefined) return 0
      logs.forget(key)
      return usedOf(log, nowMs(), windowMs)
    },

    size: logs.size,
  }
}

interface Found {
  readonly log: WindowLog
  readonly charge: number
  readonly limit: number
}

const EMPTY: Level = { used: 0, resetMs: 0 }
const NO_WAITS: readonly number[] = []

/**
 * Logs by key, in two generations of at least one window each. What is used moves to the young one; when
 * a generation ends, the old one was not used for a whole window and holds nothing that counts.
 */
function createLogs({ windowMs, maxKeys }: { windowMs: number; maxKeys: number }) {
  let young = new Map<string, WindowLog>()
  let old = new Map<string, WindowLog>()
  let turnsAtMs = Number.NEGATIVE_INFINITY

  const turn = (now: number): void => {
    old = now >= turnsAtMs + windowMs ? new Map() : young
    young = new Map()
    turnsAtMs = now + windowMs
  }

  const makeRoom = (): void => {
    if (young.size + old.size < maxKeys) return
    const from = old.size > 0 ? old : young
    from.delete(from.keys().next().value as string)
  }

  return {
    find(key: string, now: number): WindowLog {
      if (now >= turnsAtMs) turn(now)
      const log = young.get(key)
      if (log !== undefined) return log
      const kept = old.get(key)
      if (kept === undefined) makeRoom()
      else old.delete(key)
      const found = kept ?? newLog()
      young.set(key, found)
      return found
    },
    peek: (key: string): WindowLog | undefined => young.get(key) ?? old.get(key),
    forget(key: string): void {
      young.delete(key)
      old.delete(key)
    },
    size: (): number => young.size + old.size,
  }
}
