import { type Static, type TSchema, Type } from 'typebox'
import { webhookEvents } from '../events.ts'
import { Limit, NextCursor } from '../lists.ts'
import { DateTime, filterListOf, Uuid } from '../primitives.ts'
import { describe, stringEnum } from '../schema.ts'

const EVENT_TYPES = Object.keys(webhookEvents) as (keyof typeof webhookEvents)[]

/** The longest that a request waits for an event; well under the time that clients and proxies give one. */
export const MAX_WAIT_SECONDS = 25

/** Before the oldest event, where an event id would be. */
export const EVENTS_START = 'start'

/** For how long an event can be read back at least. */
export const EVENTS_KEPT_DAYS = 400

/** The fields of every event's data in one shape: required where each event has them, optional elsewhere. */
export const MerchantEventData = Type.Unsafe<MergedData<Static<EventData>>>(
  Type.Object(mergedFields(Object.values(webhookEvents).map(({ data }) => data.properties)), {
    title: 'MerchantEventData',
    description:
      'What a webhook of the same type carries: the trade, with a settlement in trade.completed and trade.settled and a refund in trade.refunded; the deposit; the withdrawal; or what has changed of the service.',
  }),
)
type EventData = (typeof webhookEvents)[keyof typeof webhookEvents]['data']
export type MerchantEventData = Static<typeof MerchantEventData>

/** Every field that any event has; each event has some of them. */
type MergedData<Data> = { [Name in FieldOf<Data>]?: ValueOf<Data, Name> }
type FieldOf<Data> = Data extends unknown ? keyof Data : never
type ValueOf<Data, Name extends PropertyKey> = Data extends unknown
  ? Name extends keyof Data
    ? Exclude<Data[Name], undefined>
    : never
  : never

function mergedFields(
  shapes: readonly Readonly<Record<string, TSchema>>[],
): Record<string, TSchema> {
  const names = [...new Set(shapes.flatMap((shape) => Object.keys(shape)))]
  return Object.fromEntries(
    names.map((name) => {
      const found = shapes.flatMap((shape) => shape[name] ?? [])
      const field = found[0] as TSchema
      return [name, found.length === shapes.length ? field : Type.Optional(field)]
    }),
  )
}

export const MerchantEvent = Type.Object(
  {
    id: describe(Uuid, 'The `webhook-id` of its deliveries.'),
    type: stringEnum(EVENT_TYPES, { title: 'EventType' }),
    createdAt: DateTime,
    data: MerchantEventData,
  },
  { title: 'MerchantEvent' },
)
export type MerchantEvent = Static<typeof MerchantEvent>

export const MerchantEventsResponse = Type.Object(
  {
    items: Type.Array(MerchantEvent),
    nextCursor: describe(
      NextCursor,
      'Where to go on: as `cursor`, or with `after` as the next `after`. Null when a list without `after` is at its end, and with `after=start` while there is no event at all.',
    ),
  },
  { title: 'MerchantEventsResponse' },
)
export type MerchantEventsResponse = Static<typeof MerchantEventsResponse>

export const MerchantEventsQuery = Type.Object(
  {
    cursor: Type.Optional(
      describe(Uuid, 'Events before this one, newest first. Not together with `after`.'),
    ),
    after: Type.Optional(
      Type.String({
        pattern: `^(${EVENTS_START}|[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$`,
        examples: [EVENTS_START],
        description:
          'Events after this one, oldest first; `start` for those after none. For following. After one that is no longer kept: from the oldest that is.',
      }),
    ),
    limit: Limit,
    type: Type.Optional(filterListOf(EVENT_TYPES)),
    wait: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_WAIT_SECONDS,
        examples: [20],
        description: 'With `after`: how many seconds to wait for an event when there is none.',
      }),
    ),
  },
  { additionalProperties: false },
)
export type MerchantEventsQuery = Static<typeof MerchantEventsQuery>

export const MerchantEventParams = Type.Object({ id: Uuid })
export type MerchantEventParams = Static<typeof MerchantEventParams>
