import type { ListMerchantEventsQuery } from '../generated/event-feed.ts'
import type { WebhookEvent } from '../generated/events.ts'
import type { CallOptions } from '../options.ts'
import { byCursor } from '../pages.ts'
import type { Call } from '../transport.ts'

/** Where a follower stands: after this event, or before the first one. */
export type EventPlace = 'start' | (string & {})

export interface EventsPage {
  items: WebhookEvent[]
  nextCursor: string | null
}

type ListQuery = Omit<ListMerchantEventsQuery, 'after' | 'wait'>
type FollowQuery = Pick<ListMerchantEventsQuery, 'type' | 'limit'>

/** What webhooks tell, to be read back or followed where none can arrive. */
export const eventsOf = (call: Call) => {
  // The service describes all types of data at once; `type` tells which one it is, as in a webhook.
  const read = async (query: ListMerchantEventsQuery, options?: CallOptions): Promise<EventsPage> =>
    (await call('listMerchantEvents', { query }, options)) as EventsPage

  const after = (
    place: EventPlace,
    query: FollowQuery & { readonly wait?: number | undefined } = {},
    options: CallOptions = {},
  ): Promise<EventsPage> => {
    const waitMs = 1000 * (query.wait ?? 0)
    const timeoutMs = options.timeoutMs ?? Math.max(30_000, waitMs + ANSWER_MS)
    return read({ ...query, after: place }, { ...options, timeoutMs })
  }

  return {
    /** Newest first. */
    list: (query: ListQuery = {}, options?: CallOptions) =>
      byCursor(
        query,
        (slice) => read({ ...query, ...slice }, options),
        ({ items }) => items,
      ),

    /** One of them, with its data as it is now. */
    get: async (id: string, options?: CallOptions) =>
      (await call('getMerchantEvent', { params: { id } }, options)) as WebhookEvent,

    /**
     * One page of events after a place, oldest first. `wait` lets the service hold the answer for up to
     * that many seconds while there is nothing. The page's `nextCursor` is the place to go on from; null
     * means that there is none yet.
     */
    after,

    /**
     * Every event after a place, oldest first, for ever. Ends with the signal, or with the first error
     * that outlasts the retries of a call: begin again after the last event that you have dealt with.
     */
    async *follow(
      place: EventPlace,
      query: FollowQuery = {},
      options: CallOptions = {},
    ): AsyncGenerator<WebhookEvent, never, undefined> {
      for (let next = place; ; ) {
        const { items, nextCursor } = await after(next, { ...query, wait: 20 }, options)
        yield* items
        next = nextCursor ?? next
      }
    },
  }
}

/** What a waiting call is given on top of its wait. */
const ANSWER_MS = 10_000

export type Events = ReturnType<typeof eventsOf>
