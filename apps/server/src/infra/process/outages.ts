// An outage of the database fails every job and every request, again and again. Its lines are one when the
// database is lost, one when it is back, and one a minute between; what failed because of it is counted.
import { isDatabaseLoss } from '../database/db.ts'
import { startPollLoop } from '../jobs/poll-loop.ts'
import type { Clock } from './clock.ts'
import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'

export interface Outages {
  /** True for a line that says only that the database is lost: it is counted and need not be written. */
  covers(fields: object): boolean
  /** Until then no line is covered: there is nothing yet that would say that it is back. */
  watch(parts: OutageParts): void
}

export interface OutageParts {
  readonly log: Log
  readonly metrics: Metrics
  /** Asks the database for anything; rejects while it is lost. */
  readonly probe: () => Promise<unknown>
}

interface Outage {
  readonly since: Date
  readonly jobs: Set<string>
  requests: number
  losses: number
  /** At the last probe that was answered; null after one that was not. */
  lossesAtProbe: number | null
  saidAt: Date
}

const PROBE_MS = 1000
const REMINDER_MS = 60_000

export function createOutages(clock: Clock): Outages {
  let parts: (OutageParts & { readonly count: (what: string) => void }) | null = null
  let outage: Outage | null = null

  const begin = ({ log, probe }: OutageParts, reason: string): Outage => {
    const since = clock.now()
    log.error({ reason }, 'the database is lost: what fails is counted until it is back')
    const now: Outage = {
      ...{ since, jobs: new Set<string>(), requests: 0 },
      ...{ losses: 0, lossesAtProbe: null, saidAt: since },
    }
    const say = (isBack: boolean): void => {
      now.saidAt = clock.now()
      const seconds = Math.round((now.saidAt.getTime() - since.getTime()) / 1000)
      log.warn(
        { seconds, jobs: now.jobs.size, requests: now.requests },
        isBack ? 'the database is back' : 'the database is still lost',
      )
    }
    const remind = (): void => {
      if (clock.now().getTime() - now.saidAt.getTime() >= REMINDER_MS) say(false)
    }
    const loop = startPollLoop({
      pollMs: PROBE_MS,
      restMs: 0,
      firstMs: PROBE_MS,
      run: async () => {
        await probe()
        // Old connections may break for a while after new ones are answered.
        if (now.losses === now.lossesAtProbe) {
          outage = null
          void loop.stop()
          say(true)
        } else remind()
        now.lossesAtProbe = now.losses
      },
      onError: () => {
        now.lossesAtProbe = null
        remind()
      },
    })
    return now
  }

  return {
    covers: (fields) => {
      if (parts === null) return false
      const { err, job, requestId, alarm } = fields as Readonly<Record<string, unknown>>
      if (alarm !== undefined || !isDatabaseLoss(err)) return false
      outage ??= begin(parts, (err as Error).message)
      outage.losses++
      if (typeof job === 'string') outage.jobs.add(job)
      else if (requestId !== undefined) outage.requests++
      parts.count(typeof job === 'string' ? 'job' : requestId === undefined ? 'other' : 'request')
      return true
    },
    watch: (given) => {
      const losses = given.metrics.counter(
        'db_losses_total',
        'Failures because the database was lost, which have no line each',
        ['what'],
      )
      parts ??= { ...given, count: (what) => losses.labels(what).inc() }
    },
  }
}
