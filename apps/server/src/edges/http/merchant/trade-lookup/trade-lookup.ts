// POST /merchant/trades/lookup
import { merchantRoutes, TRADES_COUNTED_EACH, TRADES_SHOWN_EACH } from '@tradepost/contract'
import type { Db } from '#infra/database/db'
import { lookUpTrades } from '#trades'
import { tradeView } from '#wire/merchant/trade'
import { type MerchantOperations, operation } from '../operation.ts'

export const createTradeLookupOperation = ({
  db,
}: {
  readonly db: Db
}): MerchantOperations['lookUpTrades'] =>
  operation(merchantRoutes.lookUpTrades, async ({ caller, body }) => {
    const { externalIds } = body
    const matches = await lookUpTrades(db, caller.tenant.id, externalIds, {
      shown: TRADES_SHOWN_EACH,
      counted: TRADES_COUNTED_EACH,
    })
    return {
      results: matches.map(({ trades, total }, i) => ({
        externalId: externalIds[i] as string,
        status: total > 0 ? ('found' as const) : ('never_seen' as const),
        trades: trades.map(tradeView),
        total,
      })),
    }
  })
