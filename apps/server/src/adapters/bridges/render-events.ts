// The renderer of events, with the readers of their subjects.
import type { MerchantEventData } from '@tradepost/contract'
import { readOrders } from '#bidding'
import { readDeposits } from '#deposits'
import { readExternalIds } from '#identity'
import { type Db, isConnectionLoss, sqlState } from '#infra/database/db'
import type { Log } from '#infra/process/log'
import type { Metrics } from '#infra/process/metrics'
import { readCustodyDeposits, readWithdrawals } from '#payouts'
import { readTrades } from '#trades'
import { createEventRenderer, type RenderableEvent, type RenderEvents } from '#wire/events/render'
import { testEventEntries } from '#wire/events/test'
import { merchantEvents } from '#wire/merchant/events/index'
import type { AttributedDeposit } from '#wire/merchant/events/payout'
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
  createEventRenderer({
    entries: { ...merchantEvents, ...orderEventEntries, ...testEventEntries },
    ...shared(parts),
  })

function shared({ db, log, metrics }: RendererParts) {
  const failures = metrics.counter(
    'event_render_failures_total',
    'Events that could not be rendered, each time they were tried',
  )
  return {
    readers: {
      account: async (ids: readonly string[]) => ids.map((id) => ({ id })),
      deposit: (ids: readonly string[]) => readDeposits(db, ids),
      market_order: (ids: readonly string[]) => readOrders(db, ids),
      trade: (ids: readonly string[]) => readTrades(db, ids),
      withdrawal: (ids: readonly string[]) => readWithdrawals(db, ids),
      custody_deposit: (ids: readonly string[]) => readAttributedDeposits(db, ids),
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

async function readAttributedDeposits(
  db: Db,
  ids: readonly string[],
): Promise<AttributedDeposit[]> {
  const deposits = await readCustodyDeposits(db, ids)
  const externalIds = await readExternalIds(
    db,
    deposits.flatMap(({ userId }) => userId ?? []),
  )
  return deposits.map((deposit) => ({
    id: deposit.id,
    deposit,
    forUserExternalId: externalIds.get(deposit.userId ?? '') ?? null,
  }))
}
