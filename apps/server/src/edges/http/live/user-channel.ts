// /user/live: the events of an account as they are dispatched, with the names and data of webhooks.

import { startPollLoop } from '#infra/jobs/poll-loop'
import type { Clock } from '#infra/process/clock'
import type { EventFollower, FollowedEvent } from '#outbox'
import type { RenderEvents } from '#wire/events/render'
import { frameText } from '#wire/merchant/live'
import { textFrame } from './frames.ts'
import type { LiveSocket } from './live-socket.ts'
import type { LiveMeters } from './meters.ts'
import type { SlowReaders } from './slow-readers.ts'

export interface UserChannel {
  /** Greets the socket once every event from now on will be sent to it. */
  join(socket: LiveSocket): Promise<void>
  leave(socket: LiveSocket): void
  count(): number
  stop(): Promise<void>
}

export interface UserChannelDeps {
  readonly events: EventFollower
  readonly renderEvents: RenderEvents
  readonly clock: Clock
  readonly slow: SlowReaders
  readonly meters: LiveMeters
  onError(error: unknown): void
}

const POLL_MS = 200
/** Events of the service are of the merchant, and concern its sub-users. */
const isOfService = (type: string): boolean => type.startsWith('service.')
const READY = JSON.stringify({ scope: 'user' })

export function openUserChannel(deps: UserChannelDeps): UserChannel {
  const { events, renderEvents, clock, slow, meters, onError } = deps
  const sockets = new Set<LiveSocket>()
  // Events that were read and not sent: a database error between the two must not lose them.
  let unsent: readonly FollowedEvent[] = []

  const write = (socket: LiveSocket, frame: Buffer): void => {
    if (socket.write(frame, clock.now().getTime())) slow.add(socket)
  }
  const poll = async (): Promise<void> => {
    const wanted = Map.groupBy(sockets, ({ owner }) => owner.accountId)
    const ofTenants = Map.groupBy(sockets, ({ owner }) => owner.tenantId)
    const accounts = new Set([...wanted.keys(), ...ofTenants.keys()])
    unsent = [...unsent, ...(await events.read([...accounts]))]
    if (unsent.length === 0) return
    const rendered = await renderEvents(
      unsent.map(({ type, ...rest }) => ({ eventType: type, ...rest })),
    )
    let written = 0
    for (const [i, { id, accountId, type, createdAt }] of unsent.entries()) {
      const result = rendered[i]
      // The renderer has reported the failure; the next events are sent all the same.
      if (!result || result.error) continue
      const frame = textFrame(frameText(type, JSON.stringify(result.data), createdAt.getTime(), id))
      const readers = (isOfService(type) ? ofTenants : wanted).get(accountId) ?? []
      for (const socket of readers) {
        write(socket, frame)
        written++
      }
    }
    unsent = []
    meters.onFrames('user', written)
  }
  // Only while a socket is open: cheaper than one more connection that listens for notifications.
  const loop = startPollLoop({
    pollMs: POLL_MS,
    restMs: POLL_MS,
    firstMs: Number.POSITIVE_INFINITY,
    run: async () => {
      if (sockets.size === 0) return { pollMs: Number.POSITIVE_INFINITY }
      await poll()
      return {}
    },
    onError,
  })

  return {
    join: async (socket) => {
      // It is in the set before it is greeted: a socket that leaves meanwhile does not end the following.
      sockets.add(socket)
      await events.follow(socket.owner.tenantId)
      write(socket, textFrame(frameText('user.ready', READY, clock.now().getTime())))
      loop.wake()
    },
    leave: (socket) => {
      if (!sockets.delete(socket)) return
      slow.remove(socket)
      const { tenantId } = socket.owner
      if (![...sockets].some(({ owner }) => owner.tenantId === tenantId)) {
        events.unfollow(tenantId)
      }
    },
    count: () => sockets.size,
    stop: loop.stop,
  }
}
