// While no worker lives, one of the processes that answer requests writes down that trading is paused and
// reports it. The feed and the sockets then go on as well: events are dispatched here. Only a worker posts
// webhooks.
import type { Db } from '#infra/database/db'
import { startPollLoop } from '#infra/jobs/poll-loop'
import type { Clock } from '#infra/process/clock'
import type { Log } from '#infra/process/log'
import { createDispatch } from '#outbox'
import { announceNext, judgeSilence } from '#status'
import { insertDeliveries } from '#webhooks'

export interface SilenceWatchDeps {
  readonly db: Db
  readonly clock: Clock
  readonly log: Log
  /** Workers are silent: new business is refused. */
  areSilent(): Promise<boolean>
  /** After so long without a worker that looks trading is paused. */
  readonly silenceMs: number
}

export interface SilenceWatch {
  stop(): Promise<void>
}

const EVERY_MS = 2000
/** The pace at which a worker notifies merchants. */
const ANNOUNCE_EVERY_MS = 500

export function watchSilence({
  db,
  clock,
  log,
  areSilent,
  silenceMs,
}: SilenceWatchDeps): SilenceWatch {
  const dispatch = createDispatch({ db, clock, consumers: [insertDeliveries] })
  return startPollLoop({
    pollMs: EVERY_MS,
    restMs: 0,
    run: async (signal) => {
      if (!(await areSilent())) return {}
      const pause = await db.transaction((tx) => judgeSilence(tx, { silenceMs, at: clock.now() }))
      if (pause !== null) {
        const fields = { event: 'workers_silent', since: pause.fromAt }
        log.warn(fields, 'no worker lives: trading is paused')
      }
      const notified = await announceNext(db, clock.now())
      while (!signal.aborted && (await dispatch()));
      return notified === null ? {} : { pollMs: ANNOUNCE_EVERY_MS }
    },
    onError: (error, failuresInARow) => {
      if (failuresInARow === 1) log.warn({ err: error }, 'the silence of workers is not judged')
    },
  })
}
