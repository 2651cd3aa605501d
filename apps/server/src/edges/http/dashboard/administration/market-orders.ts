// Market orders of all accounts, as administrators read them.
import { dashboardRoutes } from '@tradepost/contract'
import { listAllOrders, listOrders, readDepth, readOrders } from '#bidding'
import { describeAccount, readAccountNames } from '#identity'
import type { Db } from '#infra/database/db'
import { refuse } from '#kernel/refusal'
import { adminMarketOrderView } from '#wire/dashboard/admin-records'
import { DEPTH_LEVELS, depthView } from '#wire/merchant/market-order'
import { type DashboardOperations, operation } from '../operation.ts'
import { nameOfAccount } from './account-name.ts'
import { scopeOf } from './account-records.ts'

export const createMarketOrderInspection = ({
  db,
}: {
  readonly db: Db
}): Pick<DashboardOperations, 'listAllMarketOrders' | 'getAnyMarketOrder'> => ({
  listAllMarketOrders: operation(dashboardRoutes.listAllMarketOrders, async ({ query }) => {
    const { accountId: of, status = null, itemId = null, cursor = null, limit } = query
    const filter = { accountId: null, externalId: null, status, itemId }
    const { items, nextCursor } =
      of === undefined
        ? await listAllOrders(db, filter, { cursor, limit })
        : await listOrders(
            db,
            { ...filter, ...scopeOf(await describeAccount(db, of)) },
            { cursor, limit },
          )
    const names = await readAccountNames(
      db,
      items.map(({ tenantId }) => tenantId),
    )
    const shown = items.map((order) =>
      adminMarketOrderView(order, names.get(order.tenantId) ?? order.tenantId),
    )
    return { items: shown, nextCursor }
  }),

  getAnyMarketOrder: operation(dashboardRoutes.getAnyMarketOrder, async ({ params }) => {
    const [order] = await readOrders(db, [params.orderId])
    if (order === undefined) return refuse('MARKET_ORDER_NOT_FOUND')
    const { itemId, currency, tenantId } = order
    const depth = await readDepth(db, { itemId, currency, limit: DEPTH_LEVELS })
    return {
      ...adminMarketOrderView(order, await nameOfAccount(db, tenantId)),
      depth: depthView(currency, depth),
    }
  }),
})
