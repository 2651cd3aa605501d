// The events of a trade.
import { type Static, Type } from 'typebox'
import { Cents, ExternalId, MoneyNumber, Uuid } from '../primitives.ts'
import { describe } from '../schema.ts'
import { Trade } from '../shapes/trade.ts'
import { type EventDefinition, event } from './family.ts'

export const Settlement = Type.Object(
  { houseFeeCents: Cents, merchantFeeCents: Cents },
  { title: 'Settlement' },
)
export type Settlement = Static<typeof Settlement>

export const EventRefund = Type.Object(
  {
    itemId: describe(Uuid, 'The id of the refunded item in the trade.'),
    externalId: Type.Optional(ExternalId),
    buyerFault: Type.Boolean(),
    refunded: describe(MoneyNumber, 'Returned to the wallet, fees included, in USD.'),
    penalty: describe(MoneyNumber, 'Withheld for a fault of the buyer, in USD.'),
  },
  { title: 'EventRefund' },
)
export type EventRefund = Static<typeof EventRefund>

export const TradeEventData = Type.Object({ trade: Trade }, { title: 'TradeEventData' })
export type TradeEventData = Static<typeof TradeEventData>

export const SettlementEventData = Type.Object(
  { trade: Trade, settlement: Settlement },
  { title: 'SettlementEventData' },
)
export type SettlementEventData = Static<typeof SettlementEventData>

export const RefundEventData = Type.Object(
  { trade: Trade, refund: EventRefund },
  { title: 'RefundEventData' },
)
export type RefundEventData = Static<typeof RefundEventData>

export const tradeEvents = {
  'trade.initiated': event(
    'trade.initiated',
    'The buy was accepted, its price is held.',
    TradeEventData,
  ),
  'trade.pending': event('trade.pending', 'The order was placed at its market.', TradeEventData),
  'trade.active': event('trade.active', 'The market is processing or delivering.', TradeEventData),
  'trade.hold': event(
    'trade.hold',
    'The items were received; the hold window runs.',
    TradeEventData,
  ),
  'trade.completed': event(
    'trade.completed',
    'The hold is over, the trade is done.',
    SettlementEventData,
  ),
  'trade.failed': event(
    'trade.failed',
    'It could not be placed or delivered; refunded in full.',
    TradeEventData,
  ),
  'trade.canceled': event(
    'trade.canceled',
    'Canceled before delivery; refunded in full.',
    TradeEventData,
  ),
  'trade.declined': event(
    'trade.declined',
    'The buyer let the offer fall; refunded less the penalty.',
    TradeEventData,
  ),
  'trade.reverted': event(
    'trade.reverted',
    'The items were taken back after delivery.',
    TradeEventData,
  ),
  'trade.settled': event('trade.settled', 'Fees and earnings were posted.', SettlementEventData),
  'trade.refunded': event(
    'trade.refunded',
    'The price of an item was refunded, less a penalty; one event for each item. `refunded` is 0, and nothing is posted to the wallet, when the user reversed the delivery.',
    RefundEventData,
  ),
} as const satisfies Record<string, EventDefinition>

export type TradeEventType = keyof typeof tradeEvents
