import type { ListMerchantEventsQuery } from '../generated/event-feed.ts'
import type { WebhookEvent } from '../generated/events.ts'
import type { CallOptions } from '../options.ts'
import { byCursor } from '../pages.ts'
import type { Call } from '../transport.ts'

/**
 * The position of a follower: after this event, or before the first one. Events are kept for 400 days at
 * least; after one that is not kept any more, a follower begins with the oldest that is.
 */
export type EventPosition = 'start' | (string & {})

export interface EventsPage {
  items: WebhookEvent[]
  nextCursor: string | null
}

type ListQuery = Omit<ListMerchantEventsQuery, 'after' | 'wait'>
type FollowQuery = Pick<ListMerchantEventsQuery, 'type' | 'limit'>

/** The events of webhooks, to read again or to follow where no webhook can arrive. */
export const eventsOf = (call: Call) => {
  // The contract has one shape for the data of all types; `type` narrows it, as in a webhook.
  const read = async (query: ListMerchantEventsQuery, options?: CallOptions): Promise<EventsPage> =>
    (await call('listMerchantEvents', { query }, options)) as EventsPage

  const after = (
    position: EventPosition,
    query: FollowQuery & { readonly wait?: number | undefined } = {},
    options: CallOptions = {},
  ): Promise<EventsPage> => {
    const waitMs = 1000 * (query.wait ?? 0)
    const timeoutMs = options.timeoutMs ?? Math.max(30_000, waitMs + ANSWER_MS)
    return read({ ...query, after: position }, { ...options, timeoutMs })
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
     * One page of events after a position, oldest first. `wait` lets the service delay the response for up
     * to that many seconds while there is no event. The page's `nextCursor` is the next position; null means
     * that there is no event yet.
     */
    after,

    /**
     * Every event after a position, oldest first, without end. Stops with the signal, or with the first error
     * that outlasts the retries of a call: start again after the last event that you have processed.
     */
    async *follow(
      position: EventPosition,
      query: FollowQuery = {},
      options: CallOptions = {},
    ): AsyncGenerator<WebhookEvent, never, undefined> {
      for (let next = position; ; ) {
        const { items, nextCursor } = await after(next, { ...query, wait: 20 }, options)
        yield* items
        next = nextCursor ?? next
      }
    },
  }
}

/** Added to the wait for the timeout of a waiting call. */
const ANSWER_MS = 10_000

export type Events = ReturnType<typeof eventsOf>
