// A connection that reconnects when it ends, with exponential backoff and jitter, so that many clients that
// were disconnected together do not reconnect together.
import { type Disconnect, type FollowOptions, LiveError, type WebSocketClass } from './options.ts'

/** `{event, data, ts}` as it came; with an id where it is an event of an account. */
export interface RawFrame {
  readonly id?: string
  readonly event: string
  readonly data: unknown
  /** Unix milliseconds. */
  readonly ts: number
}

export interface ConnectionDeps extends FollowOptions {
  /** The address of the next connection, with its token. */
  address(): Promise<string>
  onFrame(frame: RawFrame): void
  /** The connection has ended; another one follows. */
  onGone(): void
}

export interface Connection {
  /** Resolves when the follower was stopped; rejects when it cannot continue. */
  readonly ended: Promise<void>
  stop(): void
  /** Closes this connection and opens another. */
  restart(error: unknown): void
}

const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 30_000
/** The service sends a frame at least every 25 s: two are missing, and some delay. */
const IDLE_TIMEOUT_MS = 55_000
const CONNECT_TIMEOUT_MS = 15_000
/** In a row, each with a fresh token: the account may then open no socket. */
const MOST_REFUSED_TOKENS = 3
const TOKEN_REFUSED = 4001
const SCOPE_REFUSED = 4003

export function connect(deps: ConnectionDeps): Connection {
  const Socket = webSocketOf(deps)
  const stopping = new AbortController()
  const stop = (): void => stopping.abort()
  if (deps.signal?.aborted) stop()
  deps.signal?.addEventListener('abort', stop, { once: true })
  let current: Attempt | null = null

  const run = async (): Promise<void> => {
    let attempt = 0
    let refusedTokens = 0
    while (!stopping.signal.aborted) {
      current = startAttempt(deps, Socket, stopping.signal)
      const { code, reason, error, wasGreeted } = await current.ended
      current = null
      deps.onGone()
      if (stopping.signal.aborted) return
      attempt = wasGreeted ? 1 : attempt + 1
      refusedTokens = code === TOKEN_REFUSED && !wasGreeted ? refusedTokens + 1 : 0
      if (code === SCOPE_REFUSED || refusedTokens === MOST_REFUSED_TOKENS) {
        throw new LiveError(code ?? 0, reason)
      }
      reportDisconnect(deps, { code, reason, attempt, ...(error === undefined ? {} : { error }) })
      await pause(deps, attempt, stopping.signal)
    }
  }
  const ended = run().finally(() => deps.signal?.removeEventListener('abort', stop))
  // An iterator throws this error; without one it must not be an unhandled rejection.
  ended.catch(() => {})
  return { ended, stop, restart: (error) => current?.restart(error) }
}

interface Outcome {
  readonly code: number | null
  readonly reason: string
  readonly error?: unknown
  readonly wasGreeted: boolean
}

interface Attempt {
  readonly ended: Promise<Outcome>
  restart(error: unknown): void
}

/** Checked before the first attempt: without it every attempt would spend a token and fail. */
function webSocketOf({ WebSocket }: ConnectionDeps): WebSocketClass {
  const Socket = WebSocket ?? (globalThis.WebSocket as WebSocketClass | undefined)
  if (Socket === undefined) {
    throw new TypeError(
      'This runtime has no global WebSocket. Pass an implementation as the WebSocket option, such as that of the ws package, or use Node.js 22 or newer.',
    )
  }
  return Socket
}

function startAttempt(deps: ConnectionDeps, Socket: WebSocketClass, signal: AbortSignal): Attempt {
  const { resolve, promise } = withResolvers<Outcome>()
  let socket: InstanceType<WebSocketClass> | null = null
  let watch: ReturnType<typeof setTimeout> | undefined
  let wasGreeted = false
  let isOver = false

  const end = (outcome: Omit<Outcome, 'wasGreeted'>): void => {
    if (isOver) return
    isOver = true
    clearTimeout(watch)
    signal.removeEventListener('abort', onAbort)
    if (socket !== null) {
      socket.onmessage = null
      closeQuietly(socket)
    }
    resolve({ ...outcome, wasGreeted })
  }
  const onAbort = (): void => end({ code: null, reason: 'Stopped' })
  const expectWithin = (timeoutMs: number): void => {
    clearTimeout(watch)
    watch = setTimeout(
      () => end({ code: null, reason: 'No frame within the idle timeout' }),
      timeoutMs,
    )
  }

  signal.addEventListener('abort', onAbort, { once: true })
  expectWithin(CONNECT_TIMEOUT_MS)
  deps
    .address()
    .then((address) => {
      if (isOver) return
      socket = new Socket(address)
      socket.onmessage = ({ data }: { data: unknown }) => {
        const frame = readFrame(data)
        if (isOver || frame === null) return
        wasGreeted = true
        expectWithin(deps.idleTimeoutMs ?? IDLE_TIMEOUT_MS)
        deps.onFrame(frame)
      }
      socket.onclose = ({ code, reason }: { code: number; reason: string }) => end({ code, reason })
      // The close event follows and carries the reason.
      socket.onerror = () => {}
    })
    .catch((error: unknown) => end({ code: null, reason: 'No connection', error }))
  return { ended: promise, restart: (error) => end({ code: null, reason: 'Restarted', error }) }
}

/** Null for anything but a frame: a newer service may send what this version does not know. */
function readFrame(data: unknown): RawFrame | null {
  if (typeof data !== 'string') return null
  try {
    const frame = JSON.parse(data) as Partial<RawFrame> | null
    const isFrame = typeof frame?.event === 'string' && typeof frame.ts === 'number'
    return isFrame ? (frame as RawFrame) : null
  } catch {
    return null
  }
}

function closeQuietly(socket: InstanceType<WebSocketClass>): void {
  try {
    socket.close(1000)
  } catch {
    // A socket that never opened may throw.
  }
}

function reportDisconnect({ onDisconnect }: ConnectionDeps, reason: Disconnect): void {
  try {
    onDisconnect?.(reason)
  } catch {
    // An error of the callback must not end the follower.
  }
}

/** Waits between half of the backoff and all of it. */
async function pause(
  { runtime }: ConnectionDeps,
  attempt: number,
  signal: AbortSignal,
): Promise<void> {
  const random = runtime?.random ?? Math.random
  const sleep = runtime?.sleep ?? sleepFor
  const longest = Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), LONGEST_PAUSE_MS)
  await sleep(longest * (0.5 + random() / 2), signal).catch(() => {})
}

const sleepFor = (durationMs: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, durationMs)
    signal?.addEventListener('abort', done, { once: true })
  })

/** `Promise.withResolvers` for Node.js 20. */
export function withResolvers<Value>(): {
  promise: Promise<Value>
  resolve: (value: Value) => void
  reject: (reason: unknown) => void
} {
  let resolve: (value: Value) => void = () => {}
  let reject: (reason: unknown) => void = () => {}
  const promise = new Promise<Value>((yes, no) => {
    resolve = yes
    reject = no
  })
  return { promise, resolve, reject }
}
