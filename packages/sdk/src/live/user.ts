// An account's own events as they happen.
import type { WebhookEventDataByType, WebhookEventType } from '../generated/events.ts'
import { connect } from './connection.ts'
import { addressOf } from './market.ts'
import { createNewsQueue } from './news-queue.ts'
import type { Access, FollowOptions } from './options.ts'

/** An event as the webhooks have it. A newer service may send types that are not in this list. */
export type UserEvent = {
  [Type in WebhookEventType]: {
    readonly type: Type
    readonly data: WebhookEventDataByType[Type]
    /** When it happened, in Unix milliseconds. */
    readonly ts: number
  }
}[WebhookEventType]

/**
 * `ready` comes at the beginning and after each interruption: what happened before it may have been
 * missed, so read `transactions` then.
 */
export type UserNews = UserEvent | { readonly type: 'ready'; readonly ts: number }

export interface UserFollower extends AsyncIterable<UserNews> {
  stop(): void
}

/** Quiet is the rule here: accounts do not trade every minute. */
const IDLE_TIMEOUT_MS = 600_000

/** Follows an account until it is stopped. */
export function followUser(options: FollowOptions & Access): UserFollower {
  const queue = createNewsQueue<UserNews>()
  const connection = connect({
    ...options,
    idleTimeoutMs: options.idleTimeoutMs ?? IDLE_TIMEOUT_MS,
    address: () => addressOf(options, '/user/live', 'user'),
    onFrame: ({ event, data, ts }) => {
      queue.push(
        event === 'user.ready' ? { type: 'ready', ts } : ({ type: event, data, ts } as UserEvent),
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
