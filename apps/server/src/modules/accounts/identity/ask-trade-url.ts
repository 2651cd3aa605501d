// How a process that answers requests learns what is behind a trade URL: it writes the question down, and
// waits a while for the worker that asks the platform.
import { setTimeout as pause } from 'node:timers/promises'
import type { Db } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import { type Answered, askTradeUrl, readAnswers } from './look-up-store.ts'
import type { GamePlatform, LookUpContext, ParsedTradeUrl, TradeUrlAnswer } from './ports.ts'

/** Good answers count so long, for all processes; refusals never: the user may correct them. */
const GOOD_FOR_MS = 10 * 60_000
/** A question that has waited longer is asked anew: its request has ended. */
export const WAITS_FOR_MS = 60_000
/** So long a request waits for its answer. What comes later serves the next one. */
const PATIENCE_MS = 10_000
const RETRY_AFTER_MS = 2_000
const LOOK_EVERY_MS = 50

export interface AskedPlatform extends GamePlatform {
  /** With who answered and when; null when no answer came in time. */
  lookUp(url: ParsedTradeUrl, context: LookUpContext): Promise<Answered | null>
}

export interface AskedPlatformDeps {
  readonly db: Db
  readonly clock: Clock
  readonly patienceMs?: number
  /** No answer came in time. */
  readonly onUnanswered?: () => void
}

export function createAskedPlatform(deps: AskedPlatformDeps): AskedPlatform {
  const { db, clock, patienceMs = PATIENCE_MS, onUnanswered = () => {} } = deps
  const waitFor = createAnswerWatch(db)

  const lookUp: AskedPlatform['lookUp'] = async (url, context) => {
    const at = clock.now()
    const before = (ms: number): Date => new Date(at.getTime() - ms)
    const goodSince = before(GOOD_FOR_MS)
    await askTradeUrl(db, url, { ...context, at, goodSince, stale: before(WAITS_FOR_MS) })
    return waitFor(url.canonical, patienceMs)
  }

  return {
    lookUp,
    async resolveTradeUrl(url, context): Promise<TradeUrlAnswer> {
      const answered = await lookUp(url, context)
      if (answered === null) {
        onUnanswered()
        const detail = 'the platform was not asked in time'
        return { kind: 'unavailable', detail, retryAfterMs: RETRY_AFTER_MS }
      }
      const { answer } = answered.lookedUp
      if (answer.kind !== 'resolved') return answer
      return { ...answer, goodUntil: new Date(answered.answeredAt.getTime() + GOOD_FOR_MS) }
    },
  }
}

type Waiting = Map<string, Set<(answered: Answered) => void>>

/** One statement for all that wait in this process, as long as any does. */
function createAnswerWatch(db: Db): (url: string, patienceMs: number) => Promise<Answered | null> {
  const waiting: Waiting = new Map()
  let watching: Promise<void> | null = null

  const watch = async (): Promise<void> => {
    try {
      while (waiting.size > 0) {
        for (const answered of await readAnswers(db, [...waiting.keys()])) {
          for (const give of waiting.get(answered.url) ?? []) give(answered)
        }
        if (waiting.size > 0) await pause(LOOK_EVERY_MS)
      }
    } finally {
      watching = null
    }
  }

  return (url, patienceMs) =>
    new Promise((resolve, reject) => {
      const all = waiting.get(url) ?? new Set()
      waiting.set(url, all)
      const leave = (): void => {
        clearTimeout(timer)
        all.delete(give)
        if (all.size === 0 && waiting.get(url) === all) waiting.delete(url)
      }
      const give = (answered: Answered): void => {
        leave()
        resolve(answered)
      }
      const timer = setTimeout(() => {
        leave()
        resolve(null)
      }, patienceMs)
      all.add(give)
      watching ??= watch()
      // A database that is away fails every request that waits for it.
      watching.catch((error: unknown) => {
        leave()
        reject(error)
      })
    })
}
