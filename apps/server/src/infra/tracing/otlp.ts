// Spans by the OpenTelemetry SDK, sent to a collector as OTLP over HTTP. This file is loaded where an
// endpoint is set, and nowhere else.
import {
  type Context,
  type Link,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOnSampler,
  type IdGenerator,
  NodeTracerProvider,
  RandomIdGenerator,
  type ReadableSpan,
  type Span as SdkSpan,
} from '@opentelemetry/sdk-trace-node'
import { newId } from '#kernel/id'
import { createExportQueue } from './export-queue.ts'
import { createTail, type LocalTrace } from './tail.ts'
import {
  type AttributeName,
  detached,
  type Span,
  type SpanLink,
  type SpanStart,
  type Tracer,
  traceIdOf,
} from './tracing.ts'

export interface OtlpOptions {
  /** Of the collector; `/v1/traces` is added. */
  readonly endpoint: string
  /** Of each request to it, for example a key. */
  readonly headers: Readonly<Record<string, string>>
  /** Of the traces, 0 to 1; those that fail leave in any case. */
  readonly share: number
  /** What every span says of this process. */
  readonly process: { readonly role: string; readonly instanceId: string }
  readonly onDropped: (reason: DropReason, count: number) => void
  readonly limits?: Partial<OtlpLimits>
}

/**
 * `queue_full`: more ended than the collector took; `not_taken`: it refused them or did not answer;
 * `held_full`: too many waited to know whether their traces fail.
 */
export type DropReason = 'queue_full' | 'not_taken' | 'held_full'

export interface OtlpLimits {
  readonly queuedSpans: number
  readonly heldSpans: number
  readonly timeoutMs: number
  readonly everyMs: number
  readonly stopMs: number
}

/** A span takes about 2 KB: at most some 30 MB, and only where a collector is away or traces are long. */
const DEFAULT_LIMITS: OtlpLimits = {
  queuedSpans: 4096,
  heldSpans: 8192,
  timeoutMs: 5000,
  everyMs: 1000,
  stopMs: 2000,
}
/** Made into JSON at once, in about a millisecond. */
const BATCH = 128
/** Of one trace that is held. */
const MOST_OF_ONE = 256
/** A run that took longer is shown also when it did nothing but statements. */
const SLOW_MS = 1000

export interface OtlpTracer extends Tracer {
  stop(): Promise<void>
}

export function createOtlpTracer(options: OtlpOptions): OtlpTracer {
  const { onDropped } = options
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const exporter = new OTLPTraceExporter({
    url: `${options.endpoint}/v1/traces`,
    headers: { ...options.headers },
    timeoutMillis: limits.timeoutMs,
  })
  const send = (spans: readonly ReadableSpan[]): Promise<boolean> => sent(exporter, spans)
  const queue = createExportQueue<ReadableSpan>({
    send: (spans) => detached(send, spans),
    most: limits.queuedSpans,
    batch: BATCH,
    everyMs: limits.everyMs,
    onDropped,
  })
  const tail = createTail<ReadableSpan>({
    share: options.share,
    leave: queue.add,
    mostHeld: limits.heldSpans,
    mostOfOne: MOST_OF_ONE,
    onDropped: (count) => onDropped('held_full', count),
  })
  const ids = createIds()
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({
      'service.name': 'tradepost',
      'service.instance.id': options.process.instanceId,
      'tradepost.role': options.process.role,
    }),
    // What leaves is decided when its end is known.
    sampler: new AlwaysOnSampler(),
    idGenerator: ids,
    spanProcessors: [],
  })
  const sdk = provider.getTracer('tradepost')

  const beginLocal = ({ name, kind, requestId, isLater, cause, isQuiet }: SpanStart): Span => {
    const traceId = traceIdOf(requestId ?? newId())
    const local = tail(traceId, isQuiet ?? false)
    if (cause instanceof OpenSpan) cause.local.hasWorked()
    const start = { kind: KINDS[kind], links: linksOf(cause) }
    if (isLater) {
      return new OpenSpan(sdk.startSpan(name, start, contextOf(traceId)) as SdkSpan, local, true)
    }
    ids.next = traceId
    return new OpenSpan(sdk.startSpan(name, start, ROOT_CONTEXT) as SdkSpan, local, true)
  }
  return {
    begin: (start) => {
      const { parent, name, kind } = start
      if (parent === null) return beginLocal(start)
      const { local, context } = parent as OpenSpan
      if (local.isOver()) return null
      if (!start.isStatement) local.hasWorked()
      return new OpenSpan(sdk.startSpan(name, { kind: KINDS[kind] }, context) as SdkSpan, local)
    },
    stop: async () => {
      await queue.stop(limits.stopMs)
    },
  }
}

const KINDS = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  internal: SpanKind.INTERNAL,
} as const

function linksOf(cause: SpanStart['cause']): Link[] {
  if (!cause) return []
  if (cause instanceof OpenSpan) return [{ context: cause.spanContext }]
  const { traceId, spanId } = cause as SpanLink
  return [{ context: { traceId, spanId, traceFlags: TraceFlags.NONE, isRemote: true } }]
}

/** Whose first span this process may not have begun. */
const contextOf = (traceId: string): Context =>
  trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId: firstSpanOf(traceId),
    traceFlags: TraceFlags.SAMPLED,
    isRemote: true,
  })

/** By the id of a request every process knows the first span of its trace. */
const firstSpanOf = (traceId: string): string => traceId.slice(-16)

/** `next`: the trace that begins, whose first span takes its id from it. */
function createIds(): IdGenerator & { next: string | null } {
  const random = new RandomIdGenerator()
  const ids = {
    next: null as string | null,
    generateSpanId: () => (ids.next === null ? random.generateSpanId() : firstSpanOf(ids.next)),
    // Asked after the id of the span, for a span without a parent alone.
    generateTraceId: () => {
      const traceId = ids.next ?? random.generateTraceId()
      ids.next = null
      return traceId
    },
  }
  return ids
}

class OpenSpan implements Span {
  readonly local: LocalTrace<ReadableSpan>
  readonly #span: SdkSpan
  readonly #isFirst: boolean
  readonly #begunMs = performance.now()
  #context: Context | null = null
  #hasEnded = false

  constructor(span: SdkSpan, local: LocalTrace<ReadableSpan>, isFirst = false) {
    this.#span = span
    this.local = local
    this.#isFirst = isFirst
  }

  get traceId(): string {
    return this.spanContext.traceId
  }

  get traceparent(): string {
    const { traceId, spanId } = this.spanContext
    return `00-${traceId}-${spanId}-${this.local.isSampled ? '01' : '00'}`
  }

  get spanContext(): SpanContext {
    return this.#span.spanContext()
  }

  get context(): Context {
    this.#context ??= trace.setSpan(ROOT_CONTEXT, this.#span)
    return this.#context
  }

  set(name: AttributeName, value: string | number): void {
    this.#span.setAttribute(name, value)
  }

  end(error?: string): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    if (error !== undefined) {
      this.#span.setAttribute('error.type', error)
      this.#span.setStatus({ code: SpanStatusCode.ERROR })
      this.local.hasFailed()
    }
    this.#span.end()
    if (this.#isFirst && performance.now() - this.#begunMs >= SLOW_MS) this.local.hasWorked()
    this.local.add(this.#span as unknown as ReadableSpan)
    if (this.#isFirst) this.local.end()
  }
}

const sent = (exporter: OTLPTraceExporter, spans: readonly ReadableSpan[]): Promise<boolean> =>
  new Promise((resolve) => {
    try {
      // 0: the collector has taken them.
      exporter.export([...spans], ({ code }) => resolve(code === 0))
    } catch {
      resolve(false)
    }
  })
