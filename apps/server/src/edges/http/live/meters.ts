// What operators see of the sockets.
import type { LiveScope } from '@tradepost/contract'
import type { SocketMeters } from './live-socket.ts'

export interface LiveMeters extends SocketMeters {
  /** Frames times sockets. */
  onFrames(scope: LiveScope | 'user', count: number): void
  /** How old the events of a tick were when they were sent. */
  onTick(lagMs: number): void
}
