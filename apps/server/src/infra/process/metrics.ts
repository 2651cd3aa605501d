// Prometheus metrics of this process. Labels come from closed lists (routes, jobs, providers), never
// from callers: a label of merchants would grow without end. Prometheus gives every series the labels `job`
// and `instance` of its target and renames ours of those names, so that rules would find another value.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

export interface Metrics {
  /** Each of these returns the metric of that name and makes it at the first call. */
  counter(name: string, help: string, labels?: readonly string[]): Counter<string>
  gauge(name: string, help: string, labels?: readonly string[]): Gauge<string>
  histogram(
    name: string,
    help: string,
    options?: { labels?: readonly string[]; buckets?: readonly number[] },
  ): Histogram<string>
  /** One answered request, under the pattern of its route and not its path. */
  observeRequest(request: { method: string; route: string; status: number; seconds: number }): void
  /** Called before each scrape, to set gauges that are not kept current otherwise. */
  onScrape(measure: () => void): void
  /** The text that Prometheus scrapes. */
  text(): Promise<string>
  readonly contentType: string
}

/** From half a millisecond to ten seconds. */
export const SECONDS_BUCKETS: readonly number[] = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
]

export function createMetrics({ processMetrics = false } = {}): Metrics {
  const registry = new Registry()
  const measures: (() => void)[] = []
  if (processMetrics) collectDefaultMetrics({ register: registry, prefix: PREFIX })

  const metrics: Metrics = {
    counter: (name, help, labels = []) =>
      existing<Counter<string>>(registry, name) ??
      new Counter({ name: PREFIX + name, help, labelNames: own(labels), registers: [registry] }),
    gauge: (name, help, labels = []) =>
      existing<Gauge<string>>(registry, name) ??
      new Gauge({ name: PREFIX + name, help, labelNames: own(labels), registers: [registry] }),
    histogram: (name, help, { labels = [], buckets = SECONDS_BUCKETS } = {}) =>
      existing<Histogram<string>>(registry, name) ??
      new Histogram({
        name: PREFIX + name,
        help,
        labelNames: own(labels),
        buckets: [...buckets],
        registers: [registry],
      }),
    observeRequest: ({ method, route, status, seconds }) =>
      requests.labels(method, route, String(status)).observe(seconds),
    onScrape: (measure) => {
      measures.push(measure)
    },
    text: () => {
      for (const measure of measures) measure()
      return registry.metrics()
    },
    contentType: registry.contentType,
  }
  const requests = metrics.histogram('http_request_seconds', 'Time to answer a request', {
    labels: ['method', 'route', 'status'],
  })
  return metrics
}

const PREFIX = 'tradepost_'

const LABELS_OF_TARGETS = ['job', 'instance']

function own(labels: readonly string[]): readonly string[] {
  const taken = labels.find((label) => LABELS_OF_TARGETS.includes(label))
  if (taken !== undefined) throw new Error(`the label ${taken} is given by Prometheus itself`)
  return labels
}

const existing = <M>(registry: Registry, name: string): M | undefined =>
  registry.getSingleMetric(PREFIX + name) as M | undefined
