// Made from the contract by `npm run generate -w @tradepost/sdk`. Do not edit.

export interface HealthOfMarkets {
  /** Of this market. */
  market_a: MarketHealthEntry
  /** Of this market. */
  market_b: MarketHealthEntry
}

export type HealthStatus = 'ok' | 'degraded' | 'down'

export interface MarketHealth {
  /** Of all markets. */
  status: HealthStatus
  /** Unix milliseconds. */
  ts: number
  /** Each market by its name. */
  markets: HealthOfMarkets
  /** Whether each market is switched on here. */
  service: MarketSwitches
}

export interface MarketHealthEntry {
  /** The current status. */
  status: HealthStatus
  /** A heartbeat older than this is stale. */
  staleMs: number
  /** The queue that all workers of the market take from. */
  commonQueue: string
  /** Workers that take orders from it. */
  commonConsumers: number
  /** The processes that work for the market. */
  workers: MarketWorkerHealth[]
}

/** Buys of the market are accepted. */
export interface MarketSwitches {
  /** Of this market. */
  market_a: boolean
  /** Of this market. */
  market_b: boolean
}

export interface MarketWorkerHealth {
  /** The process. */
  workerId: string
  /** What it works off. */
  queue: string
  /** How many work off the same. */
  consumerCount: number
  /** Its newest sign of life; null when there was none. */
  heartbeat: WorkerHeartbeat | null
  /** The current status. */
  status: WorkerStatus
}

export interface WorkerHeartbeat {
  /** Unix milliseconds. */
  ts: number
  /** How old the sign of life is, in milliseconds. */
  ageMs: number
  /** Our balance at the market, as the worker last knew it. */
  balanceUsd: number | null
}

export type WorkerStatus = 'ok' | 'no-consumer' | 'no-heartbeat' | 'stale-heartbeat'
