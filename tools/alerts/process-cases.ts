// What can be the matter with the processes themselves: gone, failing, slow, of another release.
import { type AlertCase, from, MINUTES, rising, type Series, series, steady } from './series.ts'

/** The series that Prometheus itself writes for each target. */
const up = (job: string, instance: string): string => `up{job="${job}", instance="${instance}"}`
const api = { job: 'tradepost-api', instance: 'a1' }
const worker = { job: 'tradepost-worker', instance: 'w1' }

const requests = (status: string) =>
  series('http_request_seconds_count', { method: 'GET', route: '/merchant', status }, 'a1')
const bucket = (method: string, route: string, le: string) =>
  series('http_request_seconds_bucket', { method, route, status: '200', le }, 'a1')
/** So many a minute, of which `slow` take between one bound and the next. */
const answers = (method: string, route: string, slow: number): Series => ({
  [bucket(method, route, '0.5')]: rising(0, 600 - slow),
  [bucket(method, route, '1')]: rising(0, 600 - slow),
  [bucket(method, route, '2.5')]: rising(0, 600),
  [bucket(method, route, '+Inf')]: rising(0, 600),
})
const BUY = ['POST', '/market/buy'] as const
const READ = ['GET', '/market/items/:itemId'] as const
const loopLag = (at: string) => series('nodejs_eventloop_lag_p99_seconds', { job: api.job }, at)

export const HEALTHY_PROCESSES: Series = {
  [up(api.job, api.instance)]: steady(1),
  [up(worker.job, worker.instance)]: steady(1),
  [requests('200')]: rising(50_000, 600),
  // One of a thousand fails.
  [requests('500')]: rising(0, 0.6),
  ...answers(...BUY, 3),
  ...answers(...READ, 3),
  [loopLag('a1')]: steady(0.03),
  [series('schema_ahead', {}, 'a1')]: steady(0),
  [series('db_replica_lag_seconds', {}, 'a1')]: steady(0.4),
}

export const PROCESS_CASES: readonly AlertCase[] = [
  {
    name: 'one process sees the replica fall behind',
    series: { [series('db_replica_lag_seconds', {}, 'a2')]: rising(0, 60) },
    fires: { ReplicaBehind: [{}] },
  },
  {
    name: 'a replica is two seconds behind',
    series: { [series('db_replica_lag_seconds', {}, 'a2')]: steady(2) },
    fires: {},
  },
  {
    name: 'a process does not answer',
    series: { [up(api.job, 'a2')]: steady(0) },
    fires: { TargetMissing: [{ ...api, instance: 'a2' }] },
  },
  {
    name: 'no worker is listed any more',
    series: { [up(worker.job, worker.instance)]: null },
    fires: { TargetMissing: [{ job: worker.job }] },
  },
  {
    name: 'a process is restarted',
    series: { [up(api.job, 'a2')]: `1x8 0x1 1x${MINUTES}` },
    fires: {},
  },
  {
    name: 'two of a hundred requests fail',
    series: { [requests('503')]: rising(0, 12) },
    fires: { ErrorsHigh: [{}] },
  },
  {
    name: 'two of a hundred requests are refused at a full queue',
    series: {
      [requests('503')]: rising(0, 12),
      [series('market_refused_at_door_total', { market: 'market_b' }, 'a1')]: rising(0, 12),
    },
    fires: {},
  },
  {
    name: 'seven of a thousand requests fail for hours',
    series: { [requests('500')]: rising(0, 4.2) },
    at: 75,
    fires: { ErrorsHigh: [{}] },
  },
  {
    name: 'two of a hundred requests failed until half an hour ago',
    series: { [requests('503')]: `0+12x40 480x${MINUTES}` },
    at: 75,
    fires: {},
  },
  {
    name: 'a few requests fail of a few hundred',
    series: { [requests('200')]: rising(0, 5), [requests('500')]: rising(0, 0.2) },
    at: 40,
    fires: {},
  },
  {
    name: 'two of a hundred buys take longer than a second',
    series: answers(...BUY, 12),
    at: 20,
    fires: { SlowBuys: [{ class: 'buy' }] },
  },
  {
    name: 'two of a hundred reads take longer than a second',
    series: answers(...READ, 12),
    at: 20,
    fires: { SlowReads: [{ class: 'read' }] },
  },
  {
    name: 'requests that wait for an event take long',
    series: answers('GET', '/merchant/events', 600),
    at: 20,
    fires: {},
  },
  {
    name: 'the event loop of a process is late',
    series: { [loopLag('a2')]: from(3, 0.03, 0.4) },
    fires: { EventLoopBlocked: [{ ...api, instance: 'a2' }] },
  },
  {
    name: 'one process is left of the release before, for more than an hour',
    series: { [series('schema_ahead', {}, 'w2')]: steady(1) },
    at: 62,
    fires: { SchemaAhead: [{}] },
  },
  {
    name: 'processes are replaced after a migration',
    series: { [series('schema_ahead', {}, 'w2')]: from(20, 1, 0) },
    fires: {},
  },
]
