// What callers see of the api, and what its processes have to do for it.
import { type Dashboard, graph, most, OURS, orNone, quantile, rate } from './model.ts'

const byProcess = (metric: string): Readonly<Record<string, string>> => ({
  '{{job}} {{instance}}': `max by (job, instance) (tradepost_${metric})`,
})
/** Without those that wait for an event, and those of a balancer. */
const TIMED = 'route!~".*/(events|changes)|/readyz|/healthz|/(market|user)/live"'

export const API: Dashboard = {
  name: 'api',
  title: 'API',
  about: 'Requests, errors and latencies by route and process; limits, sockets, the event loop.',
  rows: [
    {
      title: 'Objectives',
      panels: [
        graph('Requests that fail', {
          unit: 'share',
          about:
            'Share of answers with a status of 500 or more. The alert needs a long and a short window above their limit.',
          shows: {
            '5 minutes': 'tradepost:request_errors:ratio5m',
            '30 minutes': 'tradepost:request_errors:ratio30m',
            '1 hour': 'tradepost:request_errors:ratio1h',
            '6 hours': 'tradepost:request_errors:ratio6h',
          },
          warnAt: 0.005,
          badAt: 0.01,
          alerts: ['ErrorsHigh'],
        }),
        graph('Buys', {
          unit: 'seconds',
          about: 'Time to answer a buy that was accepted.',
          shows: {
            median: 'tradepost:request_seconds:p50_5m{class="buy"}',
            '99%': 'tradepost:request_seconds:p99_5m{class="buy"}',
          },
          badAt: 1,
          alerts: ['SlowBuys'],
        }),
        graph('Reads', {
          unit: 'seconds',
          about:
            'Time to answer a read, without those that wait for an event or ask an outside party.',
          shows: {
            median: 'tradepost:request_seconds:p50_5m{class="read"}',
            '99%': 'tradepost:request_seconds:p99_5m{class="read"}',
          },
          badAt: 0.5,
          alerts: ['SlowReads'],
        }),
      ],
    },
    {
      title: 'Requests',
      panels: [
        graph('Requests by status', {
          unit: 'requestsPerSecond',
          about: '4xx are refusals: a sudden share of one route is a client that changed, or we.',
          shows: { '{{status}}': rate('http_request_seconds_count', 'status') },
        }),
        graph('Busiest routes', {
          unit: 'requestsPerSecond',
          about: 'The ten routes with the most requests.',
          shows: {
            '{{method}} {{route}}': `topk(10, ${rate('http_request_seconds_count', 'method, route')})`,
          },
        }),
        graph('Routes that fail', {
          unit: 'requestsPerSecond',
          about:
            'Answers with a status of 500 or more, by route and status. 503 says to come back later.',
          shows: {
            '{{status}} {{method}} {{route}}': orNone(
              'status',
              `topk(10, ${rate('http_request_seconds_count', 'status, method, route', 'status=~"5.."')})`,
            ),
          },
          alerts: ['ErrorsHigh'],
        }),
        graph('Slowest routes', {
          unit: 'seconds',
          about: '99% of the answers of a route take less: the ten slowest.',
          shows: {
            '{{method}} {{route}}': `topk(10, ${quantile(0.99, 'http_request_seconds', 'method, route', TIMED)})`,
          },
        }),
        graph('Slowest process', {
          unit: 'seconds',
          about:
            '99% of the answers of a process take less. One that differs from the others is itself the cause.',
          shows: { '{{instance}}': quantile(0.99, 'http_request_seconds', 'instance', TIMED) },
        }),
        graph('Requests by process', {
          unit: 'requestsPerSecond',
          about: 'Whether the balancer shares requests evenly.',
          shows: { '{{instance}}': rate('http_request_seconds_count', 'instance') },
        }),
      ],
    },
    {
      title: 'Limits',
      panels: [
        graph('Refused by a limit', {
          unit: 'requestsPerSecond',
          about: 'Answers with 429, by the limit that refused.',
          shows: { '{{scope}}': orNone('scope', rate('rate_limit_refusals_total', 'scope')) },
        }),
        graph('Decided alone', {
          unit: 'perSecond',
          about: 'Limits that a process counted without the store that it shares with the others.',
          shows: { '{{instance}}': rate('rate_limit_alone_total', 'instance') },
          alerts: ['RateLimitsAlone'],
        }),
        graph('Store of the limits', {
          unit: 'flag',
          about: 'Whether a process counts together with the others.',
          shows: byProcess('rate_limit_store_usable'),
          badAt: 1,
          isBadBelow: true,
          alerts: ['RateLimitsAlone'],
        }),
      ],
    },
    {
      title: 'Sockets',
      panels: [
        graph('Open sockets', {
          unit: 'count',
          about:
            'By what they follow. A fall to 0 of one process is its restart; clients come back.',
          shows: { '{{scope}} {{instance}}': 'max by (scope, instance) (tradepost_live_sockets)' },
        }),
        graph('Frames', {
          unit: 'perSecond',
          about:
            'Frames written to sockets, and those that a later one of the same listing replaced.',
          shows: {
            '{{scope}}': rate('live_frames_total', 'scope'),
            replaced: 'sum(rate(tradepost_live_conflated_total[$__rate_interval]))',
          },
        }),
        graph('Age of a change when its frame is written', {
          unit: 'seconds',
          about: '99% of the changes are younger.',
          shows: { '99%': quantile(0.99, 'live_lag_seconds') },
          warnAt: 2,
        }),
        graph('Sockets that we closed', {
          unit: 'perSecond',
          about: 'By code: 1013 is a limit, 1008 a right that ended, 1011 a fault.',
          shows: { '{{code}}': orNone('code', rate('live_closes_total', 'code')) },
        }),
        graph('Kept for slow readers', {
          unit: 'bytes',
          about: 'What sockets have not taken yet.',
          shows: byProcess('live_buffered_bytes'),
        }),
      ],
    },
    {
      title: 'Event loop and memory',
      panels: [
        graph('Event loop, median and longest', {
          unit: 'seconds',
          about:
            'Between two scrapes. A median that rises is load, a longest alone is one large answer.',
          shows: {
            'median {{instance}}':
              'max by (instance) (tradepost_nodejs_eventloop_lag_p50_seconds{job="tradepost-api"})',
            'longest {{instance}}':
              'max by (instance) (tradepost_nodejs_eventloop_lag_max_seconds{job="tradepost-api"})',
          },
          alerts: ['EventLoopBlocked'],
        }),
        graph('Heap', {
          unit: 'bytes',
          about:
            'Used, and taken from the system. Close to each other for long: the collector works hard.',
          shows: {
            'used {{instance}}':
              'max by (instance) (tradepost_nodejs_heap_size_used_bytes{job="tradepost-api"})',
            'taken {{instance}}':
              'max by (instance) (tradepost_nodejs_heap_size_total_bytes{job="tradepost-api"})',
          },
        }),
        graph('Collector of garbage', {
          unit: 'share',
          about: 'Share of the time in which nothing else runs, by kind of collection.',
          shows: {
            '{{kind}} {{instance}}':
              'sum by (kind, instance) (rate(tradepost_nodejs_gc_duration_seconds_sum{job="tradepost-api"}[$__rate_interval]))',
          },
          warnAt: 0.1,
        }),
        graph('Memory outside the heap', {
          unit: 'bytes',
          about: 'Buffers: bodies, answers that wait to be sent, frames.',
          shows: byProcess('nodejs_external_memory_bytes'),
        }),
        graph('Open files', {
          unit: 'share',
          about: 'Sockets and files of a process, of as many as it may have.',
          shows: {
            '{{job}} {{instance}}': `max by (job, instance) (tradepost_process_open_fds{${OURS}} / tradepost_process_max_fds{${OURS}})`,
          },
          badAt: 0.8,
        }),
        graph('Version of the database', {
          unit: 'flag',
          about: 'Whether the database has migrations of a later version than the process.',
          shows: { '{{job}} {{instance}}': most('schema_ahead', 'job, instance') },
          warnAt: 1,
          alerts: ['SchemaAhead'],
        }),
      ],
    },
  ],
}
