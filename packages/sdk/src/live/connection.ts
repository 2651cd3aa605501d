// A connection that is made again when it ends: later each time, and by chance, so that many clients that
// were cut off together do not come back together.
import { type Disconnect, type FollowOptions, LiveError, type WebSocketClass } from './options.ts'

/** `{event, data, ts}` as it came. */
export interface RawFrame {
  readonly event: string
  readonly data: unknown
  /** Unix milliseconds. */
  readonly ts: number
}

export interface ConnectionDeps extends FollowOptions {
  /** The address of the next connection, with its token. */
  address(): Promise<string>
  onFrame(frame: RawFrame): void
  /** The connection is gone; another one follows. */
  onGone(): void
}

export interface Connection {
  /** Ends with the follower: when it was stopped, or with the reason why it cannot go on. */
  readonly ended: Promise<void>
  stop(): void
  /** Gives this connection up and makes another. */
  restart(error: unknown): void
}

const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 30_000
const IDLE_TIMEOUT_MS = 90_000
const CONNECT_TIMEOUT_MS = 15_000
/** With a fresh token each time: the account may have no socket. */
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
      tell(deps, { code, reason, attempt, ...(error === undefined ? {} : { error }) })
      await pause(deps, attempt, stopping.signal)
    }
  }
  const ended = run().finally(() => deps.signal?.removeEventListener('abort', stop))
  // Whoever iterates hears of it; whoever does not must not be brought down by it.
  ended.catch(() => {})
  return { ended, stop, restart: (error) => current?.giveUp(error) }
}

interface Outcome {
  readonly code: number | null
  readonly reason: string
  readonly error?: unknown
  readonly wasGreeted: boolean
}

interface Attempt {
  readonly ended: Promise<Outcome>
  giveUp(error: unknown): void
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
    watch = setTimeout(() => end({ code: null, reason: 'Nothing was heard' }), timeoutMs)
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
      // A close follows and says more.
      socket.onerror = () => {}
    })
    .catch((error: unknown) => end({ code: null, reason: 'No connection', error }))
  return { ended: promise, giveUp: (error) => end({ code: null, reason: 'Given up', error }) }
}

/** Null for what is no frame: a newer service may send what this version does not know. */
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
    // One that was never open may refuse to be closed.
  }
}

function tell({ onDisconnect }: ConnectionDeps, reason: Disconnect): void {
  try {
    onDisconnect?.(reason)
  } catch {
    // A follower does not end because somebody could not write a line about it.
  }
}

/** From half of the time to all of it. */
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
