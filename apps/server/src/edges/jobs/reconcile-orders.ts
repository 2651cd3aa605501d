// Holds each market's statement against our orders: what is recent every few minutes, the whole time in
// which an order can still change several times a day.
import type { Job } from '#infra/jobs/jobs'
import type { Metrics } from '#infra/process/metrics'
import { type AbsentOrders, type ReconcilingDeps, reconcile, type Window } from '#reconciliation'
import { jobOf } from './job-of.ts'

export interface ReconcileOrdersDeps extends Omit<ReconcilingDeps, 'absent'> {
  readonly metrics: Metrics
  readonly everyMs: number
}

const HOUR_MS = 3_600_000
const RECENT: Window = { scope: 'recent', lengthMs: 2 * HOUR_MS }
/** A hold lasts a week; a day before it and one after. */
const WHOLE: Window = { scope: 'whole', lengthMs: 9 * 24 * HOUR_MS }
const WHOLE_EVERY_MS = 6 * HOUR_MS

export function createReconcileOrders(deps: ReconcileOrdersDeps): Job {
  const { market, clock, log, metrics, everyMs } = deps
  const readAt = metrics.gauge(
    'reconciliation_read_seconds',
    'Unix time of the last statement that was read and compared, or of the start',
    ['market', 'account', 'scope'],
  )
  const wholeAt = metrics.gauge(
    'reconciliation_whole_seconds',
    'Unix time of the last statement that lacked nothing, or of the start',
    ['market', 'account', 'scope'],
  )
  const baselines = metrics.counter(
    'reconciliation_baselines_total',
    'What became of reading the baseline of our account',
    ['market', 'account', 'scope', 'outcome'],
  )
  // Without a first statement there would be no series, and no alert that none was read.
  readAt.labels(market.id, market.account, RECENT.scope).set(clock.now().getTime() / 1000)
  for (const { scope } of [RECENT, WHOLE]) {
    wholeAt.labels(market.id, market.account, scope).set(clock.now().getTime() / 1000)
  }
  const absent: AbsentOrders = new Map()
  let wholeDueMs = 0

  const run = async (window: Window, signal: AbortSignal): Promise<void> => {
    const result = await reconcile({ ...deps, absent }, window, signal)
    if (signal.aborted) return
    const fields = { market: market.id, account: market.account, scope: window.scope }
    if (result.kind === 'unavailable') {
      log.warn({ ...fields, detail: result.detail }, 'a statement could not be read')
      return
    }
    readAt.labels(market.id, market.account, window.scope).set(clock.now().getTime() / 1000)
    if (result.isWhole)
      wholeAt.labels(market.id, market.account, window.scope).set(clock.now().getTime() / 1000)
    baselines.labels(market.id, market.account, window.scope, result.baseline).inc()
    if (result.baseline === 'rose') log.info(fields, 'our account at the market has risen')
  }

  return {
    name: jobOf('reconcile', market),
    everyMs,
    singleton: true,
    work: async ({ signal }) => {
      await run(RECENT, signal)
      const nowMs = clock.now().getTime()
      if (nowMs < wholeDueMs || signal.aborted) return false
      // Set before: a statement that cannot be read must not be asked for every few minutes.
      wholeDueMs = nowMs + Math.max(WHOLE_EVERY_MS, everyMs)
      await run(WHOLE, signal)
      return false
    },
  }
}
