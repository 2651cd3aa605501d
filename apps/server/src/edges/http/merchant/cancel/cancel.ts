// POST /market/transactions/{tradeId}/cancel, /market/transactions/{tradeId}/items/{itemId}/cancel
import { merchantRoutes } from '@tradepost/contract'
import type { CancelBuy, CancelOutcome } from '#buying'
import type { Db } from '#infra/database/db'
import { isUuid } from '#kernel/id'
import { Refusal, refuse } from '#kernel/refusal'
import { findTradeHead, isTerminal } from '#trades'
import { type MerchantOperations, operation } from '../operation.ts'

export interface CancelOperationsDeps {
  readonly db: Db
  readonly cancelBuy: CancelBuy
  /** The items of a sell have no external ids: an item is named by its id. */
  cancelSell(trade: {
    readonly tradeId: string
    readonly itemId: string | null
  }): Promise<readonly Omit<CancelOutcome, 'externalId'>[]>
}

interface Asked {
  readonly tradeId: string
  /** Null for all that can still end. */
  readonly item: string | null
}

export function createCancelOperations({
  db,
  cancelBuy,
  cancelSell,
}: CancelOperationsDeps): Pick<MerchantOperations, 'cancelTrade' | 'cancelItem'> {
  const cancel = async (
    { tradeId, item }: Asked,
    { accountId, requestId }: { readonly accountId: string; readonly requestId: string },
  ): Promise<readonly CancelOutcome[]> => {
    const trade = await findTradeHead(db, tradeId)
    if (trade?.accountId !== accountId) return refuse('TRADE_NOT_FOUND')
    if (trade.type === 'buy') return cancelBuy({ tradeId, item }, { requestId })
    if (item !== null && !isUuid(item)) return []
    const outcomes = await cancelSell({ tradeId, itemId: item })
    return outcomes.map((outcome) => ({ ...outcome, externalId: null }))
  }

  return {
    cancelTrade: operation(merchantRoutes.cancelTrade, async ({ caller, params }) => {
      const { tradeId } = params
      const outcomes = (
        await cancel(
          { tradeId, item: null },
          { accountId: caller.account.id, requestId: caller.requestId },
        )
      ).filter(({ was }) => !isTerminal(was) && was !== 'hold')
      if (outcomes.length === 0) return refuse('TRADE_NOT_CANCELLABLE')
      const cancelled = outcomes.filter(({ canceled }) => canceled).length
      return {
        tradeId,
        requested: outcomes.length,
        cancelled,
        failed: outcomes.length - cancelled,
        items: outcomes.map(({ itemId, externalId, canceled, reason }) => ({
          itemId,
          ...(externalId !== null && { externalId }),
          status: statusOf(canceled),
          ...(reason !== null && { reason }),
        })),
      }
    }),

    cancelItem: operation(merchantRoutes.cancelItem, async ({ caller, params }) => {
      const { tradeId, itemId: item } = params
      const [outcome] = await cancel(
        { tradeId, item },
        { accountId: caller.account.id, requestId: caller.requestId },
      )
      if (!outcome) return refuse('ITEM_NOT_FOUND')
      if (outcome.reason !== null) throw new Refusal(outcome.reason)
      return { itemId: outcome.itemId, status: statusOf(outcome.canceled) }
    }),
  }
}

const statusOf = (canceled: boolean): 'cancelled' | 'failed' => (canceled ? 'cancelled' : 'failed')
