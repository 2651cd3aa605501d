// The options of a client and of one call.

/** The part of `fetch` that is used. */
export type Fetch = (
  url: string,
  init: {
    method: string
    headers: Record<string, string>
    body?: string
    signal: AbortSignal
    redirect: 'manual'
  },
) => Promise<Response>

export interface TradepostOptions {
  readonly apiKey: string
  /** The origin of the service, such as `https://api.example.com`. */
  readonly baseUrl: string | URL
  /** For one attempt including its whole response. 30,000 by default. */
  readonly timeoutMs?: number | undefined
  /** How often a retryable call is retried at most. 2 by default. */
  readonly maxRetries?: number | undefined
  /** When `retry-after` is longer, the call fails at once. 60,000 by default. */
  readonly maxRetryAfterMs?: number | undefined
  /** Called after every attempt, for logs and metrics. What it throws is ignored. */
  readonly onAttempt?: ((attempt: Attempt) => void) | undefined
  /** Used instead of the global `fetch`. */
  readonly fetch?: Fetch | undefined
  /** Sources of time and randomness, for tests. */
  readonly runtime?: Partial<Runtime> | undefined
}

export interface Attempt {
  readonly operation: string
  /** 1 for the first. */
  readonly attempt: number
  /** Null when there was no response. */
  readonly status: number | null
  readonly requestId: string | null
  readonly durationMs: number
}

export interface Runtime {
  /** Milliseconds since 1970. */
  now(): number
  /** From 0 to 1, without 1. */
  random(): number
  /** A new idempotency key for a call that moves money. */
  newId(): string
  /** Waits, or rejects with the reason of the signal. */
  sleep(durationMs: number, signal: AbortSignal | undefined): Promise<void>
}

export interface CallOptions {
  /** Aborts the call, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: number | undefined
  readonly maxRetries?: number | undefined
}

export interface MoneyOptions extends CallOptions {
  /**
   * Your reference of 1 to 128 characters: the same key moves money once. When it is absent the SDK creates
   * one, which covers the retries of this call but not a crash of your process.
   */
  readonly idempotencyKey?: string | undefined
}

export interface Settings {
  readonly apiKey: string
  readonly baseUrl: string
  readonly timeoutMs: number
  readonly maxRetries: number
  readonly maxRetryAfterMs: number
  readonly onAttempt: ((attempt: Attempt) => void) | undefined
  readonly fetch: Fetch
  readonly runtime: Runtime
}

export function settingsOf(options: TradepostOptions): Settings {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError('new Tradepost() needs options: { apiKey, baseUrl }')
  }
  return {
    apiKey: apiKeyOf(options.apiKey),
    baseUrl: baseUrlOf(options.baseUrl),
    timeoutMs: atLeast(1, 'timeoutMs', options.timeoutMs ?? 30_000),
    maxRetries: atLeast(0, 'maxRetries', options.maxRetries ?? 2),
    maxRetryAfterMs: atLeast(0, 'maxRetryAfterMs', options.maxRetryAfterMs ?? 60_000),
    onAttempt: options.onAttempt,
    // Called as a function of the global object, which some runtimes insist on.
    fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)),
    runtime: { ...RUNTIME, ...options.runtime },
  }
}

export function atLeast(least: number, name: string, value: number): number {
  if (!(value >= least)) throw new TypeError(`${name} must be a number of at least ${least}`)
  return value
}

/** An unset environment variable is the usual cause, so the message names the option. */
function requireOption(name: string, value: unknown, meaning: string): void {
  if (value === undefined || value === null || value === '') {
    throw new TypeError(`${name} is missing: pass ${meaning}`)
  }
}

function apiKeyOf(apiKey: string): string {
  requireOption('apiKey', apiKey, 'the API key of your merchant account')
  if (typeof apiKey !== 'string' || !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new TypeError('apiKey must be printable ASCII without spaces')
  }
  return apiKey
}

function baseUrlOf(baseUrl: string | URL): string {
  requireOption('baseUrl', baseUrl, 'the origin of the service, such as https://api.example.com')
  const url = URL.canParse(String(baseUrl)) ? new URL(baseUrl) : null
  if (url === null) throw new TypeError('baseUrl must be a complete URL, with https://')
  if (!/^https?:$/.test(url.protocol)) throw new TypeError('baseUrl must be an http or https URL')
  if (url.username !== '' || url.search !== '' || url.hash !== '') {
    throw new TypeError('baseUrl must have no credentials, query or fragment')
  }
  return url.origin + url.pathname.replace(/\/+$/, '')
}

const RUNTIME: Runtime = {
  now: () => Date.now(),
  random: () => Math.random(),
  newId: () => crypto.randomUUID(),
  sleep: (durationMs, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const onAbort = (): void => {
        clearTimeout(timer)
        reject(signal?.reason)
      }
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', onAbort)
        resolve()
      }, durationMs)
      signal?.addEventListener('abort', onAbort, { once: true })
    }),
}
