// What a follower is told at the start.
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
 * Who is let in: an account of the client, on a server; or, where no API key may be, an address and a way
 * to get tokens from your own backend.
 */
export type Access =
  | { readonly account: Pick<Account, 'live' | 'market'> }
  | {
      /** The origin of the service. */
      readonly baseUrl: string | URL
      /** Asked before every connection. What it throws is tried again, later each time. */
      readonly token: () => Promise<string>
    }

export interface FollowOptions {
  /** Ends the follower. */
  readonly signal?: AbortSignal | undefined
  /** Used instead of the global `WebSocket`; required on Node.js 20, which has none. */
  readonly WebSocket?: WebSocketClass | undefined
  /** Told whenever a connection ends, and why the next one is tried. What it throws is dropped. */
  readonly onDisconnect?: ((reason: Disconnect) => void) | undefined
  /**
   * Without a frame for so long the connection is made anew: a dead one looks like a quiet one.
   * 90,000 by default.
   */
  readonly idleTimeoutMs?: number | undefined
  readonly runtime?: Partial<Pick<Runtime, 'random' | 'sleep'>> | undefined
}

export interface Disconnect {
  /** The WebSocket's close code; null when there was no connection or it was given up. */
  readonly code: number | null
  readonly reason: string
  /** What the token's provider, or the reading of a snapshot, failed with. */
  readonly error?: unknown
  /** 1 for the first after a connection that was greeted. */
  readonly attempt: number
}

/** The service will not let this follower in, however often it asks. */
export class LiveError extends Error {
  readonly code: number
  constructor(code: number, reason: string) {
    super(`The socket was closed with ${code}: ${reason}`)
    this.name = 'LiveError'
    this.code = code
  }
}
