// Figures of a market's feed, and the types of the tools that every adapter is given.

import type { Log } from '#infra/process/log'
import type { Metrics } from '#infra/process/metrics'
import type { MarketId } from '#ports/catalog'

export type { Log, Metrics }

/** A number from 0 up to, not including, 1. */
export type Rng = () => number

/** What the HTTP client's own metrics cannot show of a market's feed. */
export interface FeedCounters {
  change(kind: string): void
  gap(): void
  droppedRow(by?: number): void
  socketLost(): void
}

export function feedCounters(metrics: Metrics, market: MarketId): FeedCounters {
  const changes = metrics.counter('market_feed_changes_total', 'Changes that a feed reported', [
    'market',
    'kind',
  ])
  const dropped = metrics.counter(
    'market_feed_rows_dropped_total',
    'Rows of a market that could not be read',
    ['market'],
  )
  const lost = metrics.counter('market_socket_lost_total', 'Connections to a market that ended', [
    'market',
  ])
  return {
    change: (kind) => changes.labels(market, kind).inc(),
    gap: () => changes.labels(market, 'gap').inc(),
    droppedRow: (by = 1) => dropped.labels(market).inc(by),
    socketLost: () => lost.labels(market).inc(),
  }
}
