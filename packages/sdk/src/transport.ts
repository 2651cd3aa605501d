// Sends a call until there is a response. Only retryable calls are sent more than once.
import type { CallDetails } from './errors.ts'
import { TradepostError, TransportError } from './errors.ts'
import type { ErrorKey } from './generated/error-keys.ts'
import type { Operations, RouteOfOperation } from './generated/operations.ts'
import { atLeast, type MoneyOptions, type Settings } from './options.ts'
import { type AnyInput, type Input, type WireRequest, wireRequest } from './request.ts'
import { isTransient, pauseMs, readRetryAfter } from './retry.ts'
import { VERSION } from './version.ts'

export type Call<Known = Operations> = <Id extends keyof Known & string>(
  operation: Id,
  input: Input<Known, Id>,
  options?: MoneyOptions,
) => Promise<DataOf<Known[Id]>>

type DataOf<Operation> = Operation extends { readonly data: infer Data } ? Data : never

/** The operations of one interface of the service, as a call is made to them. */
export interface ServiceInterface {
  readonly keyHeader: string
  readonly routes: Readonly<Record<string, RouteOfOperation>>
  /** Of those that are no reads: whether the service recognises this call when it is sent again. */
  isRepeatable(operation: string, input: AnyInput): boolean
}

/** Calls as the holder of the key itself, or as a sub-user of it. */
export function createCall<Known = Operations>(
  settings: Settings,
  service: ServiceInterface,
  behalf: string | undefined,
): Call<Known> {
  return (operation, input, options = {}) =>
    callUntilAnswered(settings, { service, operation, input: input as AnyInput, behalf, options })
}

interface CallRequest {
  readonly service: ServiceInterface
  readonly operation: string
  readonly input: AnyInput
  readonly behalf: string | undefined
  readonly options: MoneyOptions
}

async function callUntilAnswered<Data>(settings: Settings, call: CallRequest): Promise<Data> {
  const { service, operation, input, behalf, options } = call
  const { runtime } = settings
  const route = routeOf(service, operation)
  const isKeyed = route.keyed === true
  const idempotencyKey = isKeyed ? (options.idempotencyKey ?? runtime.newId()) : undefined
  const request = wireRequest({
    route,
    keyHeader: service.keyHeader,
    input,
    behalf,
    idempotencyKey,
    baseUrl: settings.baseUrl,
    apiKey: settings.apiKey,
    userAgent: `tradepost-sdk/${VERSION}`,
  })
  const timeoutMs = atLeast(1, 'timeoutMs', options.timeoutMs ?? settings.timeoutMs)
  const maxRetries = atLeast(0, 'maxRetries', options.maxRetries ?? settings.maxRetries)
  const mayRepeat = route.method === 'GET' || isKeyed || service.isRepeatable(operation, input)
  const maxAttempts = mayRepeat ? 1 + maxRetries : 1
  for (let attempts = 1; ; attempts++) {
    const outcome = await send(settings, {
      route,
      request,
      timeoutMs,
      signal: options.signal,
      details: { operation, attempts, idempotencyKey },
    })
    if (outcome.kind === 'answered') return outcome.data as Data
    const { error, isTransient, retryAfterMs } = outcome
    if (!isTransient || attempts >= maxAttempts) throw error
    if (retryAfterMs !== null && retryAfterMs > settings.maxRetryAfterMs) throw error
    await runtime.sleep(
      pauseMs({ attempts, retryAfterMs, random: runtime.random() }),
      options.signal,
    )
  }
}

const routeOf = ({ routes }: ServiceInterface, operation: string): RouteOfOperation => {
  const route = routes[operation]
  if (route === undefined) throw new TypeError(`there is no operation ${operation}`)
  return route
}

type Outcome =
  | { readonly kind: 'answered'; readonly data: unknown }
  | {
      readonly kind: 'failed'
      readonly error: TradepostError | TransportError
      /** Another attempt may succeed. */
      readonly isTransient: boolean
      readonly retryAfterMs: number | null
    }

interface Sending {
  readonly route: RouteOfOperation
  readonly request: WireRequest
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
  readonly details: CallDetails
}

async function send(settings: Settings, sending: Sending): Promise<Outcome> {
  const { route, details, signal } = sending
  signal?.throwIfAborted()
  const startedMs = settings.runtime.now()
  const report = (status: number | null, requestId: string | null): void => {
    const durationMs = settings.runtime.now() - startedMs
    try {
      const { operation, attempts: attempt } = details
      settings.onAttempt?.({ operation, attempt, status, requestId, durationMs })
    } catch {
      // An error of the observer must not change the result of the call.
    }
  }
  let received: Received
  try {
    received = await exchange(settings, sending)
  } catch (cause) {
    report(null, null)
    signal?.throwIfAborted()
    return lost(sending, cause)
  }
  const outcome = read(received, route, details, settings.runtime.now())
  report(received.status, received.headers.get('x-request-id'))
  return outcome
}

interface Received {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** One request and its whole response within the deadline. A redirect would send the key elsewhere. */
async function exchange(
  { fetch }: Settings,
  { request, timeoutMs, signal }: Sending,
): Promise<Received> {
  const controller = new AbortController()
  const onAbort = (): void => controller.abort(signal?.reason)
  const timer = setTimeout(() => controller.abort(new TimedOut()), timeoutMs)
  signal?.addEventListener('abort', onAbort, { once: true })
  try {
    const { method, url, headers, body } = request
    const response = await fetch(url, {
      method,
      headers: { ...headers },
      ...(body === undefined ? {} : { body }),
      signal: controller.signal,
      redirect: 'manual',
    })
    const { status, headers: answered } = response
    return { status, headers: answered, text: await response.text() }
  } catch (error) {
    // Not every runtime rejects with the reason of the signal.
    throw controller.signal.aborted ? controller.signal.reason : error
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
}

class TimedOut extends Error {}

function lost({ route, details, timeoutMs }: Sending, cause: unknown): Outcome {
  const call = `${route.method} ${route.path}`
  const error =
    cause instanceof TimedOut
      ? new TransportError({
          ...details,
          reason: 'timeout',
          message: `${call}: no answer within ${timeoutMs} ms`,
        })
      : new TransportError({
          ...details,
          reason: 'network',
          message: `${call}: the connection failed`,
          cause,
        })
  return { kind: 'failed', error, isTransient: true, retryAfterMs: null }
}

function read(
  { status, headers, text }: Received,
  { method, path }: RouteOfOperation,
  details: CallDetails,
  nowMs: number,
): Outcome {
  const envelope = readEnvelope(text)
  if (envelope?.success === true && status >= 200 && status < 300) {
    return { kind: 'answered', data: envelope.data }
  }
  const retryAfterMs = readRetryAfter(headers.get('retry-after'), nowMs)
  if (envelope?.success === false) {
    const { code, key, message, meta } = envelope.error
    const error = new TradepostError({
      ...details,
      status,
      code,
      key,
      message,
      meta: meta as never,
      requestId: envelope.requestId,
      retryAfterSeconds: retryAfterMs === null ? undefined : Math.ceil(retryAfterMs / 1000),
    })
    return { kind: 'failed', error, isTransient: isTransient(status), retryAfterMs }
  }
  const error = new TransportError({
    ...details,
    reason: 'unreadable',
    status,
    message: `${method} ${path}: HTTP ${status}, but not a response of the service`,
  })
  return { kind: 'failed', error, isTransient: isTransient(status), retryAfterMs }
}

type Envelope =
  | { readonly requestId: string; readonly success: true; readonly data: unknown }
  | {
      readonly requestId: string
      readonly success: false
      readonly error: {
        readonly code: number
        readonly key: ErrorKey
        readonly message: string
        readonly meta?: unknown
      }
    }

function readEnvelope(text: string): Envelope | null {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return null
  }
  if (typeof value !== 'object' || value === null) return null
  const { requestId, success, error } = value as Partial<Record<string, unknown>>
  if (typeof requestId !== 'string') return null
  if (success === true) return 'data' in value ? (value as Envelope) : null
  const key = (error as { readonly key?: unknown } | null | undefined)?.key
  return success === false && typeof key === 'string' ? (value as Envelope) : null
}
