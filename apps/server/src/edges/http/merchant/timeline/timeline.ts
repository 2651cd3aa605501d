// GET /market/transactions/{tradeId}/timeline
import { merchantRoutes } from '@tradepost/contract'
import type { Db } from '#infra/database/db'
import { refuse } from '#kernel/refusal'
import { readTradeHistory } from '#operations'
import { timelineView } from '#wire/merchant/timeline'
import { type MerchantOperations, operation } from '../operation.ts'

export const createTimelineOperation = ({
  db,
}: {
  readonly db: Db
}): MerchantOperations['getTradeTimeline'] =>
  operation(merchantRoutes.getTradeTimeline, async ({ caller, params }) => {
    const of = { tradeId: params.tradeId, accountId: caller.account.id }
    const history = await db.snapshot((at) => readTradeHistory(at, of))
    return history ? timelineView(history) : refuse('TRADE_NOT_FOUND')
  })
