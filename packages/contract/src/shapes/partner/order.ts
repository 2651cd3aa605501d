import { type Static, Type } from 'typebox'
import { PageNumber } from '../../lists.ts'
import { withMessage } from '../../partner-route.ts'
import { DateTime, ItemId, ListingId, MoneyNumber, TradeUrlText, Uuid } from '../../primitives.ts'
import { describe, nullable, stringEnum } from '../../schema.ts'
import { LegacyMarket, ListingItemV1, ListingItemV2, PartnerMarket } from './market.ts'

export const ORDER_STATUSES = [
  'INITIATED',
  'PENDING',
  'ACTIVE',
  'HOLD',
  'COMPLETED',
  'FAILED',
  'REVERTED',
] as const
export const OrderStatusCode = stringEnum(ORDER_STATUSES, { title: 'OrderStatusCode' })
export type OrderStatusCode = Static<typeof OrderStatusCode>

export const OrderStatus = Type.Object(
  { code: OrderStatusCode, label: Type.String({ examples: ['Initiated'] }) },
  { title: 'OrderStatus' },
)
export type OrderStatus = Static<typeof OrderStatus>

export const PartnerOrder = Type.Object(
  {
    id: describe(Uuid, 'The serviceOrderId of the buy.'),
    item: Type.String({ description: 'The market hash name.' }),
    itemId: ItemId,
    amount: describe(MoneyNumber, 'What was paid, fees included.'),
    currency: Type.Unsafe<'USD'>({ type: 'string', const: 'USD' }),
    status: OrderStatus,
    timestamp: describe(DateTime, 'When it was accepted.'),
    cancelType: Type.Integer({
      minimum: 0,
      maximum: 4,
      description: '0 none, 1 buyer fault, 2 seller or market, 3 user cancel, 4 platform.',
    }),
    cancelReason: nullable(
      Type.String({
        description: 'Why it failed or was taken back; null for an order that did not.',
      }),
    ),
    settlementTime: nullable(
      describe(DateTime, 'When it settled; before that, when its hold ends; null before the hold.'),
    ),
    protectedCauser: Type.Integer({
      minimum: 0,
      maximum: 2,
      description: 'Who took a delivered item back: 0 none, 1 user, 2 supplier.',
    }),
  },
  { title: 'Order' },
)
export type PartnerOrder = Static<typeof PartnerOrder>

// ---------------------------------------------------------------- buy

const Price = Type.Number({
  minimum: 0.01,
  maximum: 2_000_000,
  examples: [12.34],
  description: 'The listing’s base price of now, without fees: any other is PRICE_MISMATCH.',
})

const TradeUrl = Type.Optional(
  describe(TradeUrlText, 'Where the item is delivered. Required for API keys.'),
)

const LISTING = '4700012345'
const TRADE_URL = 'https://steamcommunity.com/tradeoffer/new/?partner=39734273&token=accept00'

export const PartnerBuyBody = Type.Object(
  {
    itemId: describe(ListingId, 'The id of the listing.'),
    price: Price,
    market: PartnerMarket,
    tradeUrl: TradeUrl,
  },
  {
    title: 'BuyBody',
    additionalProperties: false,
    examples: [{ itemId: LISTING, price: 12.34, market: 'market_a', tradeUrl: TRADE_URL }],
  },
)
export type PartnerBuyBody = Static<typeof PartnerBuyBody>

export const LegacyBuyBody = Type.Object(
  {
    itemId: describe(ListingId, 'The id of the listing.'),
    price: Price,
    method: Type.Unsafe<'balance'>({ type: 'string', enum: ['balance'] }),
    market: LegacyMarket,
    tradeURL: TradeUrl,
  },
  {
    title: 'LegacyBuyBody',
    additionalProperties: false,
    examples: [
      {
        ...{ itemId: LISTING, price: 12.34, method: 'balance', market: 'market_a_short' },
        tradeURL: TRADE_URL,
      },
    ],
  },
)
export type LegacyBuyBody = Static<typeof LegacyBuyBody>

export const PlacedOrder = Type.Object(
  {
    orderId: Type.Optional(Type.String({ description: 'The supplier’s id, once it is known.' })),
    serviceOrderId: Uuid,
    status: OrderStatusCode,
    message: Type.Optional(Type.String()),
  },
  { title: 'PlacedOrder' },
)
export type PlacedOrder = Static<typeof PlacedOrder>

export const PartnerBuyResponse = Type.Object(
  { order: PlacedOrder, item: ListingItemV2 },
  { title: 'BuyResponse' },
)
export type PartnerBuyResponse = Static<typeof PartnerBuyResponse>

export const LegacyBuyResponse = withMessage('LegacyBuyResponse', {
  order: PlacedOrder,
  item: ListingItemV1,
})
export type LegacyBuyResponse = Static<typeof LegacyBuyResponse>

// ---------------------------------------------------------------- what was bought

const limitOf = (initial: number) =>
  Type.Integer({ minimum: 1, maximum: 100, default: initial, description: 'Rows in one answer.' })

export const OrdersQuery = Type.Object(
  { page: PageNumber, limit: limitOf(100) },
  { additionalProperties: false },
)
export type OrdersQuery = Static<typeof OrdersQuery>

export const OrdersResponse = withMessage('OrdersResponse', {
  total: Type.Integer({ description: 'Orders of the account.' }),
  returned: Type.Integer({ description: 'Orders in this answer.' }),
  orders: Type.Array(PartnerOrder, { description: 'Newest first.' }),
})
export type OrdersResponse = Static<typeof OrdersResponse>

export const PARTNER_TRANSACTION_TYPES = ['purchase', 'refund'] as const

export const PartnerTransaction = Type.Object(
  {
    id: describe(Uuid, 'Of a purchase the order’s id; of a refund the id of the refunded item.'),
    itemId: ItemId,
    itemName: Type.String({ description: 'The market hash name.' }),
    float: nullable(Type.Number({ description: 'The item’s wear.' })),
    price: describe(MoneyNumber, 'Without fees, in USD.'),
    fee: describe(MoneyNumber, 'All fees, in USD.'),
    amount: describe(MoneyNumber, 'Paid, or returned by a refund, in USD.'),
    type: stringEnum(PARTNER_TRANSACTION_TYPES, { title: 'TransactionType' }),
    status: describe(OrderStatusCode, 'Of the order.'),
    timestamp: DateTime,
  },
  { title: 'Transaction' },
)
export type PartnerTransaction = Static<typeof PartnerTransaction>

export const TransactionsOfAccountQuery = Type.Object(
  { page: PageNumber, limit: limitOf(25) },
  { additionalProperties: false },
)
export type TransactionsOfAccountQuery = Static<typeof TransactionsOfAccountQuery>

export const PartnerTransactionsResponse = withMessage('TransactionsResponse', {
  total: Type.Integer({ description: 'Purchases and refunds of the account.' }),
  transactions: Type.Array(PartnerTransaction, { description: 'Newest first.' }),
})
export type PartnerTransactionsResponse = Static<typeof PartnerTransactionsResponse>

export const TransactionStatsResponse = withMessage('TransactionStatsResponse', {
  stats: Type.Object(
    {
      completed: Type.Integer({ description: 'Orders that are COMPLETED.' }),
      failed: Type.Integer({ description: 'Orders that are FAILED or REVERTED.' }),
    },
    { title: 'TransactionStats' },
  ),
})
export type TransactionStatsResponse = Static<typeof TransactionStatsResponse>
