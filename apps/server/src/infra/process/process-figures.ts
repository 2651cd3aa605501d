// What this process knows of itself, for the page of an administrator who has no Prometheus at hand: the same
// as the alerts ErrorsHigh, SlowBuys, SlowReads, EventLoopBlocked and HistoryChanged, of five minutes.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Clock } from './clock.ts'
import { SECONDS_BUCKETS } from './metrics.ts'

export interface Figures {
  /** Of five minutes. */
  readonly requests: number
  /** Of them, with a status of 500 or more. */
  readonly failed: number
  /** 99% of the buys, and of the reads, were answered within this; null: there were none. */
  readonly buySeconds: number | null
  readonly readSeconds: number | null
  /** How late timers were, 99 of 100, in this minute or the one before. */
  readonly loopLagSeconds: number
  /** When the database went on as another server or on another timeline; null: not since the start. */
  readonly historyChangedAt: Date | null
}

export interface ProcessFigures {
  observe(answered: {
    readonly method: string
    readonly route: string
    readonly status: number
    readonly seconds: number
  }): void
  /** The history that the database is on now. */
  noteHistory(history: string): void
  read(): Figures
  stop(): void
}

/** Routes of the classes of deploy/prometheus/objectives.yml, where the same expressions stand. */
export const BUYS = '(/v[12])?/market/(quick-)?buy'
export const READS = '/(market|merchant|user|payout)(/.*)?|/v[12]/.*'
/** They wait for an event, or ask an outside party. */
export const SLOW_READS = '/merchant/events|/(market|user)/live|.*(inventory|/deposit/|onramp).*'

const MINUTES = 5
const MINUTE_MS = 60_000
const LOOP_RESOLUTION_MS = 20

/** Answers by the bound that they stay within. */
type Histogram = number[]
interface Minute {
  nth: number
  requests: number
  failed: number
  readonly buy: Histogram
  readonly read: Histogram
}

export function createProcessFigures({ now }: Clock): ProcessFigures {
  const minutes: Minute[] = Array.from({ length: MINUTES }, () => newMinute(-1))
  const loop = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS })
  loop.enable()
  let lagBefore = 0
  let current = minuteOf(now())
  let history: { readonly name: string; readonly changedAt: Date | null } | null = null

  /** The delay that is measured includes its own interval. */
  const lagNow = (): number => {
    const ms = loop.percentile(99) / 1e6 - LOOP_RESOLUTION_MS
    return Number.isFinite(ms) ? Math.max(0, ms) / 1000 : 0
  }
  const thisMinute = (): Minute => {
    const nth = minuteOf(now())
    if (nth !== current) {
      lagBefore = nth === current + 1 ? lagNow() : 0
      loop.reset()
      current = nth
    }
    const at = nth % MINUTES
    if (minutes[at]?.nth !== nth) minutes[at] = newMinute(nth)
    return minutes[at] as Minute
  }

  return {
    observe: ({ method, route, status, seconds }) => {
      const minute = thisMinute()
      minute.requests += 1
      if (status >= 500) minute.failed += 1
      const kind = classOf(method, route)
      if (kind === null || status < 200 || status >= 300) return
      const bound = SECONDS_BUCKETS.findIndex((limit) => seconds <= limit)
      const i = bound === -1 ? SECONDS_BUCKETS.length - 1 : bound
      minute[kind][i] = (minute[kind][i] ?? 0) + 1
    },
    noteHistory: (name) => {
      if (history === null) history = { name, changedAt: null }
      else if (history.name !== name) history = { name, changedAt: now() }
    },
    read: () => {
      const { nth } = thisMinute()
      const recent = minutes.filter((minute) => minute.nth > nth - MINUTES)
      const sum = (of: (minute: Minute) => number): number =>
        recent.reduce((total, minute) => total + of(minute), 0)
      return {
        requests: sum(({ requests }) => requests),
        failed: sum(({ failed }) => failed),
        buySeconds: within(0.99, (i) => sum(({ buy }) => buy[i] ?? 0)),
        readSeconds: within(0.99, (i) => sum(({ read }) => read[i] ?? 0)),
        loopLagSeconds: Math.max(lagBefore, lagNow()),
        historyChangedAt: history?.changedAt ?? null,
      }
    },
    stop: () => {
      loop.disable()
    },
  }
}

const minuteOf = (at: Date): number => Math.floor(at.getTime() / MINUTE_MS)

const newMinute = (nth: number): Minute => ({
  ...{ nth, requests: 0, failed: 0 },
  buy: SECONDS_BUCKETS.map(() => 0),
  read: SECONDS_BUCKETS.map(() => 0),
})

const whole = (expression: string): RegExp => new RegExp(`^(?:${expression})$`)
const [BUY, READ, SLOW_READ] = [whole(BUYS), whole(READS), whole(SLOW_READS)]
/** Routes are few: they are patterns, never paths. */
const classes = new Map<string, 'buy' | 'read' | null>()

function classOf(method: string, route: string): 'buy' | 'read' | null {
  const key = `${method} ${route}`
  let found = classes.get(key)
  if (found === undefined) {
    if (method === 'POST' && BUY.test(route)) found = 'buy'
    else found = method === 'GET' && READ.test(route) && !SLOW_READ.test(route) ? 'read' : null
    classes.set(key, found)
  }
  return found
}

/** The smallest bound that so large a share stays within; the largest one where none does. */
function within(share: number, countOf: (bound: number) => number): number | null {
  const counts = SECONDS_BUCKETS.map((_, i) => countOf(i))
  const wanted = share * counts.reduce((total, count) => total + count, 0)
  if (wanted === 0) return null
  let seen = 0
  const i = counts.findIndex((count) => {
    seen += count
    return seen >= wanted
  })
  return SECONDS_BUCKETS[i] ?? null
}
