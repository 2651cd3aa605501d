// The renderer of events, with the readers of their subjects.
import type { MerchantEventData } from '@tradepost/contract'
import { readDeposits } from '#deposits'
import { type Db, isConnectionLoss, sqlState } from '#infra/db'
import type { Log } from '#infra/log'
import type { Metrics } from '#infra/metrics'
import { readTrades } from '#trades'
import { createEventRenderer, type RenderableEvent, type RenderEvents } from '#wire/events/render'
import { merchantEvents } from '#wire/merchant/events/index'
import { orderEventEntries } from '#wire/partner/events'

export type MerchantRenderer = RenderEvents<MerchantEventData>

interface RendererParts {
  readonly db: Db
  readonly log: Log
  readonly metrics: Metrics
}

/** For the merchants' event feed and sockets. */
export const createRenderEvents = (parts: RendererParts): MerchantRenderer =>
  createEventRenderer({ entries: merchantEvents, ...shared(parts) })

/** For webhooks, whose deliveries are named by the dialects of their endpoints. */
export const createRenderDeliveries = (parts: RendererParts): RenderEvents =>
  createEventRenderer({ entries: { ...merchantEvents, ...orderEventEntries }, ...shared(parts) })

function shared({ db, log, metrics }: RendererParts) {
  const failures = metrics.counter(
    'event_render_failures_total',
    'Events that could not be rendered, each time they were tried',
  )
  return {
    readers: {
      deposit: (ids: readonly string[]) => readDeposits(db, ids),
      trade: (ids: readonly string[]) => db.snapshot((at) => readTrades(at, ids)),
    },
    isReadFailure: (error: unknown) => sqlState(error) !== undefined || isConnectionLoss(error),
    onFailed: ({ eventType, subjectId }: RenderableEvent, error: Error) => {
      failures.inc()
      log.error(
        { alarm: 'event_not_rendered', eventType, subjectId, err: error },
        'event cannot be rendered',
      )
    },
  }
}
