// The registry of the merchant interface's events. A family is a file beside this one and a line here; an
// event of the contract without a renderer does not compile.
import type { WebhookEventData, WebhookEventType } from '@tradepost/contract'
import type { EventEntry } from '../../events/entry.ts'
import { depositEventEntries } from './deposit.ts'
import { marketOrderEventEntries } from './market-order.ts'
import { payoutEventEntries } from './payout.ts'
import { statusEventEntries } from './status.ts'
import { tradeEventEntries } from './trade.ts'

export const merchantEvents = {
  ...tradeEventEntries,
  ...marketOrderEventEntries,
  ...depositEventEntries,
  ...payoutEventEntries,
  ...statusEventEntries,
} satisfies {
  [EventType in WebhookEventType]: EventEntry<string, never, WebhookEventData<EventType>>
}
