// The events of an order. They are those of its trade, under the partner interface's names.
import type { OrderEventDataOf, OrderEventType } from '@tradepost/contract'
import { Type } from 'typebox'
import { cents } from '#kernel/money'
import type { Trade } from '#trades'
import { type EventEntry, entriesAbout } from '../events/entry.ts'
import { moneyNumber } from '../money.ts'
import { orderView } from './order.ts'

const orderEvent = entriesAbout<Trade>()('trade')

export const orderEventEntries = {
  // The payload depends on the status; nothing of it is shown.
  'order.updated': orderEvent(Type.Object({}), {
    render: (trade) => ({ order: orderView(trade) }),
  }),
  'order.refunded': orderEvent(
    Type.Object({
      itemId: Type.String(),
      refundedUsdCents: Type.Integer(),
      penaltyUsdCents: Type.Integer(),
    }),
    {
      partOf: ({ itemId }) => itemId,
      render: (trade, { refundedUsdCents, penaltyUsdCents }) => ({
        order: orderView(trade),
        refund: {
          amount: moneyNumber(cents(BigInt(refundedUsdCents))),
          penalty: moneyNumber(cents(BigInt(penaltyUsdCents))),
        },
      }),
    },
  ),
} satisfies {
  [EventType in OrderEventType]: EventEntry<'trade', Trade, OrderEventDataOf<EventType>>
}
