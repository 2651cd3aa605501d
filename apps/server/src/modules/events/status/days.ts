// The history of a component by day. Pure.
import { GRAVITY, type Period, type Status } from './status.ts'

export interface Day {
  /** In UTC, as `2026-11-21`. */
  readonly date: string
  /** The gravest status of that day; null: nothing was known of the component. */
  readonly status: Status | null
  /** Seconds in each status but operational; what is not here was none. */
  readonly seconds: Readonly<Partial<Record<Exclude<Status, 'operational'>, number>>>
}

export const HISTORY_DAYS = 90
const DAY_MS = 86_400_000

/** The first moment of the oldest day that is shown. */
export const historyStart = (now: Date): Date =>
  new Date(Math.floor(now.getTime() / DAY_MS) * DAY_MS - (HISTORY_DAYS - 1) * DAY_MS)

/** The last 90 days, the oldest first, of one component's periods. */
export function daysOf(
  periods: readonly Pick<Period, 'status' | 'fromAt' | 'untilAt'>[],
  now: Date,
): Day[] {
  const start = historyStart(now).getTime()
  return Array.from({ length: HISTORY_DAYS }, (_, i) => dayOf(periods, start + i * DAY_MS, now))
}

function dayOf(
  periods: readonly Pick<Period, 'status' | 'fromAt' | 'untilAt'>[],
  fromMs: number,
  now: Date,
): Day {
  const untilMs = Math.min(fromMs + DAY_MS, now.getTime())
  const lengths = new Map<Status, number>()
  for (const { status, fromAt, untilAt } of periods) {
    const ms = Math.min((untilAt ?? now).getTime(), untilMs) - Math.max(fromAt.getTime(), fromMs)
    if (ms > 0) lengths.set(status, (lengths.get(status) ?? 0) + ms)
  }
  const gravest = [...lengths.keys()].sort((a, b) => GRAVITY[b] - GRAVITY[a])[0] ?? null
  lengths.delete('operational')
  return {
    date: new Date(fromMs).toISOString().slice(0, 10),
    status: gravest,
    seconds: Object.fromEntries([...lengths].map(([status, ms]) => [status, Math.ceil(ms / 1000)])),
  }
}
