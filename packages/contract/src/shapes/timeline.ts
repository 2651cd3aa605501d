import { type Static, Type } from 'typebox'
import { Currency, DateTime, MoneyNumber, TradeStatus, Uuid } from '../primitives.ts'
import { describe, nullable, stringEnum } from '../schema.ts'

export const TIMELINE_KINDS = ['request', 'item', 'offer', 'money', 'event', 'webhook'] as const
export const TimelineKind = stringEnum(TIMELINE_KINDS, { title: 'TimelineKind' })
export type TimelineKind = Static<typeof TimelineKind>

export const TimelineEntry = Type.Object(
  {
    at: DateTime,
    kind: describe(
      TimelineKind,
      'request: the trade was made. item: an item took a step. offer: a platform offer became known. money: the wallet moved. event: news was written. webhook: an attempt to deliver it.',
    ),
    what: Type.String({
      description:
        'Of an item moved, cancel_requested or replaced; of money the type of the ledger row; of an event and a webhook the event type.',
    }),
    itemId: describe(nullable(Uuid), 'The item that it is about; null for the whole trade.'),
    status: describe(nullable(TradeStatus), 'Where the item stood afterwards.'),
    error: nullable(Type.String({ description: 'The code with which an item failed.' })),
    amount: describe(nullable(MoneyNumber), 'Plus into the wallet, minus out of it.'),
    offerId: nullable(Type.String()),
    eventId: describe(nullable(Uuid), 'Of the event.'),
    attempt: nullable(Type.Integer({ description: 'Of the webhook: its number.' })),
    responseStatus: nullable(
      Type.Integer({ description: 'What the endpoint answered; null when it did not.' }),
    ),
  },
  { title: 'TimelineEntry' },
)
export type TimelineEntry = Static<typeof TimelineEntry>

export const TradeTimeline = Type.Object(
  {
    tradeId: Uuid,
    requestId: describe(nullable(Uuid), 'Of the request that made the trade.'),
    currency: Currency,
    entries: Type.Array(TimelineEntry, { description: 'By rising time.' }),
  },
  { title: 'TradeTimeline' },
)
export type TradeTimeline = Static<typeof TradeTimeline>
