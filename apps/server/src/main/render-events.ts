// The renderer of events, with the readers of their subjects.
import type { MerchantEventData } from '@tradepost/contract'
import { readDeposits } from '#deposits'
import { type Db, isConnectionLoss, sqlState } from '#infra/db'
import type { Log } from '#infra/log'
import type { Metrics } from '#infra/metrics'
import { readTrades } from '#trades'
import { createEventRenderer, type RenderEvents } from '#wire/events/render'
import { merchantEvents } from '#wire/merchant/events/index'

export type MerchantRenderer = RenderEvents<MerchantEventData>

export function createRenderEvents({
  db,
  log,
  metrics,
}: {
  readonly db: Db
  readonly log: Log
  readonly metrics: Metrics
}): MerchantRenderer {
  const failures = metrics.counter(
    'event_render_failures_total',
    'Events that could not be rendered, each time they were tried',
  )
  return createEventRenderer({
    entries: merchantEvents,
    readers: {
      deposit: (ids) => readDeposits(db, ids),
      trade: (ids) => db.snapshot((at) => readTrades(at, ids)),
    },
    isReadFailure: (error) => sqlState(error) !== undefined || isConnectionLoss(error),
    onFailed: ({ eventType, subjectId }, error) => {
      failures.inc()
      log.error(
        { alarm: 'event_not_rendered', eventType, subjectId, err: error },
        'event cannot be rendered',
      )
    },
  })
}
