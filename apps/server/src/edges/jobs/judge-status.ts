// Judges every part of the service, and notifies all merchants of changes.
import type { Job } from '#infra/jobs/jobs'
import type { Log } from '#infra/process/log'
import type { Metrics } from '#infra/process/metrics'
import { readServiceStatus, type ServiceStatusDeps } from '#operations'
import { isDispatchBehind } from '#outbox'
import {
  announceNext,
  CHANGES_TO_ANNOUNCE,
  judge,
  listCurrent,
  NOTIFIED_AT_ONCE,
  type Status,
} from '#status'

export interface JudgeStatusDeps extends ServiceStatusDeps {
  readonly log: Log
  readonly metrics: Metrics
  /** Not judged for so long: there was no worker. */
  readonly silenceMs: number
}

const JUDGE_EVERY_MS = 5000
/**
 * Fifty thousand merchants are notified within half a minute where the dispatch keeps pace. Where it does
 * not, the next ones wait for it: another event waits for the dispatch of few.
 */
const ANNOUNCE_EVERY_MS = 100

const WEIGHTS: Readonly<Record<Status, number>> = {
  operational: 0,
  degraded: 1,
  paused: 2,
  down: 3,
  disabled: -1,
}

export function createJudgeStatus(deps: JudgeStatusDeps): Job[] {
  const { db, clock, log, metrics, silenceMs } = deps
  const shown = metrics.gauge(
    'service_status',
    'Status of a part of the service (-1 disabled, 0 operational, 1 degraded, 2 paused, 3 down)',
    ['component', 'name'],
  )
  return [
    {
      name: 'judge-status',
      everyMs: JUDGE_EVERY_MS,
      singleton: true,
      figures: [shown],
      work: async () => {
        const seen = await readServiceStatus(deps)
        const changes = await db.transaction((tx) =>
          judge(tx, { ...seen, silenceMs, at: clock.now() }),
        )
        for (const { component, name, status, previous, fromAt } of changes) {
          const fields = {
            event: 'status_changed',
            component,
            name,
            status,
            previous,
            since: fromAt,
          }
          log.info(fields, 'a part of the service has another status')
        }
        shown.reset()
        for (const { component, name, status } of await listCurrent(db)) {
          shown.labels(component, name).set(WEIGHTS[status])
        }
        return false
      },
    },
    createAnnounceStatus(deps),
  ]
}

export const createAnnounceStatus = ({
  db,
  clock,
}: Pick<JudgeStatusDeps, 'db' | 'clock'>): Job => ({
  name: 'announce-status',
  everyMs: ANNOUNCE_EVERY_MS,
  due: { question: CHANGES_TO_ANNOUNCE },
  singleton: true,
  work: async () => {
    if (!(await isDispatchBehind(db, NOTIFIED_AT_ONCE))) await announceNext(db, clock.now())
    return false
  },
})
