// /user/live: the news of an account as it happens, in the words of the webhooks.

import type { Clock } from '#infra/clock'
import { startPollLoop } from '#infra/poll-loop'
import type { FollowedNews, NewsFollower } from '#outbox'
import { frameText } from '#wire/merchant/live'
import { textFrame } from './frames.ts'
import type { LiveSocket } from './live-socket.ts'
import type { LiveMeters } from './meters.ts'
import type { SlowReaders } from './slow-readers.ts'

export interface UserChannel {
  /** Greets the socket once everything that happens from now on will be told. */
  join(socket: LiveSocket): Promise<void>
  leave(socket: LiveSocket): void
  count(): number
  stop(): Promise<void>
}

export interface UserChannelDeps {
  readonly news: NewsFollower
  /** The `data` of each, as a webhook of it would have. */
  render(news: readonly FollowedNews[]): Promise<readonly unknown[]>
  readonly clock: Clock
  readonly slow: SlowReaders
  readonly meters: LiveMeters
  onError(error: unknown): void
}

const POLL_MS = 200
const READY = JSON.stringify({ scope: 'user' })

export function openUserChannel(deps: UserChannelDeps): UserChannel {
  const { news, render, clock, slow, meters, onError } = deps
  const sockets = new Set<LiveSocket>()
  // News that was read and not told waits here: a failed rendering must not lose it.
  let untold: readonly FollowedNews[] = []

  const write = (socket: LiveSocket, frame: Buffer): void => {
    if (socket.write(frame, clock.now().getTime())) slow.add(socket)
  }
  const look = async (): Promise<void> => {
    const wanted = Map.groupBy(sockets, ({ owner }) => owner.accountId)
    untold = [...untold, ...(await news.read([...wanted.keys()]))]
    if (untold.length === 0) return
    const data = await render(untold)
    let written = 0
    for (const [i, { accountId, type, createdAt }] of untold.entries()) {
      const frame = textFrame(frameText(type, JSON.stringify(data[i]), createdAt.getTime()))
      for (const socket of wanted.get(accountId) ?? []) {
        write(socket, frame)
        written++
      }
    }
    untold = []
    meters.onFrames('user', written)
  }
  // Only while a socket is open: cheaper than one more connection that listens for notifications.
  const loop = startPollLoop({
    pollMs: POLL_MS,
    restMs: POLL_MS,
    firstMs: Number.POSITIVE_INFINITY,
    run: async () => {
      if (sockets.size === 0) return { pollMs: Number.POSITIVE_INFINITY }
      await look()
      return {}
    },
    onError,
  })

  return {
    join: async (socket) => {
      // It is in the set before it is greeted: whoever leaves meanwhile does not end the following.
      sockets.add(socket)
      await news.follow(socket.owner.merchantId)
      write(socket, textFrame(frameText('user.ready', READY, clock.now().getTime())))
      loop.wake()
    },
    leave: (socket) => {
      if (!sockets.delete(socket)) return
      slow.remove(socket)
      const { merchantId } = socket.owner
      if (![...sockets].some(({ owner }) => owner.merchantId === merchantId)) {
        news.unfollow(merchantId)
      }
    },
    count: () => sockets.size,
    stop: loop.stop,
  }
}
