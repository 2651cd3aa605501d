// Limits of several processes, in a store that all of them ask. It judges itself when it can be trusted:
// lost, slow or newly empty, it says so, and its users decide by themselves.
import { randomUUID } from 'node:crypto'
import type { RunScript } from '../valkey.ts'
import type { Claim, Verdict } from './claim.ts'
import { BEAT, TAKE } from './scripts.ts'
import { MAX_ENTRIES } from './window-log.ts'

export interface SharedStore {
  /** False while it is lost, too slow, or has forgotten what this process knew. */
  isUsable(): boolean
  /** How many processes take from it, this one included, by its last answer. */
  processes(): number
  /**
   * Takes all claims or none; `elsewhere` is, for each of them, what was taken without the store and is
   * entered in any case. Rejects when the answer is late: it may have been taken then.
   */
  take(claims: readonly Claim[], elsewhere: readonly number[]): Promise<Verdict>
  /** Asks after the store now. Also done every second. */
  beat(): Promise<void>
  stop(): void
}

export interface SharedStoreOptions {
  readonly runScript: RunScript
  /** Which connection this is; null while there is none. */
  readonly connection: () => number | null
  readonly windowMs: number
  readonly nowMs: () => number
  /** In front of every key, so that several installations can share a store. */
  readonly prefix: string
  readonly onChange?: (isUsable: boolean) => void
  readonly deadlineMs?: number
}

/**
 * A store that is well answers within a millisecond. With 25 ms three processes that started on two busy
 * cores decided two of their first 120 requests alone; a store that hangs costs its first callers this
 * pause, and those after them nothing.
 */
const DEADLINE_MS = 100
const BEAT_MS = 1000
const BEAT_DEADLINE_MS = 500
const DEAD_AFTER_MS = 5000
const LATE_IN_A_ROW = 3

export function createSharedStore({
  runScript,
  connection,
  windowMs,
  nowMs,
  prefix,
  onChange = () => {},
  deadlineMs = DEADLINE_MS,
}: SharedStoreOptions): SharedStore {
  const processId = randomUUID()
  // One hash slot for both: a cluster refuses scripts over several.
  const beatKeys = [`${prefix}{rate-limits}:processes`, `${prefix}{rate-limits}:life`]
  /** The connection on which it was last well: behind a new one may be another store, or an empty one. */
  let wellOn: number | null = null
  let late = 0
  let processes = 1
  let life: string | null = null
  let distrustedUntilMs = Number.NEGATIVE_INFINITY
  let wasUsable = false
  const beatDeadlineMs = Math.max(BEAT_DEADLINE_MS, deadlineMs)

  const isUsable = (): boolean =>
    wellOn !== null && wellOn === connection() && nowMs() >= distrustedUntilMs
  const report = (): void => {
    const now = isUsable()
    if (now !== wasUsable) onChange(now)
    wasUsable = now
  }

  const beat = async (): Promise<void> => {
    const on = connection()
    try {
      // A store that has not seen the script yet would be asked twice by the first request.
      if (on !== wellOn) await within(beatDeadlineMs, runScript(TAKE, [], [String(windowMs)]))
      const [count, name] = (await within(
        beatDeadlineMs,
        runScript(BEAT, beatKeys, [processId, String(DEAD_AFTER_MS * 1000), randomUUID()]),
      )) as [number, string]
      processes = Math.max(1, Number(count))
      // It was emptied: what it let through within the last window, only the processes still know.
      if (life !== null && life !== String(name)) distrustedUntilMs = nowMs() + windowMs
      life = String(name)
      wellOn = on
      late = 0
    } catch {
      wellOn = null
    }
    report()
  }
  const timer = setInterval(() => void beat(), BEAT_MS)
  timer.unref()

  return {
    isUsable,
    processes: () => processes,
    beat,
    stop: () => clearInterval(timer),
    take: async (claims, elsewhere) => {
      try {
        const keys = claims.map(({ key }) => prefix + key)
        const answer = await within(
          deadlineMs,
          runScript(TAKE, keys, valuesOf(claims, elsewhere, windowMs)),
        )
        late = 0
        return verdictOf(answer as number[], claims.length)
      } catch (error) {
        if (++late >= LATE_IN_A_ROW) wellOn = null
        report()
        throw error
      }
    },
  }
}

function valuesOf(
  claims: readonly Claim[],
  elsewhere: readonly number[],
  windowMs: number,
): string[] {
  const values = [String(windowMs * 1000)]
  for (const [i, { limit, cost }] of claims.entries()) {
    const slot = limit <= MAX_ENTRIES ? 0 : Math.ceil((windowMs * 1000) / MAX_ENTRIES)
    values.push(String(limit), String(cost), String(elsewhere[i] ?? 0), String(slot))
  }
  return values
}

function verdictOf(answer: readonly number[], count: number): Verdict {
  const numbers = answer.map(Number)
  const of = (offset: number): number[] =>
    Array.from({ length: count }, (_, i) => numbers[1 + i * 3 + offset] ?? 0)
  const [used, resets, waitsMs] = [of(0), of(1), of(2)]
  return {
    admitted: numbers[0] === 1,
    levels: used.map((value, i) => ({ used: value, resetMs: resets[i] ?? 0 })),
    waitsMs,
  }
}

/** A timer that fires so much later than it should says that this process stood still. */
const OWN_PAUSE_MS = 10
const MOST_PAUSES = 3

/** Rejects when the work takes longer, not counting the time in which this process stood still. */
function within<T>(deadlineMs: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout
    let pauses = 0
    const arm = (): void => {
      const dueMs = performance.now() + deadlineMs
      timer = setTimeout(() => {
        // Timers run before sockets are read, so an answer may be there unread.
        if (performance.now() - dueMs > OWN_PAUSE_MS && pauses++ < MOST_PAUSES) arm()
        else setImmediate(() => reject(new Error(`no answer within ${deadlineMs} ms`)))
      }, deadlineMs)
    }
    arm()
    work.then(
      (value) => {
        clearTimeout(timer)
        resolve(value)
      },
      (error) => {
        clearTimeout(timer)
        reject(error)
      },
    )
  })
}
