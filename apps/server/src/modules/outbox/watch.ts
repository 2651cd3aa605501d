// Waiting for events: one query serves every wait of this process, however many there are. A notification
// says that events were dispatched, the query finds the tenants that have some.
import type { Db } from '#infra/db'
import { startPollLoop } from '#infra/poll-loop'
import { type Mark, marksWithEvents } from './store.ts'

export interface EventWatch {
  /**
   * True once the tenant may have events after the position; false when the time is over, when the wait
   * was ended, or when a newer wait displaced it. False promises nothing: there may be events.
   */
  wait(mark: Mark, durationMs: number): Promise<boolean>
  /** Ends every wait now, with false. */
  endWaits(): void
  /** Ends every wait; later ones end at once. */
  stop(): Promise<void>
}

export interface EventWatchDeps {
  readonly db: Db
  /** A query failed; the next one is scheduled already. */
  onError(error: unknown): void
  readonly limits?: Partial<WatchLimits>
}

export interface WatchLimits {
  /** Waits of one process, and of one tenant in it: one more ends the oldest. */
  readonly waits: number
  readonly waitsOfTenant: number
  /** Notifications come in bursts; one query serves all of this time. */
  readonly minPauseMs: number
  /** A query even without a notification. */
  readonly pollEveryMs: number
}

export const DISPATCH_CHANNEL = 'outbox_dispatched'

const LIMITS: WatchLimits = {
  waits: 1000,
  waitsOfTenant: 8,
  minPauseMs: 50,
  pollEveryMs: 5000,
}

interface Wait extends Mark {
  end(hasEvents: boolean): void
}

/** Listens until it is stopped. */
export async function watchEvents(deps: EventWatchDeps): Promise<EventWatch> {
  const limits = { ...LIMITS, ...deps.limits }
  // In order of arrival.
  const waits = new Set<Wait>()
  const poll = async (): Promise<void> => {
    if (waits.size === 0) return
    const current = [...waits]
    const found = new Set((await marksWithEvents(deps.db, distinct(current))).map(keyOf))
    for (const wait of current) if (found.has(keyOf(wait))) wait.end(true)
  }
  const loop = startPollLoop({
    pollMs: limits.pollEveryMs,
    restMs: limits.minPauseMs,
    firstMs: Number.POSITIVE_INFINITY,
    run: async () => {
      await poll()
      return waits.size === 0 ? { pollMs: Number.POSITIVE_INFINITY } : {}
    },
    onError: deps.onError,
  })
  const unlisten = await deps.db.listen(DISPATCH_CHANNEL, loop.wake)
  let isStopped = false
  const endWaits = (): void => {
    for (const wait of waits) wait.end(false)
  }

  return {
    wait: ({ tenantId, position }, durationMs) => {
      if (isStopped || durationMs <= 0) return Promise.resolve(false)
      displaceOldest(waits, tenantId, limits)
      return new Promise((resolve) => {
        const wait: Wait = {
          tenantId,
          position,
          end: (hasEvents) => {
            clearTimeout(timer)
            waits.delete(wait)
            resolve(hasEvents)
          },
        }
        const timer = setTimeout(() => wait.end(false), durationMs)
        waits.add(wait)
        // An event dispatched between the caller's own query and this wait had its notification already.
        loop.wake()
      })
    },
    endWaits,
    stop: async () => {
      isStopped = true
      endWaits()
      await Promise.all([loop.stop(), unlisten()])
    },
  }
}

const keyOf = ({ tenantId, position }: Mark): string => `${tenantId} ${position}`

const distinct = (marks: readonly Mark[]): Mark[] => [
  ...new Map(marks.map((mark) => [keyOf(mark), mark])).values(),
]

/** The oldest waits end first: their callers are the likeliest to have disconnected. */
function displaceOldest(
  waits: ReadonlySet<Wait>,
  tenantId: string,
  { waits: most, waitsOfTenant }: WatchLimits,
): void {
  const own = [...waits].filter((wait) => wait.tenantId === tenantId)
  if (own.length >= waitsOfTenant) own[0]?.end(false)
  const [oldest] = waits
  if (waits.size >= most) oldest?.end(false)
}
