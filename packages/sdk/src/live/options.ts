// The options of followers.
import type { Runtime } from '../options.ts'
import type { Account } from '../resources/account.ts'

/**
 * The part of a WebSocket that is used. Browsers, Deno, Bun and Node.js 22 have one; for Node.js 20 take
 * that of `ws`.
 */
export interface WebSocketLike {
  onopen: ((event: never) => void) | null
  onmessage: ((event: never) => void) | null
  onclose: ((event: never) => void) | null
  onerror: ((event: never) => void) | null
  close(code?: number): void
}

export type WebSocketClass = new (url: string) => WebSocketLike

/**
 * On a server, an account of the client. Where no API key may be, such as in a browser, the address of the
 * service and a function that gets tokens from your backend.
 */
export type Access =
  | { readonly account: Pick<Account, 'live' | 'market'> }
  | {
      /** The origin of the service. */
      readonly baseUrl: string | URL
      /** Called before every connection. When it throws, it is retried with backoff. */
      readonly token: () => Promise<string>
    }

export interface FollowOptions {
  /** Ends the follower. */
  readonly signal?: AbortSignal | undefined
  /** Used instead of the global `WebSocket`; required on Node.js 20, which has none. */
  readonly WebSocket?: WebSocketClass | undefined
  /** Called whenever a connection ends and another is tried. What it throws is ignored. */
  readonly onDisconnect?: ((reason: Disconnect) => void) | undefined
  /**
   * After this time without a frame the follower reconnects. 55,000 by default: the service sends a
   * heartbeat after 25 s without another frame.
   */
  readonly idleTimeoutMs?: number | undefined
  readonly runtime?: Partial<Pick<Runtime, 'random' | 'sleep'>> | undefined
}

export interface Disconnect {
  /** The WebSocket's close code; null when there was no connection or the follower closed it. */
  readonly code: number | null
  readonly reason: string
  /** The error of the token function or of the snapshot. */
  readonly error?: unknown
  /** 1 for the first attempt after a connection that received a frame. */
  readonly attempt: number
}

/** The service refuses this follower, and a retry would be refused as well. */
export class LiveError extends Error {
  readonly code: number
  /** In words; of a filter that is refused, which one and why. */
  readonly reason: string
  constructor(code: number, reason: string) {
    super(`The socket was closed with ${code}: ${reason}`)
    this.name = 'LiveError'
    this.code = code
    this.reason = reason
  }
}
