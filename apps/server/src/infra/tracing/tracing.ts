// Spans: what a piece of work did, and for how long. They leave for a collector where an operator has named
// one (otlp.ts); everywhere else `tracer` is null, and each function here returns at its first comparison,
// without an allocation. So they take what their callers have already, and no object made for them.
import { AsyncLocalStorage } from 'node:async_hooks'
import { Refusal } from '#kernel/refusal'

export interface Span {
  /** 32 hex digits. */
  readonly traceId: string
  /** 16 hex digits. */
  readonly spanId: string
  /** For a party of ours, as W3C Trace Context writes it. */
  readonly traceparent: string
  set(name: AttributeName, value: string | number): void
  /** Ends it. `error`: a code or a name; a message may quote what was sent. Its trace is exported then. */
  end(error?: string): void
}

/** What a span may say. A list, so that no key, address or trade URL becomes an attribute by a slip. */
export type AttributeName =
  | 'db.system.name'
  | 'db.response.status_code'
  | 'error.type'
  | 'http.request.method'
  | 'http.response.status_code'
  | 'http.route'
  | 'tradepost.attempt'
  | 'tradepost.delivery_id'
  | 'tradepost.event_type'
  | 'tradepost.item_id'
  | 'tradepost.operation'
  | 'tradepost.outcome'
  | 'tradepost.provider'
  | 'tradepost.request_id'
  | 'tradepost.status'

export interface SpanStart {
  readonly name: string
  readonly kind: 'server' | 'client' | 'internal'
  /** Null: the span begins the work of this process in its trace. */
  readonly parent: Span | null
  /** Without a parent: the request whose trace it is. Unset: a trace of its own. */
  readonly requestId?: string | undefined
  /** The request was begun elsewhere, or earlier. */
  readonly isLater?: boolean
  /** What of another trace set it going: a span of ours, or what a caller says. */
  readonly cause?: SpanLink | null | undefined
  /** It leaves only with something that is no statement, when it fails, or when it is slow. */
  readonly isQuiet?: boolean
  /** A statement is no reason for a quiet span to leave. */
  readonly isStatement?: boolean
}

/** A span of ours is one. */
export interface SpanLink {
  readonly traceId: string
  readonly spanId: string
}

export interface Tracer {
  /** Null where there is nothing to add to: the work of the parent is over. */
  begin(start: SpanStart): Span | null
}

let tracer: Tracer | null = null
const spans = new AsyncLocalStorage<Span | null>()

/** Once, at the start of a process; null ends tracing. */
export function setTracer(one: Tracer | null): void {
  tracer = one
}

/** The span of the work that is under way. */
export const currentSpan = (): Span | null => (tracer === null ? null : (spans.getStore() ?? null))

/** For each line of a log. */
export function traceFields(): { traceId?: string } {
  const span = currentSpan()
  return span === null ? {} : { traceId: span.traceId }
}

/** Runs the work with the span as the current one; it goes on after the first await. */
export const within = <Arg, Result>(
  span: Span | null,
  work: (arg: Arg) => Result,
  arg: Arg,
): Result => (span === null ? work(arg) : spans.run(span, work, arg))

/** Runs work that is no part of what set it going. */
export const detached = <Arg, Result>(work: (arg: Arg) => Result, arg: Arg): Result =>
  tracer === null ? work(arg) : spans.run(null, work, arg)

/** Runs the work in the span and ends it, with the name of what the work throws. */
export const traced = <Arg, Result>(
  span: Span | null,
  work: (arg: Arg) => Promise<Result>,
  arg: Arg,
): Promise<Result> => (span === null ? work(arg) : endedAfter(span, work, arg))

async function endedAfter<Arg, Result>(
  span: Span,
  work: (arg: Arg) => Promise<Result>,
  arg: Arg,
): Promise<Result> {
  try {
    const result = await spans.run(span, work, arg)
    span.end()
    return result
  } catch (error) {
    span.end(errorName(error))
    throw error
  }
}

/** Never a message. */
export function errorName(error: unknown): string {
  if (error instanceof Refusal) return error.key
  if (!(error instanceof Error)) return 'unknown'
  const { code } = error as { code?: unknown }
  return typeof code === 'string' && /^[A-Z0-9_]{2,40}$/.test(code) ? code : error.name
}

/**
 * A request of a caller. The trace has the id of the request, so one is found by the other. What the
 * caller says of a trace of its own becomes a link: it decides neither our ids nor what is sampled.
 */
export function beginRequest(
  request: { readonly requestId: string; readonly method: string; readonly route: string },
  callersTraceparent: string | string[] | undefined,
): Span | null {
  if (tracer === null) return null
  const { requestId, method, route } = request
  const cause = readTraceparent(callersTraceparent)
  const name = `${method} ${route}`
  const span = tracer.begin({ name, kind: 'server', parent: null, requestId, cause })
  span?.set('http.request.method', method)
  span?.set('http.route', route)
  span?.set('tradepost.request_id', requestId)
  return span
}

/** A statement by its name; never its parameters. Null outside of any other work. */
export function beginStatement(name: string): Span | null {
  if (tracer === null) return null
  const parent = spans.getStore() ?? null
  if (parent === null) return null
  const span = tracer.begin({ name: name || 'unnamed', kind: 'client', parent, isStatement: true })
  span?.set('db.system.name', 'postgresql')
  return span
}

/** A call to a party outside. Null outside of any other work. */
export function beginCall(call: {
  readonly provider: string
  readonly operation: string
  readonly context?: { readonly requestId: string } | undefined
}): Span | null {
  if (tracer === null) return null
  const parent = spans.getStore() ?? null
  if (parent === null) return null
  const { provider, operation, context } = call
  const span = tracer.begin({ name: `${provider} ${operation}`, kind: 'client', parent })
  span?.set('tradepost.provider', provider)
  span?.set('tradepost.operation', operation)
  if (context) span?.set('tradepost.request_id', context.requestId)
  return span
}

/** Jobs that look at their queue more often than this say nothing of the runs that find it empty. */
const OFTEN_MS = 1000

/** Something else that is waited for: a webhook, a signature. Null outside of any other work. */
export function beginPart(name: string): Span | null {
  if (tracer === null) return null
  const parent = spans.getStore() ?? null
  return parent === null ? null : tracer.begin({ name, kind: 'client', parent })
}

/** One run of a job, in a trace of its own. */
export function beginRun(job: { readonly name: string; readonly everyMs: number }): Span | null {
  if (tracer === null) return null
  const isQuiet = job.everyMs < OFTEN_MS
  return tracer.begin({ name: `job ${job.name}`, kind: 'internal', parent: null, isQuiet })
}

/**
 * Work that a request has left behind, in the trace of that request. Where it is done by a job, it is linked
 * to the run. `requestId` as the row has it: what is no id of a request has no trace.
 */
export function beginFor(
  requestId: string,
  name: string,
  kind: SpanStart['kind'] = 'internal',
): Span | null {
  if (tracer === null || !UUID.test(requestId)) return null
  const current = spans.getStore() ?? null
  if (current?.traceId === traceIdOf(requestId)) {
    return tracer.begin({ name, kind, parent: current })
  }
  const start = { name, kind, parent: null, requestId, isLater: true } as const
  const span = tracer.begin({ ...start, cause: current })
  span?.set('tradepost.request_id', requestId)
  return span
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** The id of a request without its dashes: a UUIDv7, whose last 62 bits are random. */
export const traceIdOf = (requestId: string): string => requestId.replaceAll('-', '')

const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}$/

/** Null for anything but one header of version 00. */
function readTraceparent(header: string | string[] | undefined): SpanLink | null {
  const [, traceId, spanId] = (typeof header === 'string' && TRACEPARENT.exec(header)) || []
  return traceId === undefined || spanId === undefined ? null : { traceId, spanId }
}
