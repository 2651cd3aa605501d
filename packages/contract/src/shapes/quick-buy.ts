import { type Static, Type } from 'typebox'
import {
  DateTime,
  DeliveryMode,
  DopplerPhase,
  ExternalId,
  ItemId,
  MoneyNumber,
  PositiveAmountString,
  TradeStatus,
  TradeUrlText,
  Uuid,
} from '../primitives.ts'
import { describe } from '../schema.ts'

export const QuickBuyBody = Type.Object(
  {
    itemId: ItemId,
    maxPrice: describe(
      PositiveAmountString,
      'For one unit, fees included, in the wallet’s currency.',
    ),
    amount: Type.Integer({ minimum: 1, maximum: 200, description: 'Units wanted.' }),
    delivery: describe(
      DeliveryMode,
      'standard takes any listing, instant only automatic delivery.',
    ),
    phase: Type.Optional(
      describe(
        DopplerPhase,
        'Of Doppler-type items only. Each phase has an item id of its own: it must be that of the item, or the item one without a phase.',
      ),
    ),
    tradeUrl: Type.Optional(describe(TradeUrlText, 'Instead of the primary trade URL.')),
    externalId: Type.Optional(
      describe(ExternalId, 'A second quick-buy with it answers the first trade again.'),
    ),
    externalIds: Type.Optional(
      Type.Array(ExternalId, {
        minItems: 1,
        maxItems: 200,
        uniqueItems: true,
        description:
          'A reference for each unit: exactly `amount`, all distinct. The cheapest unit gets the first; with a partial fill the last ones go unused.',
      }),
    ),
  },
  {
    title: 'QuickBuyBody',
    examples: [
      {
        itemId: '9f86d081884c7d65',
        maxPrice: '12.50',
        amount: 2,
        delivery: 'standard',
        externalId: 'order-1002',
        externalIds: ['order-1002-a', 'order-1002-b'],
      },
    ],
    additionalProperties: false,
  },
)
export type QuickBuyBody = Static<typeof QuickBuyBody>

export const QuickBuyResponse = Type.Object(
  {
    id: describe(Uuid, 'The trade.'),
    status: TradeStatus,
    requestedCount: Type.Integer(),
    itemCount: Type.Integer({ description: 'Units bought: fewer when fewer are for sale.' }),
    totalPrice: describe(MoneyNumber, 'Taken from the wallet, in its currency.'),
    createdAt: DateTime,
  },
  { title: 'QuickBuyResponse' },
)
export type QuickBuyResponse = Static<typeof QuickBuyResponse>
