// How the markets are served: who works for each, what waits there, and whether that is well. Made of
// what workers wrote down, so every process answers alike.

import { countQueues, listMarketQueues, type MarketId, type QueueState } from '#buying'
import type { MarketState } from '#catalog'
import type { Db } from '#infra/database/db'
import { listHeartbeats, processOf } from '#infra/jobs/heartbeats'
import type { Clock } from '#infra/process/clock'
import { listWorkers, type WorkerBeat } from './store.ts'

export type HealthStatus = 'ok' | 'degraded' | 'down'
export type WorkerStatus = 'ok' | 'no-consumer' | 'no-heartbeat' | 'stale-heartbeat'

export interface MarketsHealth {
  readonly status: HealthStatus
  readonly at: Date
  readonly markets: Readonly<Record<MarketId, MarketHealthEntry>>
  /** Switched on by the operator and answering, and our account there not closed. */
  readonly service: Readonly<Record<MarketId, boolean>>
}

export interface MarketHealthEntry {
  readonly status: HealthStatus
  /** A heartbeat older than this is stale. */
  readonly staleMs: number
  /** The queue that all workers of a market take orders from. */
  readonly commonQueue: {
    readonly name: string
    readonly depth: number
    readonly oldestAgeMs: number | null
  }
  /** For how long an item that is bought now waits; null until a worker has measured it. */
  readonly expectedWaitSeconds: number | null
  readonly commonConsumers: number
  readonly workers: readonly MarketWorker[]
}

export interface MarketWorker {
  readonly workerId: string
  readonly queue: string
  readonly consumerCount: number
  readonly heartbeat: {
    readonly at: Date
    readonly ageMs: number
    readonly balanceMills: bigint | null
  } | null
  readonly breaker: WorkerBeat['breaker'] | null
  readonly status: WorkerStatus
}

export const STALE_MS = 60_000
/** An item that waits longer than this to be placed is taken by no worker. */
const LATE_MS = 60_000

/** The job whose runs are a market's consumers. */
export const queueOf = (market: MarketId): string => `place-orders-${market}`

export interface MarketHealthDeps {
  readonly db: Db
  readonly clock: Clock
  listMarkets(): Promise<readonly MarketState[]>
}

export async function readMarketHealth(deps: MarketHealthDeps): Promise<MarketsHealth> {
  const { db, clock, listMarkets } = deps
  const [states, beats, queues, measured] = await Promise.all([
    listMarkets(),
    listWorkers(db),
    countQueues(db),
    listMarketQueues(db),
  ])
  const at = clock.now()
  const entries = await Promise.all(
    states.map(async (state) => {
      const consumers = await listHeartbeats(db, queueOf(state.id))
      const isAlive = (beatAt: Date): boolean => at.getTime() - beatAt.getTime() <= STALE_MS
      const entry = entryOf(state, {
        at,
        beats: beats.filter(({ market }) => market === state.id),
        consumers: new Set(consumers.filter(({ beatAt }) => isAlive(beatAt)).map(processOf)),
        expectedWaitSeconds:
          measured.find(({ market }) => market === state.id)?.expectedWaitSeconds ?? null,
        queue: queues.find(({ market, work }) => market === state.id && work === 'place') ?? null,
      })
      return [state.id, entry] as const
    }),
  )
  const statuses = entries.map(([, { status }]) => status)
  return {
    status: overallOf(statuses),
    at,
    markets: Object.fromEntries(entries) as MarketsHealth['markets'],
    service: Object.fromEntries(
      states.map((state) => [state.id, state.enabled && state.online && !isClosed(state)]),
    ) as MarketsHealth['service'],
  }
}

const overallOf = (statuses: readonly HealthStatus[]): HealthStatus => {
  if (statuses.every((status) => status === 'ok')) return 'ok'
  return statuses.every((status) => status === 'down') ? 'down' : 'degraded'
}

interface Seen {
  readonly at: Date
  readonly beats: readonly WorkerBeat[]
  /** Processes whose job takes orders of this market. */
  readonly consumers: ReadonlySet<string>
  readonly queue: QueueState | null
  readonly expectedWaitSeconds: number | null
}

/** Our account has no money: the market answers, and what is paid in is spent at once. */
const isEmpty = ({ balanceMills }: MarketState): boolean =>
  balanceMills !== null && balanceMills <= 0n

/** It is closed for another reason: the market does not serve it, or its money is kept back. */
const isClosed = (state: MarketState): boolean => state.coverMills === 0n && !isEmpty(state)

function entryOf(
  state: MarketState,
  { at, beats, consumers, queue, expectedWaitSeconds }: Seen,
): MarketHealthEntry {
  const ids = [...new Set([...beats.map(({ workerId }) => workerId), ...consumers])].sort()
  const workers = ids.map((workerId) =>
    workerOf(workerId, {
      at,
      queue: queueOf(state.id),
      beat: beats.find((each) => each.workerId === workerId) ?? null,
      isConsumer: consumers.has(workerId),
    }),
  )
  const oldest = queue?.oldestDue ?? null
  const oldestAgeMs = oldest === null ? null : Math.max(0, at.getTime() - oldest.getTime())
  const well = workers.filter(({ status }) => status === 'ok').length
  const isDown = !state.online || isClosed(state) || well === 0
  const isLate = oldestAgeMs !== null && oldestAgeMs > LATE_MS
  const isWell = well === workers.length && !isLate && !isEmpty(state)
  return {
    status: isDown ? 'down' : isWell ? 'ok' : 'degraded',
    staleMs: STALE_MS,
    commonQueue: { name: queueOf(state.id), depth: queue?.due ?? 0, oldestAgeMs },
    expectedWaitSeconds,
    commonConsumers: workers.reduce((sum, { consumerCount }) => sum + consumerCount, 0),
    workers,
  }
}

function workerOf(
  workerId: string,
  {
    at,
    queue,
    beat,
    isConsumer,
  }: {
    readonly at: Date
    readonly queue: string
    readonly beat: WorkerBeat | null
    readonly isConsumer: boolean
  },
): MarketWorker {
  // A worker whose breaker is open takes no orders until it closes.
  const consumerCount = isConsumer && beat?.breaker !== 'open' ? 1 : 0
  const ageMs = beat === null ? 0 : Math.max(0, at.getTime() - beat.beatAt.getTime())
  const heartbeat =
    beat === null ? null : { at: beat.beatAt, ageMs, balanceMills: beat.balanceMills }
  return {
    workerId,
    queue,
    consumerCount,
    heartbeat,
    breaker: beat?.breaker ?? null,
    status: statusOf(heartbeat, consumerCount),
  }
}

function statusOf(heartbeat: MarketWorker['heartbeat'], consumerCount: number): WorkerStatus {
  if (heartbeat === null) return 'no-heartbeat'
  if (heartbeat.ageMs > STALE_MS) return 'stale-heartbeat'
  return consumerCount === 0 ? 'no-consumer' : 'ok'
}
