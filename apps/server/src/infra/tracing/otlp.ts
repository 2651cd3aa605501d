// Spans in the form of the OpenTelemetry SDK, sent to a collector as OTLP over HTTP. This file is loaded
// where an endpoint is set, and nowhere else. Most spans never leave: until one does, it is a few fields. As
// spans of the SDK from their beginning, the six of a request took 7 µs of processor time, and now 1.6.
import {
  type Attributes,
  type Context,
  type Link,
  ROOT_CONTEXT,
  type Tracer as SdkTracer,
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
} from '@opentelemetry/sdk-trace-node'
import { newId } from '#kernel/id'
import { createExportQueue } from './export-queue.ts'
import { createTail, type LocalTrace } from './tail.ts'
import {
  type AttributeName,
  detached,
  type Span,
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

/** A span takes less than 1 KB: at most some 12 MB, and only where a collector is away or traces are long. */
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
  const toSdk = createConversion(options.process)
  const send = (spans: readonly EndedSpan[]): Promise<boolean> => sent(exporter, spans.map(toSdk))
  const queue = createExportQueue<EndedSpan>({
    send: (spans) => detached(send, spans),
    most: limits.queuedSpans,
    batch: BATCH,
    everyMs: limits.everyMs,
    onDropped,
  })
  const tail = createTail<EndedSpan>({
    share: options.share,
    leave: queue.add,
    mostHeld: limits.heldSpans,
    mostOfOne: MOST_OF_ONE,
    onDropped: (count) => onDropped('held_full', count),
  })
  return {
    begin: (start) => {
      const { parent, cause } = start
      if (parent === null) {
        const traceId = traceIdOf(start.requestId ?? newId())
        if (cause instanceof OpenSpan) cause.local.hasWorked()
        return new OpenSpan(start, traceId, tail(traceId, start.isQuiet ?? false))
      }
      const { traceId, local } = parent as OpenSpan
      if (local.isOver()) return null
      if (!start.isStatement) local.hasWorked()
      return new OpenSpan(start, traceId, local)
    },
    stop: () => queue.stop(limits.stopMs),
  }
}

/** By the id of a request every process knows the first span of its trace. */
const firstSpanOf = (traceId: string): string => traceId.slice(-16)

const random = new RandomIdGenerator()

/** Times are those of `performance.now()`. */
interface EndedSpan extends SpanStart {
  readonly traceId: string
  readonly spanId: string
  readonly parentId: string | null
  readonly attributes: Attributes
  readonly hasFailed: boolean
  readonly begunMs: number
  readonly endedMs: number
}

class OpenSpan implements Span, EndedSpan {
  readonly name: string
  readonly kind: SpanStart['kind']
  readonly parent: OpenSpan | null
  readonly cause: SpanStart['cause']
  readonly isLater: boolean
  readonly traceId: string
  readonly local: LocalTrace<EndedSpan>
  readonly attributes: Attributes = {}
  hasFailed = false
  readonly begunMs = performance.now()
  endedMs = 0
  #spanId: string | null = null

  constructor(start: SpanStart, traceId: string, local: LocalTrace<EndedSpan>) {
    this.name = start.name
    this.kind = start.kind
    this.parent = start.parent as OpenSpan | null
    this.cause = start.cause
    this.isLater = start.isLater === true
    this.traceId = traceId
    this.local = local
  }

  /** Made when it is asked for: most spans never leave. */
  get spanId(): string {
    const isFirstOfAll = this.parent === null && !this.isLater
    this.#spanId ??= isFirstOfAll ? firstSpanOf(this.traceId) : random.generateSpanId()
    return this.#spanId
  }

  /** The first span of a trace may be of another process. */
  get parentId(): string | null {
    if (this.parent !== null) return this.parent.spanId
    return this.isLater ? firstSpanOf(this.traceId) : null
  }

  get traceparent(): string {
    return `00-${this.traceId}-${this.spanId}-${this.local.isSampled ? '01' : '00'}`
  }

  set(name: AttributeName, value: string | number): void {
    this.attributes[name] = value
  }

  end(error?: string): void {
    if (this.endedMs !== 0) return
    this.endedMs = performance.now()
    if (error !== undefined) {
      this.attributes['error.type'] = error
      this.hasFailed = true
      this.local.hasFailed()
    }
    const isFirst = this.parent === null
    if (isFirst && this.endedMs - this.begunMs >= SLOW_MS) this.local.hasWorked()
    this.local.add(this)
    if (isFirst) this.local.end()
  }
}

/** Spans of the SDK, with the ids that they have here. */
function createConversion({ role, instanceId }: OtlpOptions['process']) {
  const ids: IdGenerator & { traceId: string; spanId: string } = {
    traceId: '',
    spanId: '',
    generateTraceId: () => ids.traceId,
    generateSpanId: () => ids.spanId,
  }
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({
      'service.name': 'tradepost',
      'service.instance.id': instanceId,
      'tradepost.role': role,
    }),
    // What comes here leaves.
    sampler: new AlwaysOnSampler(),
    idGenerator: ids,
    spanProcessors: [],
  })
  const sdk: SdkTracer = provider.getTracer('tradepost')
  return (span: EndedSpan): ReadableSpan => {
    const { name, kind, attributes, cause } = span
    ids.traceId = span.traceId
    ids.spanId = span.spanId
    const start = { kind: KINDS[kind], attributes, links: linksOf(cause), startTime: span.begunMs }
    const made = sdk.startSpan(name, start, contextOf(span))
    if (span.hasFailed) made.setStatus({ code: SpanStatusCode.ERROR })
    made.end(span.endedMs)
    return made as unknown as ReadableSpan
  }
}

const KINDS = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  internal: SpanKind.INTERNAL,
} as const

function linksOf(cause: SpanStart['cause']): Link[] {
  if (!cause) return []
  const { traceId, spanId } = cause
  return [{ context: remote(traceId, spanId) }]
}

const contextOf = ({ traceId, parentId }: EndedSpan): Context =>
  parentId === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, remote(traceId, parentId))

const remote = (traceId: string, spanId: string): SpanContext => ({
  ...{ traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true },
})

const sent = (exporter: OTLPTraceExporter, spans: ReadableSpan[]): Promise<boolean> =>
  new Promise((resolve) => {
    try {
      // 0: the collector has taken them.
      exporter.export(spans, ({ code }) => resolve(code === 0))
    } catch {
      resolve(false)
    }
  })
