// What changes in the service, for pages that administrators keep open. A mark for each topic is another text
// whenever something of it has changed; one read of all marks serves every wait of this process, and nothing
// is read while no page waits. Ids are given before their commit, so that a change can stay behind a mark
// that is ahead of it: pages read what they show again from time to time all the same.
import { newestActId } from '#audit'
import { markOfHeldPayments } from '#deposits'
import type { Db } from '#infra/database/db'
import { startPollLoop } from '#infra/jobs/poll-loop'
import { createWaits } from '#infra/jobs/waits'
import { newestEventId } from '#outbox'
import { markOfHeld } from '#payouts'
import { newestEntryId } from '#reconciliation'
import { newestAttemptId } from '#webhooks'

export const SERVICE_TOPICS = [
  // What a person did: switches, decisions, adjustments, accounts.
  'acts',
  'cases',
  // Of trades, deposits and withdrawals.
  'events',
  // Attempts to deliver webhooks.
  'deliveries',
  'held_payments',
  'held_withdrawals',
] as const
export type ServiceTopic = (typeof SERVICE_TOPICS)[number]

type Marks = Readonly<Record<ServiceTopic, string>>

export interface ServiceChanges {
  /** Where the service was at the time of the answer, as a text for the next question. */
  readonly position: string
  readonly topics: readonly ServiceTopic[]
}

export interface ServiceWatch {
  /**
   * What has changed since a position, at once or when something changes. Of a text that is no position all
   * topics have changed. Without a position the answer comes at once, and nothing has changed.
   */
  changesSince(
    position: string | null,
    wait: { readonly slot: string; readonly durationMs: number },
  ): Promise<ServiceChanges>
  /** Ends every wait; later ones end at once. */
  stop(): Promise<void>
}

export interface ServiceWatchDeps {
  readonly db: Db
  /** A read failed; the next one is scheduled already. */
  onError(error: unknown): void
  readonly limits?: Partial<ServiceWatchLimits>
}

export interface ServiceWatchLimits {
  /** Of one process, and of one slot in it: one more ends the oldest. */
  readonly waits: number
  readonly waitsOfSlot: number
  readonly readEveryMs: number
}

const LIMITS: ServiceWatchLimits = { waits: 200, waitsOfSlot: 1, readEveryMs: 2000 }

export function watchService(deps: ServiceWatchDeps): ServiceWatch {
  const { db } = deps
  const limits = { ...LIMITS, ...deps.limits }
  const waits = createWaits<Marks>({ total: limits.waits, perKey: limits.waitsOfSlot })
  const loop = startPollLoop({
    pollMs: limits.readEveryMs,
    // A wait that begins wakes the loop: many of them read no more often than one.
    restMs: limits.readEveryMs,
    firstMs: Number.POSITIVE_INFINITY,
    run: async () => {
      const current = waits.list()
      if (current.length === 0) return { pollMs: Number.POSITIVE_INFINITY }
      const marks = await readMarks(db)
      for (const wait of current) if (changed(wait.about, marks).length > 0) wait.end(true)
      return {}
    },
    onError: deps.onError,
  })
  let isStopped = false
  return {
    changesSince: async (position, { slot, durationMs }) => {
      const now = await readMarks(db)
      if (position === null) return { position: spelled(now), topics: [] }
      const before = parsed(position)
      const topics = changed(before, now)
      if (topics.length > 0 || durationMs <= 0 || isStopped) {
        return { position: spelled(now), topics }
      }
      const ended = waits.add({ key: slot, about: now }, durationMs)
      loop.wake()
      if (!(await ended)) return { position: spelled(now), topics: [] }
      const later = await readMarks(db)
      return { position: spelled(later), topics: changed(now, later) }
    },
    stop: async () => {
      isStopped = true
      waits.endAll()
      await loop.stop()
    },
  }
}

async function readMarks(db: Db): Promise<Marks> {
  const [acts, cases, events, deliveries, heldPayments, heldWithdrawals] = await Promise.all([
    newestActId(db),
    newestEntryId(db),
    newestEventId(db),
    newestAttemptId(db),
    markOfHeldPayments(db),
    markOfHeld(db),
  ])
  return {
    acts: String(acts),
    cases: String(cases),
    events: String(events),
    deliveries: String(deliveries),
    held_payments: heldPayments,
    held_withdrawals: heldWithdrawals,
  }
}

const changed = (before: Partial<Marks>, now: Marks): ServiceTopic[] =>
  SERVICE_TOPICS.filter((topic) => before[topic] !== now[topic])

const spelled = (marks: Marks): string => SERVICE_TOPICS.map((topic) => marks[topic]).join(',')

const parsed = (position: string): Partial<Marks> => {
  const texts = position.split(',')
  return Object.fromEntries(SERVICE_TOPICS.map((topic, i) => [topic, texts[i]]))
}
