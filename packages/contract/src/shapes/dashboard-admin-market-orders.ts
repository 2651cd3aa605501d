// Market orders of all accounts, as administrators read them.
import { type Static, Type } from 'typebox'
import { cursorListOf, cursorQuery } from '../lists.ts'
import { ItemId, MarketOrderStatus, Uuid } from '../primitives.ts'
import { describe } from '../schema.ts'
import { MarketOrderDepth } from './dashboard-market-orders.ts'
import { MarketOrder } from './market-order.ts'

export const AdminMarketOrder = Type.Object(
  {
    ...MarketOrder.properties,
    tenantId: describe(Uuid, 'The merchant.'),
    tenantName: Type.String(),
  },
  { title: 'AdminMarketOrder' },
)
export type AdminMarketOrder = Static<typeof AdminMarketOrder>
export const AdminMarketOrders = cursorListOf('AdminMarketOrders', AdminMarketOrder)
export const AdminMarketOrderDetail = Type.Object(
  { ...AdminMarketOrder.properties, depth: MarketOrderDepth },
  { title: 'AdminMarketOrderDetail' },
)
export type AdminMarketOrderDetail = Static<typeof AdminMarketOrderDetail>

export const AdminMarketOrdersQuery = Type.Object(
  {
    status: Type.Optional(MarketOrderStatus),
    itemId: Type.Optional(ItemId),
    ...cursorQuery,
    accountId: Type.Optional(
      describe(Uuid, 'A merchant, with the orders of its sub-users, or a sub-user.'),
    ),
  },
  { title: 'AdminMarketOrdersQuery' },
)
