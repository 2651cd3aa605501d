import { WebSocket } from 'ws'
import { createNameResolver } from '#infra/http/name-resolver'
import type { FeedCounters, Log, Rng } from './feed-counters.ts'
import { pause } from './pause.ts'

export interface SocketLine {
  send(text: string): void
  /** Ends this connection; the next one is tried after a pause. */
  drop(reason: string): void
}

export interface SocketHandlers {
  /** What to connect to, asked anew each time because tokens grow old. Null: not now. */
  address(): Promise<{ readonly url: string; readonly headers?: Record<string, string> } | null>
  opened(line: SocketLine): void
  text(text: string, line: SocketLine): void
  lost?(): void
}

export interface SocketOptions {
  readonly name: string
  readonly log: Log
  readonly counters: FeedCounters
  readonly rng: Rng
  /** A connection without a message for so long is dead, whatever the operating system thinks. */
  readonly silenceMs: number
  readonly firstRetryMs?: number
}

const HANDSHAKE_MS = 10_000
/** Apart from the threads of the process, on which a silent name server of another party may wait. */
const names = createNameResolver()
const MOST_RETRY_MS = 30_000
const MOST_MESSAGE_BYTES = 8 * 1024 * 1024

/** Keeps a WebSocket up until aborted: reconnects with growing, jittered pauses. */
export async function keepSocket(
  handlers: SocketHandlers,
  options: SocketOptions,
  signal: AbortSignal,
): Promise<void> {
  const firstRetryMs = options.firstRetryMs ?? 500
  let failures = 0
  while (!signal.aborted) {
    const address = await handlers.address()
    if (signal.aborted) return
    let wasOpen = false
    if (address !== null) {
      const ended = await holdConnection(address, handlers, options, signal)
      wasOpen = ended.wasOpen
      if (wasOpen) handlers.lost?.()
      if (signal.aborted) return
      options.counters.socketLost()
      options.log.warn(
        { event: 'market_socket_lost', market: options.name, reason: ended.reason },
        'market socket lost',
      )
    }
    failures = wasOpen ? 0 : failures + 1
    const base = Math.min(MOST_RETRY_MS, firstRetryMs * 2 ** Math.min(failures, 10))
    await pause(base * (0.75 + options.rng() * 0.5), signal)
  }
}

function holdConnection(
  address: { readonly url: string; readonly headers?: Record<string, string> },
  handlers: SocketHandlers,
  options: SocketOptions,
  signal: AbortSignal,
): Promise<{ readonly wasOpen: boolean; readonly reason: string }> {
  return new Promise((resolve) => {
    const socket = new WebSocket(address.url, {
      handshakeTimeout: HANDSHAKE_MS,
      maxPayload: MOST_MESSAGE_BYTES,
      followRedirects: false,
      lookup: names.lookup,
      headers: { 'user-agent': 'Tradepost/1.0', ...address.headers },
    })
    let wasOpen = false
    let reason = 'closed'
    let silence: NodeJS.Timeout | undefined

    const line: SocketLine = {
      send: (text) => {
        if (socket.readyState === WebSocket.OPEN) socket.send(text)
      },
      drop: (why) => {
        reason = why
        socket.terminate()
      },
    }
    const restartSilenceTimer = (): void => {
      clearTimeout(silence)
      silence = setTimeout(() => line.drop('silent'), options.silenceMs)
    }
    const stop = (): void => line.drop('stopped')

    signal.addEventListener('abort', stop, { once: true })
    socket.on('open', () => {
      wasOpen = true
      restartSilenceTimer()
      handlers.opened(line)
    })
    socket.on('message', (data, isBinary) => {
      restartSilenceTimer()
      if (!isBinary) handlers.text(String(data), line)
    })
    // The message may quote the address, and the address of some markets carries a token.
    socket.on('error', (error) => {
      reason =
        (error as { code?: string }).code ?? error.message.replace(/https?:\S+|wss?:\S+/g, '')
    })
    socket.on('close', () => {
      clearTimeout(silence)
      signal.removeEventListener('abort', stop)
      resolve({ wasOpen, reason })
    })
    if (signal.aborted) stop()
  })
}
