// The events of a market order.
import { type Static, Type } from 'typebox'
import { MarketOrder } from '../shapes/market-order.ts'
import { type EventDefinition, event } from './family.ts'

export const MarketOrderEventData = Type.Object(
  { order: MarketOrder },
  { title: 'MarketOrderEventData' },
)
export type MarketOrderEventData = Static<typeof MarketOrderEventData>

export const marketOrderEvents = {
  'market_order.filled': event(
    'market_order.filled',
    'The whole quantity was bought; sent once.',
    MarketOrderEventData,
  ),
  'market_order.paused': event(
    'market_order.paused',
    'Nothing is bought until the cause in `pausedReason` is gone; then it goes on by itself.',
    MarketOrderEventData,
  ),
  'market_order.closed': event(
    'market_order.closed',
    'It was canceled, or has expired.',
    MarketOrderEventData,
  ),
} as const satisfies Record<string, EventDefinition>

export type MarketOrderEventType = keyof typeof marketOrderEvents
