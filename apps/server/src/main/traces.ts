// Traces of a process, where an operator has named a collector for them.
import { hostname } from 'node:os'
import type { Metrics } from '#infra/process/metrics'
import { setTracer } from '#infra/tracing/tracing'
import type { Config } from './config.ts'
import type { Lifecycle } from './lifecycle.ts'
import type { Role } from './processes.ts'
import { readHeaders } from './settings.ts'

interface TracedProcess {
  readonly role: Role
  readonly metrics: Metrics
  readonly lifecycle: Lifecycle
}

/** First of all that a process opens, so that it ends last: what others do at their end is traced. */
export async function openTraces(
  { traces }: Pick<Config, 'traces'>,
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
