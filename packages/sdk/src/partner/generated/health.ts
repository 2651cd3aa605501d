// Made from the contract by `npm run generate -w @tradepost/sdk`. Do not edit.

export interface HealthOfMarkets {
  market_a: MarketHealthEntry
  market_b: MarketHealthEntry
}

export type HealthStatus = 'ok' | 'degraded' | 'down'

export interface MarketHealth {
  /** Of all markets. */
  status: HealthStatus
  /** Unix milliseconds. */
  ts: number
  markets: HealthOfMarkets
  service: MarketSwitches
}

export interface MarketHealthEntry {
  status: HealthStatus
  /** A heartbeat older than this is stale. */
  staleMs: number
  /** The queue that all workers of the market take from. */
  commonQueue: string
  /** Workers that take orders from it. */
  commonConsumers: number
  workers: MarketWorkerHealth[]
}

/** Buys of the market are accepted. */
export interface MarketSwitches {
  market_a: boolean
  market_b: boolean
}

export interface MarketWorkerHealth {
  workerId: string
  queue: string
  consumerCount: number
  heartbeat: WorkerHeartbeat | null
  status: WorkerStatus
}

export interface WorkerHeartbeat {
  /** Unix milliseconds. */
  ts: number
  ageMs: number
  /** Our balance at the market, as the worker last knew it. */
  balanceUsd: number | null
}

export type WorkerStatus = 'ok' | 'no-consumer' | 'no-heartbeat' | 'stale-heartbeat'
