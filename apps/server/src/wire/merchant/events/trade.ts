// The events of a trade.
import type { TradeEventType, WebhookEventData } from '@tradepost/contract'
import { type TObject, Type } from 'typebox'
import { cents } from '#kernel/money'
import type { Trade } from '#trades'
import { type EventEntry, entriesAbout } from '../../events/entry.ts'
import { moneyNumber } from '../../money.ts'
import { tradeView } from '../trade.ts'

const tradeEvent = entriesAbout<Trade>()('trade')

// Whole cents, written by our own SQL as JSON numbers far below 2^53.
const Cents = Type.Integer()

const statusChange = tradeEvent(Type.Object({}) as TObject, {
  render: (trade) => ({ trade: tradeView(trade) }),
})

const settlement = tradeEvent(Type.Object({ houseFeeCents: Cents, merchantFeeCents: Cents }), {
  render: (trade, { houseFeeCents, merchantFeeCents }) => ({
    trade: tradeView(trade),
    settlement: { houseFeeCents, merchantFeeCents },
  }),
})

const refund = tradeEvent(
  Type.Object({
    itemId: Type.String(),
    externalId: Type.Union([Type.String(), Type.Null()]),
    buyerFault: Type.Boolean(),
    refundedUsdCents: Cents,
    penaltyUsdCents: Cents,
  }),
  {
    partOf: ({ itemId }) => itemId,
    render: (trade, { itemId, externalId, buyerFault, refundedUsdCents, penaltyUsdCents }) => ({
      trade: tradeView(trade),
      refund: {
        itemId,
        ...(externalId !== null && { externalId }),
        buyerFault,
        refunded: moneyNumber(cents(BigInt(refundedUsdCents))),
        penalty: moneyNumber(cents(BigInt(penaltyUsdCents))),
      },
    }),
  },
)

export const tradeEventEntries = {
  'trade.initiated': statusChange,
  'trade.pending': statusChange,
  'trade.active': statusChange,
  'trade.hold': statusChange,
  'trade.completed': settlement,
  'trade.failed': statusChange,
  'trade.canceled': statusChange,
  'trade.declined': statusChange,
  'trade.reverted': statusChange,
  'trade.settled': settlement,
  'trade.refunded': refund,
} satisfies {
  [EventType in TradeEventType]: EventEntry<'trade', Trade, WebhookEventData<EventType>>
}
