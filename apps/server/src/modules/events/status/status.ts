// What components there are, which status they can have, and when another status holds. Pure.

export type ComponentKind = 'trading' | 'market' | 'platform' | 'deposit' | 'payout'
export type Status = 'operational' | 'degraded' | 'down' | 'disabled' | 'paused'

export interface Component {
  readonly component: ComponentKind
  /** Market, chain, `gateway` or `onramp`; empty for trading and the platform. */
  readonly name: string
}

/** What a component looks like now. */
export interface Reading extends Component {
  /** Null: nothing is known, it stays as it was; a component that is new works. */
  readonly status: Status | null
  /** Why trading is paused; merchants read it. */
  readonly reason: string | null
  /** When it became so, where that is known. */
  readonly since?: Date | null
}

/** For how long a component had a status. */
export interface Period extends Component {
  readonly id: string
  readonly status: Status
  /** Its status before; null in the first period of a component. */
  readonly previous: Status | null
  readonly reason: string | null
  readonly fromAt: Date
  /** Null: it has it now. */
  readonly untilAt: Date | null
  /** What was seen lately and does not hold yet. */
  readonly seenStatus: Status | null
  readonly seenSince: Date | null
}

/** A worse status holds after so long, one look that went wrong is none; a better one after this. */
export const WORSE_HOLDS_MS = 15_000
export const BETTER_HOLDS_MS = 30_000

export type Decision =
  | { readonly kind: 'same' }
  /** It has looked otherwise since this moment, and does not count yet. Null: it looks as it is. */
  | { readonly kind: 'seen'; readonly status: Status | null; readonly since: Date | null }
  | { readonly kind: 'changed'; readonly at: Date }

/** What a reading makes of the period that a component is in. */
export function decide(
  period: Pick<Period, 'status' | 'reason' | 'fromAt' | 'seenStatus' | 'seenSince'>,
  reading: Reading,
  now: Date,
): Decision {
  const { status } = reading
  if (status === null || status === period.status) {
    return period.seenStatus === null ? SAME : { kind: 'seen', status: null, since: null }
  }
  const holdsMs = holdsAfterMs(period.status, status)
  if (holdsMs === 0) return { kind: 'changed', at: within(reading.since ?? now, period, now) }
  const since = seenSince(period, status) ?? now
  if (now.getTime() - since.getTime() >= holdsMs) {
    return { kind: 'changed', at: within(since, period, now) }
  }
  const isSame = period.seenStatus === status
  return isSame ? SAME : { kind: 'seen', status, since }
}

/** Of two looks that differ, both worse or both better than what holds, the first one counts. */
function seenSince(
  { status, seenStatus, seenSince: since }: Pick<Period, 'status' | 'seenStatus' | 'seenSince'>,
  next: Status,
): Date | null {
  if (seenStatus === null) return null
  const isWorse = (one: Status): boolean => GRAVITY[one] > GRAVITY[status]
  return isWorse(seenStatus) === isWorse(next) ? since : null
}

const SAME: Decision = { kind: 'same' }

/** What a person has decided holds at once. */
function holdsAfterMs(from: Status, to: Status): number {
  if (BY_DECISION.has(from) || BY_DECISION.has(to)) return 0
  return GRAVITY[to] > GRAVITY[from] ? WORSE_HOLDS_MS : BETTER_HOLDS_MS
}

const BY_DECISION: ReadonlySet<Status> = new Set(['disabled', 'paused'])

export const GRAVITY: Readonly<Record<Status, number>> = {
  operational: 0,
  disabled: 1,
  degraded: 2,
  paused: 3,
  down: 4,
}

/** After the beginning of the period that it ends, and not in the future. */
function within(at: Date, { fromAt }: Pick<Period, 'fromAt'>, now: Date): Date {
  const earliest = fromAt.getTime() + 1
  return new Date(Math.max(earliest, Math.min(at.getTime(), now.getTime())))
}
