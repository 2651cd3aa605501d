// Drops repeats: an event has one id, whether a webhook brings it, the feed or a socket.

/**
 * Ids of events that were handled. One over your database, in the transaction of the work, survives restarts.
 */
export interface SeenEvents {
  has(id: string): boolean | Promise<boolean>
  add(id: string): unknown
}

export interface OnceOptions {
  /** The last 10,000 ids in memory by default. */
  readonly seen?: SeenEvents
}

/**
 * A handler that is called once for each event, whichever way it comes and however often: for `onEvent` of
 * webhooks, `events.follow` and `followUser` together. A repeat waits while the first is being handled. When
 * the handler throws or rejects, so does the call, and the next repeat is handled.
 */
export function oncePerEvent<Event extends { readonly id: string }>(
  handle: (event: Event) => unknown,
  { seen = lastIds() }: OnceOptions = {},
): (event: Event) => Promise<void> {
  const underWay = new Map<string, Promise<void>>()
  const handleNew = async (event: Event): Promise<void> => {
    if (await seen.has(event.id)) return
    await handle(event)
    await seen.add(event.id)
  }
  return (event) => {
    const known = underWay.get(event.id)
    if (known !== undefined) return known
    const handling = handleNew(event).finally(() => underWay.delete(event.id))
    underWay.set(event.id, handling)
    return handling
  }
}

const KEPT_IDS = 10_000

/** A set keeps the order of insertion, so the first is the oldest. */
function lastIds(): SeenEvents {
  const ids = new Set<string>()
  return {
    has: (id) => ids.has(id),
    add: (id) => {
      ids.add(id)
      const [oldest] = ids
      if (ids.size > KEPT_IDS && oldest !== undefined) ids.delete(oldest)
    },
  }
}
