// GET, POST /market/orders, GET, PATCH /market/orders/{orderId}, POST /market/orders/{orderId}/cancel
import { merchantRoutes } from '@tradepost/contract'
import {
  cancelMarketOrder,
  changeMarketOrder,
  findOrder,
  listOrders,
  type PlaceMarketOrder,
} from '#bidding'
import type { Db } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import { refuse } from '#kernel/refusal'
import { marketOrderView } from '#wire/merchant/market-order'
import { changeOf, wantedOf } from '../../shared/market-order.ts'
import { type Caller, type MerchantOperations, operation, tradingOperation } from '../operation.ts'

export interface MarketOrderDeps {
  readonly db: Db
  readonly clock: Clock
  readonly placeMarketOrder: PlaceMarketOrder
}

export function createMarketOrderOperations({
  db,
  clock,
  placeMarketOrder,
}: MarketOrderDeps): Pick<
  MerchantOperations,
  | 'createMarketOrder'
  | 'listMarketOrders'
  | 'getMarketOrder'
  | 'changeMarketOrder'
  | 'cancelMarketOrder'
> {
  return {
    createMarketOrder: tradingOperation(
      merchantRoutes.createMarketOrder,
      async ({ caller, body }) => {
        const { id, tenantId, currency, primaryTradeUrl } = caller.account
        const order = await placeMarketOrder(
          {
            ...{ tenantId, accountId: id, currency, keyId: caller.keyId },
            hasPrimaryTradeUrl: primaryTradeUrl !== null,
          },
          wantedOf(body, caller.requestId),
        )
        return marketOrderView(order)
      },
      { refusesSuspended: true },
    ),

    listMarketOrders: operation(merchantRoutes.listMarketOrders, async ({ caller, query }) => {
      const { cursor = null, limit, status = null, itemId = null, externalId = null } = query
      const { id: accountId, tenantId } = caller.account
      const filter = { tenantId, accountId, status, itemId, externalId }
      const page = await listOrders(db, filter, { cursor, limit })
      return { items: page.items.map(marketOrderView), nextCursor: page.nextCursor }
    }),

    getMarketOrder: operation(merchantRoutes.getMarketOrder, async ({ caller, params }) => {
      const order = await findOrder(db, ownOrder(caller, params))
      return marketOrderView(order ?? refuse('MARKET_ORDER_NOT_FOUND'))
    }),

    changeMarketOrder: operation(
      merchantRoutes.changeMarketOrder,
      async ({ caller, params, body }) => {
        const order = await db.transaction((tx) =>
          changeMarketOrder(tx, ownOrder(caller, params), changeOf(body), {
            keyId: caller.keyId,
            at: clock.now(),
          }),
        )
        return marketOrderView(order)
      },
    ),

    cancelMarketOrder: operation(merchantRoutes.cancelMarketOrder, async ({ caller, params }) => {
      const order = await db.transaction((tx) =>
        cancelMarketOrder(tx, ownOrder(caller, params), clock.now()),
      )
      return marketOrderView(order)
    }),
  }
}

const ownOrder = ({ account }: Caller, { orderId }: { readonly orderId: string }) => ({
  tenantId: account.tenantId,
  accountId: account.id,
  id: orderId,
})
