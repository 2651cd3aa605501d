// GET, POST /market/orders, GET, PATCH /market/orders/{orderId}, POST /market/orders/{orderId}/cancel
import { type MarketOrderBody, merchantRoutes } from '@tradepost/contract'
import {
  cancelMarketOrder,
  changeMarketOrder,
  findOrder,
  listOrders,
  type PlaceMarketOrder,
} from '#bidding'
import type { Db } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import { assertDefined } from '#kernel/assert'
import { parseAmount } from '#kernel/money'
import { refuse } from '#kernel/refusal'
import { marketOrderView } from '#wire/merchant/market-order'
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
          {
            requestId: caller.requestId,
            externalId: body.externalId,
            itemId: body.itemId,
            maxPrice: amountOf(body.maxPrice),
            quantity: body.quantity,
            filters: filtersOf(body),
            tradeUrl: body.tradeUrl ?? null,
            expiresAt: timeOf(body.expiresAt),
          },
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
        const change = {
          maxPrice: body.maxPrice === undefined ? null : amountOf(body.maxPrice),
          quantity: body.quantity ?? null,
          expiresAt: timeOf(body.expiresAt),
        }
        const order = await db.transaction((tx) =>
          changeMarketOrder(tx, ownOrder(caller, params), change, clock.now()),
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

const amountOf = (text: string) =>
  assertDefined(parseAmount(text), 'an amount of the contract’s form')

const timeOf = (text: string | undefined): Date | null =>
  text === undefined ? null : new Date(text)

const filtersOf = ({ delivery, minWear, maxWear, paintSeeds, phase }: MarketOrderBody) => ({
  ...(delivery !== undefined && { delivery }),
  ...(minWear !== undefined && { minWear }),
  ...(maxWear !== undefined && { maxWear }),
  ...(paintSeeds !== undefined && { paintSeeds }),
  ...(phase !== undefined && { phase }),
})
