// An account's own events as they happen.
import type { WebhookEventDataByType, WebhookEventType } from '../generated/events.ts'
import { connect } from './connection.ts'
import { addressOf } from './market.ts'
import type { Access, FollowOptions } from './options.ts'
import { createUpdateQueue } from './update-queue.ts'

/** An event as in webhooks, under the same id. A newer service may send types that are not in this list. */
export type UserEvent = {
  [Type in WebhookEventType]: {
    readonly id: string
    readonly type: Type
    readonly data: WebhookEventDataByType[Type]
    /** When it happened, in Unix milliseconds. */
    readonly ts: number
  }
}[WebhookEventType]

/**
 * `ready` is reported at the start and after each interruption: events before it may have been lost, so
 * read `transactions` then.
 */
export type UserUpdate = UserEvent | { readonly type: 'ready'; readonly ts: number }

export interface UserFollower extends AsyncIterable<UserUpdate> {
  stop(): void
}

/** Follows an account until it is stopped. Throws a TypeError at once where there is no WebSocket. */
export function followUser(options: FollowOptions & Access): UserFollower {
  const queue = createUpdateQueue<UserUpdate>()
  const connection = connect({
    ...options,
    address: () => addressOf(options, '/user/live', 'user'),
    onFrame: ({ id, event, data, ts }) => {
      if (event === 'user.heartbeat') return
      queue.push(
        event === 'user.ready'
          ? { type: 'ready', ts }
          : ({ id, type: event, data, ts } as UserEvent),
      )
    },
    onGone: () => {},
  })
  connection.ended.then(
    () => queue.end(),
    (error) => queue.end(error),
  )
  return { stop: connection.stop, [Symbol.asyncIterator]: queue.iterate }
}
