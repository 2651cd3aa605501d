// Waiting for events: one query serves every wait of this process, however many there are. A notification
// says that events were dispatched, the query finds the tenants that have some.
import type { Db } from '#infra/database/db'
import { startPollLoop } from '#infra/jobs/poll-loop'
import { createWaits } from '#infra/jobs/waits'
import { type Mark, marksWithEvents } from './store.ts'

/** Who waits. Each kind has slots of its own: an open page takes none of an integration. */
export type Waiter = 'key' | 'page'

export interface EventWatch {
  /**
   * True once the tenant may have events after the position; false when the time is over, when the wait
   * was ended, or when a newer wait displaced it. False promises nothing: there may be events.
   */
  wait(mark: Mark, durationMs: number, waiter?: Waiter): Promise<boolean>
  /** Ends the waits of the tenant now, with false; without one, every wait. */
  endWaits(tenantId?: string): void
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
  /** Waits of one process, for each kind of waiter. */
  readonly waits: number
  /** Of one tenant in it, by key: one more ends the oldest. */
  readonly waitsOfTenant: number
  /** The same for its pages: each browser that shows one has one wait. */
  readonly pagesOfTenant: number
  /** Notifications come in bursts; one query serves all of this time. */
  readonly minPauseMs: number
  /** A query even without a notification. */
  readonly pollEveryMs: number
}

export const DISPATCH_CHANNEL = 'outbox_dispatched'

const LIMITS: WatchLimits = {
  waits: 1000,
  waitsOfTenant: 8,
  pagesOfTenant: 32,
  minPauseMs: 50,
  pollEveryMs: 5000,
}

/** Listens until it is stopped. */
export async function watchEvents(deps: EventWatchDeps): Promise<EventWatch> {
  const limits = { ...LIMITS, ...deps.limits }
  const waits = {
    key: createWaits<Mark>({ total: limits.waits, perKey: limits.waitsOfTenant }),
    page: createWaits<Mark>({ total: limits.waits, perKey: limits.pagesOfTenant }),
  }
  const listWaits = () => [...waits.key.list(), ...waits.page.list()]
  const poll = async (): Promise<void> => {
    const current = listWaits()
    if (current.length === 0) return
    const marks = distinct(current.map(({ about }) => about))
    const found = new Set((await marksWithEvents(deps.db, marks)).map(keyOf))
    for (const wait of current) if (found.has(keyOf(wait.about))) wait.end(true)
  }
  const loop = startPollLoop({
    pollMs: limits.pollEveryMs,
    restMs: limits.minPauseMs,
    firstMs: Number.POSITIVE_INFINITY,
    run: async () => {
      await poll()
      return listWaits().length === 0 ? { pollMs: Number.POSITIVE_INFINITY } : {}
    },
    onError: deps.onError,
  })
  const unlisten = await deps.db.listen(DISPATCH_CHANNEL, loop.wake)
  let isStopped = false
  const endWaits = (tenantId?: string): void => {
    for (const { about, end } of listWaits()) {
      if (tenantId === undefined || about.tenantId === tenantId) end(false)
    }
  }

  return {
    wait: (mark, durationMs, waiter = 'key') => {
      if (isStopped || durationMs <= 0) return Promise.resolve(false)
      const ended = waits[waiter].add({ key: mark.tenantId, about: mark }, durationMs)
      // An event dispatched between the caller's own query and this wait had its notification already.
      loop.wake()
      return ended
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
