// How much waits, and for how long: items under way, events not dispatched, webhooks not delivered, dead
// letters.

import { countOpen } from '#buying'
import type { Db } from '#infra/database/db'
import type { Job } from '#infra/jobs/jobs'
import type { Clock } from '#infra/process/clock'
import type { Metrics } from '#infra/process/metrics'
import { readLag } from '#outbox'
import { countOpenSells } from '#selling'
import { countDeadLetters, readBacklog } from '#webhooks'

export interface WatchQueuesDeps {
  readonly db: Db
  readonly clock: Clock
  readonly metrics: Metrics
}

export function createWatchQueues({ db, clock, metrics }: WatchQueuesDeps): Job {
  const items = metrics.gauge('items_open', 'Items that have not come to their end', ['status'])
  const itemAge = metrics.gauge('items_oldest_age_seconds', 'Age of the oldest such item', [
    'status',
  ])
  const itemLag = metrics.gauge('items_lag_seconds', 'How overdue the most overdue item is', [
    'status',
  ])
  const sells = metrics.gauge('sell_items_open', 'Items of sells that have not come to their end', [
    'status',
  ])
  const sellAge = metrics.gauge('sell_items_oldest_age_seconds', 'Age of the oldest such item', [
    'status',
  ])
  const sellLag = metrics.gauge(
    'sell_items_lag_seconds',
    'How overdue the most overdue item of a sell is',
    ['status'],
  )
  const backlog = metrics.gauge('backlog', 'Events and webhooks that wait', ['queue'])
  const parked = metrics.gauge(
    'webhook_deliveries_parked',
    'Deliveries whose event could not be rendered',
  )
  const backlogAge = metrics.gauge('backlog_age_seconds', 'Age of the oldest of them', ['queue'])

  return {
    name: 'watch-queues',
    everyMs: 5000,
    work: async () => {
      const ageOf = (since: Date | null): number =>
        since ? Math.max(0, clock.now().getTime() - since.getTime()) / 1000 : 0
      const [open, openSells, events, webhooks, deadLetters] = await Promise.all([
        countOpen(db),
        countOpenSells(db),
        readLag(db),
        readBacklog(db, clock.now()),
        countDeadLetters(db),
      ])
      // A status that has emptied would show its last value for ever.
      for (const gauge of [items, itemAge, itemLag, sells, sellAge, sellLag]) gauge.reset()
      for (const { status, count, oldest, due } of open) {
        items.labels(status).set(count)
        itemAge.labels(status).set(ageOf(oldest))
        itemLag.labels(status).set(ageOf(due))
      }
      for (const { status, count, oldest, due } of openSells) {
        sells.labels(status).set(count)
        sellAge.labels(status).set(ageOf(oldest))
        sellLag.labels(status).set(ageOf(due))
      }
      for (const [queue, { count, oldest }] of [
        ['outbox', events],
        ['webhooks', webhooks],
      ] as const) {
        backlog.labels(queue).set(count)
        backlogAge.labels(queue).set(ageOf(oldest))
      }
      parked.set(deadLetters.reduce((sum, { count }) => sum + count, 0))
      return false
    },
  }
}
