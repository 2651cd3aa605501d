import { type Static, Type } from 'typebox'
import { cursorQuery, NextCursor } from '../lists.ts'
import {
  Currency,
  DateTime,
  ExternalId,
  FilterText,
  ListingId,
  ListingRawId,
  MoneyNumber,
  PlatformId,
  PositiveAmountString,
  RevertedBy,
  TradeFailureCode,
  TradeStatus,
  TradeType,
  TradeUrlText,
  UserReference,
  Uuid,
} from '../primitives.ts'
import { describe, nullable, withExample } from '../schema.ts'

const text = Type.String()

/** A sticker on a thing that was traded. */
export const TradeSticker = Type.Object(
  {
    name: text,
    slot: Type.Integer(),
    wear: nullable(Type.Number({ description: '0 is fresh; null when the market does not say.' })),
    iconUrl: text,
  },
  { title: 'TradeSticker' },
)
export type TradeSticker = Static<typeof TradeSticker>

export const Charm = Type.Object(
  { name: text, pattern: Type.Optional(Type.Integer()), iconUrl: text },
  { title: 'Charm' },
)
export type Charm = Static<typeof Charm>

export const ItemRefund = Type.Object(
  {
    amount: describe(MoneyNumber, 'Returned to the buyer; 0 when the user reverted the delivery.'),
    penalty: describe(MoneyNumber, 'Withheld for a fault of the buyer. amount + penalty = price.'),
    buyerFault: Type.Boolean(),
  },
  { title: 'ItemRefund' },
)
export type ItemRefund = Static<typeof ItemRefund>

export const TradeItem = Type.Object(
  {
    id: describe(Uuid, 'A stable handle of this item in its trade.'),
    externalId: Type.Optional(ExternalId),
    name: nullable(text),
    marketHashName: nullable(text),
    type: nullable(text),
    iconUrl: nullable(text),
    price: describe(MoneyNumber, 'Fees included, in the currency of the trade.'),
    exterior: Type.Optional(text),
    rarity: Type.Optional(text),
    color: Type.Optional(text),
    phase: Type.Optional(text),
    wear: Type.Optional(Type.String({ description: 'The float value as text.' })),
    paintSeed: Type.Optional(Type.Integer()),
    stickers: Type.Optional(Type.Array(TradeSticker)),
    charm: Type.Optional(Charm),
    delivery: Type.Optional(Type.String({ description: 'standard or instant.' })),
    status: TradeStatus,
    tradable: Type.Boolean(),
    offerId: Type.Optional(
      Type.String({ description: 'The platform offer that carries the item; the latest one.' }),
    ),
    error: Type.Optional(describe(TradeFailureCode, 'Set when the status is failed or declined.')),
    errorDetail: Type.Optional(
      Type.String({ description: 'The market’s own words, for debugging only.' }),
    ),
    refund: Type.Optional(ItemRefund),
  },
  { title: 'TradeItem' },
)
export type TradeItem = Static<typeof TradeItem>

export const TradeSummary = Type.Object(
  {
    total: Type.Integer(),
    delivered: Type.Integer({ description: 'Items in hold and completed items.' }),
    completed: Type.Integer({ description: 'Items whose hold is over and that are settled.' }),
    failed: Type.Integer({ description: 'Failed, declined, canceled and reverted items.' }),
  },
  { title: 'TradeSummary' },
)
export type TradeSummary = Static<typeof TradeSummary>

export const Trade = Type.Object(
  {
    id: Uuid,
    type: TradeType,
    userId: describe(Uuid, 'The account that buys or sells.'),
    platformId: describe(PlatformId, 'The platform account of the buyer or seller.'),
    tradeUrl: text,
    offerId: Type.Optional(
      Type.String({ description: 'Of a trade with one item; else see the items.' }),
    ),
    externalId: Type.Optional(ExternalId),
    marketOrderId: Type.Optional(describe(Uuid, 'The market order that the trade fills.')),
    status: TradeStatus,
    game: Type.String({ examples: ['cs2'] }),
    items: Type.Array(TradeItem),
    summary: TradeSummary,
    totalPrice: MoneyNumber,
    currency: Currency,
    holdEndDate: Type.Optional(describe(DateTime, 'The latest of the items’ hold ends.')),
    settledAt: Type.Optional(DateTime),
    revertedBy: Type.Optional(RevertedBy),
    error: Type.Optional(
      Type.String({ description: 'The first failed item’s code when the whole trade failed.' }),
    ),
    createdAt: DateTime,
    updatedAt: DateTime,
  },
  { title: 'Trade' },
)
export type Trade = Static<typeof Trade>

export const TradeListResponse = Type.Object(
  { trades: Type.Array(Trade), nextCursor: NextCursor },
  { title: 'TradeListResponse' },
)
export type TradeListResponse = Static<typeof TradeListResponse>

export const TransactionTradesResponse = Type.Object(
  { transactions: Type.Array(Trade), nextCursor: NextCursor },
  { title: 'TransactionTradesResponse' },
)
export type TransactionTradesResponse = Static<typeof TransactionTradesResponse>

const tradeFilters = {
  type: Type.Optional(TradeType),
  status: Type.Optional(TradeStatus),
  hideResolved: Type.Optional(
    Type.Boolean({
      description: 'Leaves out failed and reverted trades; ignored when `status` is set.',
    }),
  ),
  itemName: Type.Optional(
    withExample(
      describe(
        FilterText,
        'Part of an item’s market hash name. A page by `type`, `status`, `hideResolved` or this may be short or empty while `nextCursor` is not null: each looks at 10,000 trades at most.',
      ),
      'Redline',
    ),
  ),
  externalId: Type.Optional(
    withExample(describe(FilterText, 'The trade’s own externalId.'), 'order-1001'),
  ),
  offerId: Type.Optional(withExample(FilterText, '6789012345')),
  tradeId: Type.Optional(withExample(FilterText, '019b2c3d-4e5f-7a6b-8c7d-9e0f1a2b3c4d')),
  from: Type.Optional(DateTime),
  to: Type.Optional(DateTime),
  ...cursorQuery,
}

export const MerchantTradesQuery = Type.Object(
  {
    ...tradeFilters,
    subUserId: Type.Optional(describe(UserReference, 'A sub-user’s UUID or externalId.')),
  },
  { additionalProperties: false },
)
export type MerchantTradesQuery = Static<typeof MerchantTradesQuery>

export const SubUserTradesQuery = Type.Object(tradeFilters, { additionalProperties: false })
export type SubUserTradesQuery = Static<typeof SubUserTradesQuery>

export const TransactionsQuery = Type.Object(
  {
    type: Type.Optional(TradeType),
    status: Type.Optional(TradeStatus),
    ...cursorQuery,
  },
  { additionalProperties: false },
)
export type TransactionsQuery = Static<typeof TransactionsQuery>

export const BuyItem = Type.Object(
  {
    listingId: Type.Optional(ListingId),
    listingRawId: Type.Optional(
      describe(ListingRawId, 'The supplier’s own listing id behind its market’s name.'),
    ),
    maxPrice: describe(PositiveAmountString, 'Above this, fees included, the item is not bought.'),
    externalId: Type.Optional(
      describe(ExternalId, 'A reference for this item, distinct within the request.'),
    ),
  },
  {
    title: 'BuyItem',
    examples: [{ listingId: '4700012345', maxPrice: '12.50' }],
    description: 'Names its listing by exactly one of listingId and listingRawId.',
    additionalProperties: false,
    // The empty properties are for validators that want to see what a branch requires.
    oneOf: [
      { required: ['listingId'], properties: { listingId: {} } },
      { required: ['listingRawId'], properties: { listingRawId: {} } },
    ],
  },
)
export type BuyItem = Static<typeof BuyItem>

export const BuyBody = Type.Object(
  {
    items: Type.Array(BuyItem, { minItems: 1, maxItems: 10 }),
    tradeUrl: Type.Optional(describe(TradeUrlText, 'Instead of the primary trade URL.')),
    externalId: Type.Optional(
      describe(ExternalId, 'A second buy with it answers the first trade again.'),
    ),
  },
  {
    title: 'BuyBody',
    examples: [
      {
        items: [{ listingId: '4700012345', maxPrice: '12.50', externalId: 'order-1001-a' }],
        externalId: 'order-1001',
      },
    ],
    additionalProperties: false,
  },
)
export type BuyBody = Static<typeof BuyBody>

export const BuyResponse = Type.Object(
  {
    id: describe(Uuid, 'The trade.'),
    status: TradeStatus,
    itemCount: Type.Integer(),
    totalPrice: describe(MoneyNumber, 'Taken from the wallet, in its currency.'),
    createdAt: DateTime,
  },
  { title: 'BuyResponse' },
)
export type BuyResponse = Static<typeof BuyResponse>

export const TradeParams = Type.Object({ tradeId: Uuid })
export type TradeParams = Static<typeof TradeParams>
