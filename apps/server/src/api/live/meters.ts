// What operators see of the sockets.
import type { LiveScope } from '@tradepost/contract'
import type { SocketMeters } from './live-socket.ts'

export interface LiveMeters extends SocketMeters {
  /** Frames times sockets. */
  onFrames(scope: LiveScope | 'user', count: number): void
  /** How old the news of a tick was when it was sent. */
  onTick(lagMs: number): void
}
