// A trade as its page shows it: what it is, what happened, where each cent went, what was delivered.
import { dashboardRoutes } from '@tradepost/contract'
import { readExternalIds } from '#identity'
import type { Db } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import { refuse } from '#kernel/refusal'
import { readTradeHistory } from '#operations'
import { tradePageView } from '#wire/dashboard/merchant'
import { type DashboardOperations, operation } from '../operation.ts'

export const createTradePageOperation = ({
  db,
  clock,
}: {
  readonly db: Db
  readonly clock: Clock
}): DashboardOperations['getTradePage'] =>
  operation(dashboardRoutes.getTradePage, ({ params, caller }) =>
    db.snapshot(async (at) => {
      const history = await readTradeHistory(at, { tradeId: params.tradeId })
      if (history === null || history.trade.tenantId !== caller.account.id) {
        return refuse('TRADE_NOT_FOUND')
      }
      const { accountId } = history.trade
      const externalIds = await readExternalIds(at, [accountId])
      const userExternalId = externalIds.get(accountId) ?? null
      return tradePageView(history, { userExternalId, now: clock.now() })
    }),
  )
