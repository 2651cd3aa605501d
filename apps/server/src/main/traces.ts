// Traces of a process, where an operator has named a collector for them.
import { hostname } from 'node:os'
import type { Metrics } from '#infra/process/metrics'
import { setTracer } from '#infra/tracing/tracing'
import type { Lifecycle } from './lifecycle.ts'
import { readHeaders, type Secret, type Values } from './settings.ts'

export interface TracesConfig {
  readonly endpoint: string
  readonly headers: Secret | null
  /** 0 to 1. */
  readonly share: number
  /** Webhooks carry the trace that they belong to. */
  readonly inWebhooks: boolean
}

/** Null: nothing is traced. */
export const tracesOf = (values: Values): TracesConfig | null =>
  values.OTEL_EXPORTER_OTLP_ENDPOINT === null
    ? null
    : {
        endpoint: values.OTEL_EXPORTER_OTLP_ENDPOINT,
        headers: values.OTEL_EXPORTER_OTLP_HEADERS,
        share: values.OTEL_TRACES_SAMPLER_ARG,
        inWebhooks: values.WEBHOOK_TRACEPARENT,
      }

interface TracedProcess {
  readonly role: string
  readonly metrics: Metrics
  readonly lifecycle: Lifecycle
}

/** First of all that a process opens, so that it ends last: what others do at their end is traced. */
export async function openTraces(
  traces: TracesConfig | null,
  { role, metrics, lifecycle }: TracedProcess,
): Promise<void> {
  if (traces === null) return
  const { createOtlpTracer } = await import('#infra/tracing/otlp')
  const dropped = metrics.counter(
    'traces_dropped_total',
    'Spans that did not reach the collector',
    ['reason'],
  )
  const tracer = createOtlpTracer({
    endpoint: traces.endpoint,
    headers: readHeaders(traces.headers?.reveal() ?? '') ?? {},
    share: traces.share,
    process: { role, instanceId: `${hostname()}-${process.pid}` },
    onDropped: (reason, count) => dropped.labels(reason).inc(count),
  })
  setTracer(tracer)
  lifecycle.onStop('traces', () => tracer.stop())
}
