// Sockets that read more slowly than they are written to: served one by one, so that no other waits for
// them, and closed when together they make the process keep too much.

import { startPollLoop } from '#infra/jobs/poll-loop'
import { inChunks } from '#infra/limits/in-chunks'
import type { Clock } from '#infra/process/clock'
import type { LiveSocket } from './live-socket.ts'

export interface SlowReaders {
  add(socket: LiveSocket): void
  remove(socket: LiveSocket): void
  stop(): Promise<void>
}

const LOOK_EVERY_MS = 50
const WEIGH_EVERY_MS = 1000
/** A portion of one whose frames are made as they are sent takes up to a millisecond. */
const SOCKETS_A_TURN = 5

export function watchSlowReaders({
  clock,
  maxBufferedBytes,
  everySocket,
  onError,
}: {
  readonly clock: Clock
  /** For all sockets of the process together. */
  readonly maxBufferedBytes: number
  everySocket(): Iterable<LiveSocket>
  onError(error: unknown): void
}): SlowReaders {
  const slow = new Set<LiveSocket>()
  const look = async (): Promise<void> => {
    for await (const sockets of inChunks([...slow], SOCKETS_A_TURN)) {
      const nowMs = clock.now().getTime()
      for (const socket of sockets) {
        socket.lookAfter(nowMs)
        if (!socket.isSlow) slow.delete(socket)
      }
    }
  }
  const looking = startPollLoop({
    ...{ firstMs: LOOK_EVERY_MS, restMs: LOOK_EVERY_MS, pollMs: LOOK_EVERY_MS },
    ...{ run: look, onError },
  })
  const weighing = setInterval(() => shed(everySocket(), maxBufferedBytes), WEIGH_EVERY_MS)
  weighing.unref()
  return {
    add: (socket) => slow.add(socket),
    remove: (socket) => slow.delete(socket),
    stop: async () => {
      clearInterval(weighing)
      await looking.stop()
    },
  }
}

/** Closes the worst until the rest fits. */
function shed(sockets: Iterable<LiveSocket>, maxBufferedBytes: number): void {
  const heavy: { readonly socket: LiveSocket; readonly bytes: number }[] = []
  let total = 0
  for (const socket of sockets) {
    const bytes = socket.bufferedBytes
    if (bytes === 0) continue
    total += bytes
    heavy.push({ socket, bytes })
  }
  if (total <= maxBufferedBytes) return
  heavy.sort((one, other) => other.bytes - one.bytes)
  for (const { socket, bytes } of heavy) {
    if (total <= maxBufferedBytes) return
    socket.closeSlow()
    total -= bytes
  }
}
