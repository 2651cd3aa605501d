// A trade as an administrator sees it: where every cent and every item is, and how it came there.
import { type Static, Type } from 'typebox'
import { cursorQuery, staleCursorListOf } from '../lists.ts'
import {
  Currency,
  DateTime,
  filterListOf,
  MoneyNumber,
  TRADE_STATUSES,
  TRADE_TYPES,
  Uuid,
} from '../primitives.ts'
import { describe, nullable, stringEnum } from '../schema.ts'
import { TradeRecords } from './dashboard-merchant.ts'
import { Trade } from './trade.ts'

export const AdminTradesQuery = Type.Object(
  {
    ...cursorQuery,
    accountId: Type.Optional(
      describe(Uuid, 'A merchant or partner, with the trades of its users, or one of these.'),
    ),
    status: Type.Optional(filterListOf(TRADE_STATUSES)),
    type: Type.Optional(stringEnum(TRADE_TYPES)),
    market: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'At which one of its items at least was bought.',
        examples: ['market_a'],
      }),
    ),
    from: Type.Optional(DateTime),
    to: Type.Optional(DateTime),
  },
  { title: 'AdminTradesQuery' },
)
export const AdminListedTrade = Type.Object(
  {
    ...Trade.properties,
    tenantId: describe(Uuid, 'The merchant or partner.'),
    tenantName: Type.String(),
    markets: describe(Type.Array(Type.String()), 'At which its items were bought, each once.'),
  },
  { title: 'AdminListedTrade' },
)
export type AdminListedTrade = Static<typeof AdminListedTrade>
export const AdminTrades = staleCursorListOf('AdminTrades', AdminListedTrade)

export const AdminTradeParams = Type.Object(
  {
    id: Type.String({
      minLength: 1,
      maxLength: 128,
      description: 'The id of a trade, or any id that leads to one trade only.',
      examples: ['019b2c3d-4e5f-7a6b-8c7d-9e0f1a2b3c4d'],
    }),
  },
  { title: 'AdminTradeParams' },
)

const AdminOrder = Type.Object({
  customId: describe(Type.String(), 'What we call it at the supplier.'),
  orderId: nullable(describe(Type.String(), 'What the supplier calls it.')),
  state: Type.String(),
  sentAt: DateTime,
  paidUsd: nullable(Type.Number()),
  detail: nullable(Type.String()),
})

export const AdminTradeItem = Type.Object(
  {
    id: Uuid,
    name: Type.String(),
    externalId: nullable(Type.String()),
    status: Type.String(),
    place: describe(Type.String(), 'Where the item is now, as a word.'),
    explanation: describe(Type.String(), 'The same, as half a sentence.'),
    next: describe(
      Type.String(),
      'What happens next, and when; of an item that is over, its outcome.',
    ),
    isOver: Type.Boolean(),
    price: MoneyNumber,
    houseFee: MoneyNumber,
    merchantFee: MoneyNumber,
    refunded: nullable(MoneyNumber),
    penalty: nullable(MoneyNumber),
    failure: nullable(Type.String()),
    offerId: nullable(Type.String()),
    holdEndsAt: nullable(DateTime),
    market: nullable(Type.String()),
    listing: nullable(Type.String()),
    bot: nullable(describe(Type.String(), 'Of a sell: the bot whose offer carries it.')),
    dueAt: nullable(describe(DateTime, 'When a worker looks at it next.')),
    orders: Type.Array(AdminOrder),
  },
  { title: 'AdminTradeItem' },
)

export const AdminTrade = Type.Object(
  {
    id: Uuid,
    type: stringEnum(['buy', 'sell']),
    status: Type.String(),
    tenantId: describe(Uuid, 'The merchant, or the partner or child.'),
    tenantName: Type.String(),
    accountId: describe(Uuid, 'Who bought or sold: the same, or a sub-user of it.'),
    accountName: Type.String(),
    externalId: nullable(Type.String()),
    requestId: nullable(Type.String()),
    marketOrderId: nullable(describe(Uuid, 'The market order that the trade fills.')),
    currency: Currency,
    total: MoneyNumber,
    createdAt: DateTime,
    explanation: describe(Type.String(), 'Where its money is now, in a sentence.'),
    openCases: describe(
      Type.Array(Type.Object({ id: Uuid, kind: Type.String(), meaning: Type.String() })),
      'Contradictions about its items that a person has to look at.',
    ),
    money: describe(
      Type.Array(Type.Object({ account: Type.String(), amount: MoneyNumber, currency: Currency })),
      'What of its money each account holds now; empty when all of it is back.',
    ),
    items: Type.Array(AdminTradeItem),
    ...TradeRecords,
    timeline: Type.Array(
      Type.Object({
        at: DateTime,
        kind: stringEnum([
          'request',
          'item',
          'order',
          'offer',
          'call',
          'money',
          'event',
          'webhook',
          'case',
        ]),
        what: Type.String(),
        item: nullable(describe(Type.String(), '`#1` for the first item; null: the whole trade.')),
        facts: Type.Record(Type.String(), Type.Unknown()),
      }),
    ),
  },
  { title: 'AdminTrade' },
)
export type AdminTrade = Static<typeof AdminTrade>
