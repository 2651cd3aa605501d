import { defineRoute } from '../route.ts'
import {
  MerchantEvent,
  MerchantEventParams,
  MerchantEventsQuery,
  MerchantEventsResponse,
} from '../shapes/event.ts'

/** The events of a merchant, to be read back or followed where no webhook can arrive. */
export const eventRoutes = {
  listMerchantEvents: defineRoute({
    id: 'listMerchantEvents',
    method: 'GET',
    path: '/merchant/events',
    context: 'merchant',
    scope: 'read',
    tag: 'Event feed',
    summary: 'List or follow the events of the merchant and all its sub-users',
    description:
      'Newest first, or with `after` oldest first from there on. With `wait` a request that finds nothing is answered when there is an event, or empty when the time is over; it may be answered empty sooner. `data` shows the state at the time of reading, as in a webhook. With `type`, one answer looks at a limited number of events: it can be short, or empty, and still have a `nextCursor`. An event can be read for at least 400 days; `after` an event that is no longer kept begins with the oldest that is.',
    query: MerchantEventsQuery,
    response: MerchantEventsResponse,
    status: 200,
    cost: 1,
    refusals: [],
  }),
  getMerchantEvent: defineRoute({
    id: 'getMerchantEvent',
    method: 'GET',
    path: '/merchant/events/{id}',
    context: 'merchant',
    scope: 'read',
    tag: 'Event feed',
    summary: 'Read one event of the merchant or of a sub-user',
    description:
      'Its data shows the state at the time of reading. Its id is the `webhook-id` of its deliveries.',
    params: MerchantEventParams,
    response: MerchantEvent,
    status: 200,
    cost: 1,
    refusals: ['NOT_FOUND'],
  }),
} as const
