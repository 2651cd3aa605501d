// Follows the orders of deposits at their providers until they are final, and beyond for late payments and
// refunds. A notice wakes the job; without one it looks by itself.

import {
  createFollowOrders,
  type FollowingDeps,
  ORDERS_DUE,
  readDueOrders,
  recoverDebts,
} from '#deposits'
import type { Db } from '#infra/database/db'
import type { Job } from '#infra/jobs/jobs'
import type { Clock } from '#infra/process/clock'
import type { Log } from '#infra/process/log'
import type { Metrics } from '#infra/process/metrics'
import { newId } from '#kernel/id'
import { clearCases, depositSubject } from '#reconciliation'

export interface PollDepositsDeps
  extends Omit<FollowingDeps, 'onOrderFound' | 'onUnavailable' | 'onCredited'> {
  readonly log: Log
  readonly metrics: Metrics
}

const LOOK_EVERY_MS = 1000
const REPORT_EVERY_MS = 10_000
const RECOVER_EVERY_MS = 60_000

export function createPollDeposits(deps: PollDepositsDeps): Job[] {
  const { db, clock, log, metrics } = deps
  const failures = metrics.counter(
    'deposit_provider_failures_total',
    'Reads of a payment provider that brought nothing',
    ['provider'],
  )
  const delay = metrics.histogram(
    'deposit_credit_delay_seconds',
    'Time from a settled payment at its provider to its credit',
    { labels: ['provider'] },
  )
  const onOrderFound = async (depositId: string): Promise<void> => {
    const kinds = ['deposit_order_missing']
    const subjects = [depositSubject(depositId).name]
    await clearCases(db, { kinds, subjects, sources: ['follower'], at: clock.now() })
  }
  const meters = {
    onUnavailable: (provider: string, detail: string) => {
      failures.labels(provider).inc()
      log.warn({ provider, detail }, 'payment provider cannot be read')
    },
    onCredited: (provider: string, lateMs: number) =>
      delay.labels(provider).observe(Math.max(0, lateMs) / 1000),
  }
  const lag = metrics.gauge(
    'deposit_orders_due_seconds',
    'How late the oldest look at an order of a payment provider is',
    ['provider'],
  )
  const reportDue = dueReporter(deps, lag)
  return [
    ...(['gateway', 'onramp'] as const).map((provider): Job => {
      const follow = createFollowOrders({ ...deps, ...meters, onOrderFound }, provider)
      return {
        name: `poll-deposits-${provider}`,
        everyMs: LOOK_EVERY_MS,
        due: { question: ORDERS_DUE, key: provider },
        wakeOn: [`deposits_due_${provider}`],
        work: async ({ signal }) => {
          const requestId = newId(clock.now().getTime())
          return follow({ requestId, signal })
        },
      }
    }),
    {
      name: 'report-due-deposits',
      everyMs: REPORT_EVERY_MS,
      singleton: true,
      figures: [lag],
      work: async () => {
        await reportDue()
        return false
      },
    },
    {
      name: 'recover-deposit-debts',
      everyMs: RECOVER_EVERY_MS,
      singleton: true,
      work: () => recoverDebts({ db, clock }),
    },
  ]
}

function dueReporter({ db, clock }: { db: Db; clock: Clock }, lag: ReturnType<Metrics['gauge']>) {
  return async (): Promise<void> => {
    const now = clock.now()
    const due = new Map((await readDueOrders(db, now)).map((each) => [each.provider, each]))
    for (const provider of ['gateway', 'onramp'] as const) {
      const oldest = due.get(provider)?.oldest ?? now
      lag.labels(provider).set((now.getTime() - oldest.getTime()) / 1000)
    }
  }
}
