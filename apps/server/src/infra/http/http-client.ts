// The HTTP client of all adapters of suppliers and of the platform. It distinguishes the three outcomes that
// matter to a buyer of goods: the request was certainly not sent, it was answered, or its fate is unknown.
// It never retries and does not follow redirects.
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import { Agent, type Dispatcher } from 'undici'
import { type Log, redactText } from '../process/log.ts'
import type { Metrics } from '../process/metrics.ts'
import { beginCall, type Span } from '../tracing/tracing.ts'
import { createNameResolver } from './name-resolver.ts'

export interface HttpRequest {
  /** Names for logs and metrics: `market_a`, `buy-for`. */
  readonly provider: string
  readonly operation: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Absolute, or a path below the client's base URL that begins with a slash. */
  readonly url: string
  /** Added to the URL; undefined values are left out, arrays repeat their name. */
  readonly query?: Readonly<Record<string, QueryValue | undefined>>
  /** A text is sent as it is; anything else as JSON. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** From now to the last byte of the answer, connecting included. */
  readonly deadlineMs: number
  /** Of the body, after decompression; 1 MiB when left out. A larger one is `lost`. */
  readonly maxBytes?: number
  /** A character a byte of an answer that is no text. */
  readonly isBinary?: boolean
  readonly context?: {
    readonly requestId: string
    /**
     * The right to make this call. It is sent only while the lease outlasts the deadline, looked at
     * immediately before the first byte leaves; otherwise it is `not-sent`.
     */
    readonly lease?: { remainingMs(): number } | undefined
  }
  /** Gives the call up early, for a process that stops. */
  readonly signal?: AbortSignal
  /** Asked again and again by the clock: while it goes well, its line is for debugging only. */
  readonly routine?: boolean
  /** Of this machine, by which the call leaves; left out: the system chooses. */
  readonly localAddress?: string
}

type QueryScalar = string | number | bigint | boolean
export type QueryValue = QueryScalar | readonly QueryScalar[]

export type HttpOutcome =
  /** Any status at all. Header names are lower-case. */
  | {
      readonly kind: 'answer'
      readonly status: number
      readonly headers: Readonly<Record<string, string>>
      readonly body: string
    }
  /** Certain: not one byte of the request has left. */
  | { readonly kind: 'not-sent'; readonly detail: string }
  /** It may have arrived and been acted on. */
  | { readonly kind: 'lost'; readonly detail: string }

export interface HttpClient {
  request(request: HttpRequest): Promise<HttpOutcome>
  close(): Promise<void>
}

export interface HttpClientOptions {
  readonly baseUrl?: string
  readonly log: Log
  readonly metrics: Metrics
  /** Called with how each call ended, those aside that were given up here. */
  readonly onEnded?: (provider: string, wentWell: boolean) => void
  /** To one origin at once; more wait, within their deadlines. */
  readonly connections?: number
}

export function createHttpClient(options: HttpClientOptions): HttpClient {
  const { lookup } = createNameResolver()
  const agents = new Map<string | undefined, Agent>()
  const agentOf = (localAddress: string | undefined): Agent => {
    const known = agents.get(localAddress)
    if (known !== undefined) return known
    const agent = new Agent({
      connections: options.connections ?? 32,
      pipelining: 1,
      connect: { timeout: 10_000, lookup },
      // The deadline of the call covers these; undici's own would only blur the outcome.
      headersTimeout: 0,
      bodyTimeout: 0,
      ...(localAddress !== undefined && { localAddress }),
    })
    agents.set(localAddress, agent)
    return agent
  }
  const seconds = options.metrics.histogram(
    'provider_call_seconds',
    'Time of a call to a provider',
    {
      labels: ['provider', 'operation', 'outcome'],
    },
  )

  return {
    request: async (request) => {
      const startedAt = performance.now()
      const span = beginCall(request)
      const outcome = await send(agentOf(request.localAddress), options.baseUrl, request)
      const durationMs = performance.now() - startedAt
      if (span !== null) endCall(span, outcome)
      seconds
        .labels(request.provider, request.operation, outcomeLabel(outcome))
        .observe(durationMs / 1000)
      writeLine(options.log, request, outcome, durationMs)
      if (!isGivenUpHere(request, outcome)) options.onEnded?.(request.provider, wentWell(outcome))
      return outcome
    },
    close: async () => {
      await Promise.all([...agents.values()].map((agent) => agent.destroy()))
    },
  }
}

/** Calls leave by this address of the machine where they name no other one; null: as before. */
export const leavingBy = (http: HttpClient, localAddress: string | null): HttpClient =>
  localAddress === null
    ? http
    : { ...http, request: (request) => http.request({ localAddress, ...request }) }

function endCall(span: Span, outcome: HttpOutcome): void {
  span.set('tradepost.outcome', outcome.kind)
  if (outcome.kind === 'answer') span.set('http.response.status_code', outcome.status)
  span.end(wentWell(outcome) ? undefined : outcomeLabel(outcome))
}

/** The process stops, or its lease did not outlast the deadline: that says nothing of the party. */
const isGivenUpHere = ({ signal, context, deadlineMs }: HttpRequest, { kind }: HttpOutcome) =>
  kind !== 'answer' &&
  (signal?.aborted === true || (context?.lease?.remainingMs() ?? deadlineMs) < deadlineMs)

const DEFAULT_MAX_BYTES = 1024 * 1024

async function send(
  agent: Agent,
  baseUrl: string | undefined,
  request: HttpRequest,
): Promise<HttpOutcome> {
  let url: URL
  try {
    url = urlOf(baseUrl, request)
  } catch {
    return { kind: 'not-sent', detail: 'the URL is malformed' }
  }
  const answer = await dispatch(agent, url, request)
  return answer.kind === 'raw' ? decode(answer, request) : answer
}

interface RawAnswer {
  readonly kind: 'raw'
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Buffer
}

type Failure = Exclude<HttpOutcome, { kind: 'answer' }>

function dispatch(agent: Agent, url: URL, request: HttpRequest): Promise<RawAnswer | Failure> {
  const maxBytes = request.maxBytes ?? DEFAULT_MAX_BYTES
  const lease = request.context?.lease
  const deadlineAtMs = performance.now() + request.deadlineMs
  return new Promise((resolve) => {
    let controller: Dispatcher.DispatchController | undefined
    let settled = false
    let status = 0
    let headers: Record<string, string> = {}
    let size = 0
    const chunks: Buffer[] = []

    const settle = (result: RawAnswer | Failure): void => {
      if (settled) return
      settled = true
      clearTimeout(timer)
      request.signal?.removeEventListener('abort', onAbort)
      resolve(result)
    }
    const giveUp = (detail: string): void => {
      // The request is written right after `onRequestStart`: without it nothing has left, and the
      // refusal to start there (below) sees to it that nothing will.
      settle({ kind: controller ? 'lost' : 'not-sent', detail: redactText(detail) })
      controller?.abort(new Error(detail))
    }
    const onAbort = (): void => giveUp('given up because the process stops')
    const timer = setTimeout(
      () => giveUp(`no answer within ${request.deadlineMs} ms`),
      request.deadlineMs,
    )
    if (request.signal?.aborted) return onAbort()
    request.signal?.addEventListener('abort', onAbort)

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: (started) => {
        if (settled) return started.abort(new Error('given up before it was sent'))
        const toDeadlineMs = deadlineAtMs - performance.now()
        if (lease !== undefined && lease.remainingMs() < toDeadlineMs) {
          giveUp('the lease ends before the deadline of the call')
          return started.abort(new Error('given up before it was sent'))
        }
        controller = started
      },
      onResponseStart: (_, code, rawHeaders) => {
        status = code
        headers = flatten(rawHeaders)
      },
      onResponseData: (_, chunk) => {
        size += chunk.length
        if (size > maxBytes) giveUp(`the answer is larger than ${maxBytes} bytes`)
        else chunks.push(chunk)
      },
      onResponseEnd: () => settle({ kind: 'raw', status, headers, bytes: Buffer.concat(chunks) }),
      onResponseError: (_, error) => giveUp(describe(error)),
    }
    try {
      agent.dispatch(
        {
          origin: url.origin,
          path: url.pathname + url.search,
          method: request.method,
          headers: headersOf(request),
          body: bodyOf(request),
        },
        handler,
      )
    } catch (error) {
      giveUp(describe(error as Error))
    }
  })
}

function urlOf(baseUrl: string | undefined, { url, query = {} }: HttpRequest): URL {
  const full = new URL(url.startsWith('/') ? `${(baseUrl ?? '').replace(/\/+$/, '')}${url}` : url)
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue
    for (const one of Array.isArray(value) ? value : [value])
      full.searchParams.append(name, String(one))
  }
  return full
}

const headersOf = ({ headers = {}, body }: HttpRequest): Record<string, string> => ({
  accept: 'application/json, */*;q=0.5',
  'accept-encoding': 'gzip, deflate, br',
  'user-agent': 'tradepost',
  ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  ...headers,
})

const bodyOf = ({ body }: HttpRequest): string | null => {
  if (body === undefined) return null
  return typeof body === 'string' ? body : JSON.stringify(body)
}

const flatten = (headers: Record<string, string | string[] | undefined>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  )

/** The answer arrived; one whose body cannot be read is as good as lost. */
async function decode(
  { status, headers, bytes }: RawAnswer,
  { maxBytes = DEFAULT_MAX_BYTES, isBinary }: HttpRequest,
): Promise<HttpOutcome> {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
  try {
    const decoder = DECODERS[encoding]
    if (!decoder) throw new Error('its content-encoding is unknown')
    const plain = bytes.length === 0 ? bytes : await decoder(bytes, { maxOutputLength: maxBytes })
    return { kind: 'answer', status, headers, body: plain.toString(isBinary ? 'latin1' : 'utf8') }
  } catch (error) {
    return { kind: 'lost', detail: `the answer is unreadable: ${(error as Error).message}` }
  }
}

type Decoder = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>

const DECODERS: Readonly<Record<string, Decoder>> = {
  identity: (bytes) => Promise.resolve(bytes),
  gzip: promisify<Buffer, { maxOutputLength: number }, Buffer>(gunzip),
  'x-gzip': promisify<Buffer, { maxOutputLength: number }, Buffer>(gunzip),
  deflate: promisify<Buffer, { maxOutputLength: number }, Buffer>(inflate),
  br: promisify<Buffer, { maxOutputLength: number }, Buffer>(brotliDecompress),
}

const wentWell = (outcome: HttpOutcome): boolean =>
  outcome.kind === 'answer' && outcome.status < 500

function outcomeLabel(outcome: HttpOutcome): string {
  return outcome.kind === 'answer' ? `${Math.floor(outcome.status / 100)}xx` : outcome.kind
}

function writeLine(log: Log, request: HttpRequest, outcome: HttpOutcome, durationMs: number): void {
  const fields = {
    requestId: request.context?.requestId,
    provider: request.provider,
    operation: request.operation,
    outcome: outcome.kind,
    durationMs: Math.round(durationMs),
    ...(outcome.kind === 'answer' ? { status: outcome.status } : { detail: outcome.detail }),
  }
  if (!wentWell(outcome)) log.warn(fields, 'provider call failed')
  else if (request.routine) log.debug(fields, 'provider called')
  else log.info(fields, 'provider called')
}

/** An error's own words may quote the URL with its secrets; `giveUp` takes them out. */
function describe(error: Error): string {
  const code = (error as { code?: string }).code
  const message =
    error instanceof AggregateError && error.message === ''
      ? describe(error.errors[0] as Error)
      : error.message
  return code && !message.includes(code) ? `${code}: ${message}` : message
}
