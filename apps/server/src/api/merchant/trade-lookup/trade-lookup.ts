// POST /merchant/trades/lookup
import { merchantRoutes, TRADES_SHOWN_EACH } from '@tradepost/contract'
import type { Db } from '#infra/db'
import { assertDefined } from '#kernel/assert'
import { withSellItems } from '#selling'
import { lookUpTrades } from '#trades'
import { tradeView } from '#wire/merchant/trade'
import { type Operation, operation } from '../../shared/operation.ts'

export const createTradeLookupOperation = ({ db }: { readonly db: Db }): Operation =>
  operation(merchantRoutes.lookUpTrades, async ({ caller, body }) => {
    const { externalIds } = body
    const { matches, read } = await db.snapshot(async (at) => {
      const matches = await lookUpTrades(at, caller.merchant.id, externalIds, TRADES_SHOWN_EACH)
      const found = matches.flatMap(({ trades }) => trades)
      return { matches, read: await withSellItems(at, found) }
    })
    const shown = new Map(read.map((trade) => [trade.id, trade]))
    return {
      results: matches.map(({ trades, total }, i) => ({
        externalId: externalIds[i] as string,
        status: total > 0 ? ('found' as const) : ('never_seen' as const),
        trades: trades.map((trade) => tradeView(assertDefined(shown.get(trade.id), 'a trade'))),
        total,
      })),
    }
  })
