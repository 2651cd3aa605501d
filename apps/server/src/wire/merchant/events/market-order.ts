// The events of a market order.
import type { MarketOrderEventType, WebhookEventData } from '@tradepost/contract'
import { type TObject, Type } from 'typebox'
import { type MarketOrder, PAUSED_REASONS, type PausedReason } from '#bidding'
import { type EventEntry, entriesAbout } from '../../events/entry.ts'
import { marketOrderView } from '../market-order.ts'

const marketOrderEvent = entriesAbout<MarketOrder>()('market_order')

const ended = marketOrderEvent(Type.Object({}) as TObject, {
  render: (order) => ({ order: marketOrderView(order) }),
})

/** It may have gone on since: the event says why it was paused. */
const paused = marketOrderEvent(
  Type.Object({
    pauseId: Type.String(),
    reason: Type.Enum(Object.keys(PAUSED_REASONS) as PausedReason[]),
  }),
  {
    partOf: ({ pauseId }) => pauseId,
    render: (order, { reason }) => ({
      order: { ...marketOrderView(order), status: 'paused' as const, pausedReason: reason },
    }),
  },
)

export const marketOrderEventEntries = {
  'market_order.filled': ended,
  'market_order.paused': paused,
  'market_order.closed': ended,
} satisfies {
  [EventType in MarketOrderEventType]: EventEntry<
    'market_order',
    MarketOrder,
    WebhookEventData<EventType>
  >
}
