// Every event of the merchant interface. A family of events is a file in events/ and a line here; the
// service's renderers, the documentation and the SDK are checked against this list.
import type { Static } from 'typebox'
import { depositEvents } from './events/deposit.ts'
import type { EventDefinition } from './events/family.ts'
import { marketOrderEvents } from './events/market-order.ts'
import { payoutEvents } from './events/payout.ts'
import { statusEvents } from './events/status.ts'
import { tradeEvents } from './events/trade.ts'

export const webhookEvents = {
  ...tradeEvents,
  ...marketOrderEvents,
  ...depositEvents,
  ...payoutEvents,
  ...statusEvents,
} as const satisfies Record<string, EventDefinition>

export type WebhookEventType = keyof typeof webhookEvents
export type WebhookEventData<EventType extends WebhookEventType> = Static<
  (typeof webhookEvents)[EventType]['data']
>
