// Frames for sockets that asked for them and had no other for a while: a client that sees no pings cannot
// distinguish a quiet connection from a dead one.
import { HEARTBEAT_AFTER_MS, type WsTokenScope } from '@tradepost/contract'
import { type PollLoop, startPollLoop } from '#infra/jobs/poll-loop'
import { inChunks } from '#infra/limits/in-chunks'
import type { Clock } from '#infra/process/clock'
import { frameText } from '#wire/merchant/live'
import type { Admitted } from './accept.ts'
import { textFrame } from './frames.ts'
import type { SlowReaders } from './slow-readers.ts'

const LOOK_EVERY_MS = 1000
const WRITES_AT_ONCE = 250

export function sendHeartbeats({
  clock,
  slow,
  everySocket,
  tsOf,
  onError,
}: {
  readonly clock: Clock
  readonly slow: SlowReaders
  everySocket(): Iterable<Admitted>
  /** The `ts` of a frame that says nothing, by channel: what a client may resume from. */
  readonly tsOf: Readonly<Record<WsTokenScope, () => number>>
  onError(error: unknown): void
}): PollLoop {
  const look = async (): Promise<void> => {
    const nowMs = clock.now().getTime()
    const isDue = ({ socket: { isSlow, writtenMs }, wantsHeartbeat }: Admitted): boolean =>
      wantsHeartbeat && !isSlow && writtenMs !== null && nowMs - writtenMs >= HEARTBEAT_AFTER_MS
    const due = [...everySocket()].filter(isDue)
    if (due.length === 0) return
    const frameOf = (channel: WsTokenScope): Buffer =>
      textFrame(frameText(`${channel}.heartbeat`, '{}', tsOf[channel]()))
    const frames = { market: frameOf('market'), user: frameOf('user') }
    for await (const admitted of inChunks(due, WRITES_AT_ONCE)) {
      for (const { socket, channel } of admitted) {
        if (socket.write(frames[channel], nowMs)) slow.add(socket)
      }
    }
  }
  return startPollLoop({
    ...{ firstMs: LOOK_EVERY_MS, restMs: LOOK_EVERY_MS, pollMs: LOOK_EVERY_MS },
    ...{ run: look, onError },
  })
}
