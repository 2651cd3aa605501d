import { type Static, Type } from 'typebox'
import { cursorListOf, cursorQuery } from '../lists.ts'
import {
  Currency,
  DateTime,
  DeliveryMode,
  DopplerPhase,
  ExternalId,
  FilterText,
  ItemId,
  MarketOrderStatus,
  MoneyNumber,
  PAUSED_REASONS,
  PositiveAmountString,
  TradeUrlText,
  Uuid,
} from '../primitives.ts'
import { describe, nullable, stringEnum, withExample } from '../schema.ts'

const text = Type.String()
const wear = Type.Number({ minimum: 0, maximum: 1 })

const filters = {
  delivery: Type.Optional(
    describe(DeliveryMode, 'standard takes any listing, instant only automatic delivery.'),
  ),
  minWear: Type.Optional(
    withExample(describe(wear, 'A listing whose wear is unknown does not fit.'), 0.15),
  ),
  maxWear: Type.Optional(
    withExample(describe(wear, 'A listing whose wear is unknown does not fit.'), 0.2),
  ),
  paintSeeds: Type.Optional(
    Type.Array(Type.Integer({ minimum: 0, maximum: 1000 }), {
      minItems: 1,
      maxItems: 50,
      description: 'One of these; a listing whose seed is unknown does not fit.',
    }),
  ),
  phase: Type.Optional(
    describe(
      DopplerPhase,
      'Of Doppler-type items only. Each phase has an item id of its own: it must be that of the item, or the item one without a phase.',
    ),
  ),
}

export const MarketOrderFilters = Type.Object(filters, { title: 'MarketOrderFilters' })
export type MarketOrderFilters = Static<typeof MarketOrderFilters>

const Quantity = Type.Integer({ minimum: 1, maximum: 100, description: 'Units wanted.' })
const MaxPrice = describe(
  PositiveAmountString,
  'For one unit, fees included, in the wallet’s currency.',
)

export const MarketOrder = Type.Object(
  {
    id: Uuid,
    externalId: ExternalId,
    userId: describe(Uuid, 'The account that buys.'),
    userExternalId: describe(
      nullable(text),
      'Of the sub-user that buys; null when the merchant does.',
    ),
    itemId: ItemId,
    marketHashName: text,
    status: MarketOrderStatus,
    pausedReason: nullable(
      stringEnum(PAUSED_REASONS, {
        description: 'Why nothing is bought now; null unless the order is paused.',
      }),
    ),
    maxPrice: describe(MoneyNumber, 'For one unit, fees included.'),
    currency: Currency,
    quantity: Type.Integer({ description: 'Units wanted.' }),
    filled: Type.Integer({ description: 'Fills that are completed or in their hold.' }),
    pending: Type.Integer({ description: 'Fills under way.' }),
    filters: MarketOrderFilters,
    tradeUrl: describe(nullable(text), 'Null: the primary trade URL at the time of the fill.'),
    trades: Type.Array(Uuid, { description: 'Of all fills, failed ones included, oldest first.' }),
    expiresAt: DateTime,
    createdAt: DateTime,
    updatedAt: DateTime,
  },
  { title: 'MarketOrder' },
)
export type MarketOrder = Static<typeof MarketOrder>

export const MarketOrderBody = Type.Object(
  {
    externalId: describe(ExternalId, 'A second request with it answers the first order again.'),
    itemId: ItemId,
    maxPrice: MaxPrice,
    quantity: Quantity,
    ...filters,
    tradeUrl: Type.Optional(describe(TradeUrlText, 'Instead of the primary trade URL.')),
    expiresAt: Type.Optional(
      describe(DateTime, 'At most 90 days from now; 30 days from now when it is not given.'),
    ),
  },
  {
    title: 'MarketOrderBody',
    examples: [
      {
        externalId: 'order-1001',
        itemId: '9f86d081884c7d65',
        maxPrice: '12.50',
        quantity: 1,
        maxWear: 0.2,
      },
    ],
    additionalProperties: false,
  },
)
export type MarketOrderBody = Static<typeof MarketOrderBody>

export const MarketOrderChangeBody = Type.Object(
  {
    maxPrice: Type.Optional(MaxPrice),
    quantity: Type.Optional(
      describe(Quantity, 'Units wanted; not below those that are bought or under way.'),
    ),
    expiresAt: Type.Optional(describe(DateTime, 'At most 90 days from now.')),
  },
  {
    title: 'MarketOrderChangeBody',
    examples: [{ maxPrice: '13.00' }],
    minProperties: 1,
    additionalProperties: false,
  },
)
export type MarketOrderChangeBody = Static<typeof MarketOrderChangeBody>

export const MarketOrderParams = Type.Object({ orderId: Uuid })
export type MarketOrderParams = Static<typeof MarketOrderParams>

export const MarketOrderListQuery = Type.Object(
  {
    status: Type.Optional(MarketOrderStatus),
    itemId: Type.Optional(ItemId),
    externalId: Type.Optional(withExample(FilterText, 'order-1001')),
    ...cursorQuery,
  },
  { additionalProperties: false },
)
export type MarketOrderListQuery = Static<typeof MarketOrderListQuery>

export const MarketOrderList = cursorListOf('MarketOrderList', MarketOrder)
export type MarketOrderList = Static<typeof MarketOrderList>
