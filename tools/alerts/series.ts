// How a case of an alert is written: series over time, and what fires.

/** Values of one series, one a minute from minute 0 on, in promtool's notation. Time begins at 0. */
export type Series = Readonly<Record<string, string>>

export interface AlertCase {
  /** What is the matter. */
  readonly name: string
  /** Added, or instead of those of the same name and labels; null: there is no such series. */
  readonly series: Readonly<Record<string, string | null>>
  /** Minute at which the alerts are looked at; longer than nearly all of them wait when it is left out. */
  readonly at?: number
  /** Each alert that fires, with the labels of each of its instances, severity left out. */
  readonly fires: Readonly<Record<string, readonly Readonly<Record<string, string>>[]>>
}

/** Longer than the latest moment of a case. */
export const MINUTES = 90
export const HOUR = 3600

export const steady = (value: number): string => `${value}x${MINUTES}`
export const rising = (from: number, eachMinute: number): string =>
  `${from}+${eachMinute}x${MINUTES}`
export const falling = (from: number, eachMinute: number): string =>
  `${from}-${eachMinute}x${MINUTES}`
/** The time itself: something that has just happened, at every moment. */
export const justNow = rising(0, 60)
/** Something that happened so long before minute 0, and not again. */
export const once = (secondsBefore: number): string => steady(-secondsBefore)
/** First one value, and from a minute on another one. */
export const from = (minute: number, before: number, after: number): string =>
  `${before}x${minute - 1} ${after}x${MINUTES - minute}`

/** Of the statements of an account. */
export const statements = (
  what: 'read' | 'whole',
  market: string,
  scope: 'recent' | 'whole',
): string => series(`reconciliation_${what}_seconds`, { market, account: 'main', scope })

/** Prometheus gives every series these two of its target. */
export const series = (
  name: string,
  labels: Readonly<Record<string, string>> = {},
  at = 'w1',
): string => {
  const all = { instance: at, job: 'tradepost', ...labels }
  const pairs = Object.entries(all).map(([label, value]) => `${label}="${value}"`)
  return `tradepost_${name}{${pairs.join(', ')}}`
}
