import { type Static, Type } from 'typebox'
import { cursorListOf } from '../lists.ts'
import { Currency, MoneyNumber, UserReference } from '../primitives.ts'
import { describe } from '../schema.ts'
import { MarketOrder, MarketOrderBody, MarketOrderListQuery } from './market-order.ts'

export const DashboardMarketOrders = cursorListOf('DashboardMarketOrders', MarketOrder)

export const DashboardMarketOrdersQuery = Type.Object(
  {
    ...MarketOrderListQuery.properties,
    subUserId: Type.Optional(describe(UserReference, 'A sub-user’s UUID or externalId.')),
  },
  { title: 'DashboardMarketOrdersQuery', additionalProperties: false },
)

export const DashboardMarketOrderBody = Type.Object(
  {
    ...MarketOrderBody.properties,
    subUserId: Type.Optional(
      describe(UserReference, 'Who buys: a sub-user’s UUID or externalId; the merchant if absent.'),
    ),
  },
  { title: 'DashboardMarketOrderBody', additionalProperties: false },
)
export type DashboardMarketOrderBody = Static<typeof DashboardMarketOrderBody>

export const ItemDepthQuery = Type.Object(
  { currency: Type.Optional(describe(Currency, 'That of the merchant if absent.')) },
  { title: 'ItemDepthQuery' },
)

export const MarketOrderDepth = Type.Object(
  {
    currency: Currency,
    levels: Type.Array(
      Type.Object(
        {
          maxPrice: describe(MoneyNumber, 'Of one unit, fees included.'),
          quantity: Type.Integer({ description: 'Units wanted at this price.' }),
        },
        { title: 'DepthLevel' },
      ),
      { description: 'The highest price first; at most 20.' },
    ),
  },
  { title: 'MarketOrderDepth' },
)
export type MarketOrderDepth = Static<typeof MarketOrderDepth>
