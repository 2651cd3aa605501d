// SQL of the workers that serve a market.

import type { MarketId } from '#buying'
import { type Queryable, sql } from '#infra/database/db'

export interface WorkerBeat {
  readonly market: MarketId
  readonly workerId: string
  readonly beatAt: Date
  readonly balanceMills: bigint | null
  readonly breaker: 'closed' | 'open' | 'half-open'
}

const BEAT = sql(
  'operations.beat',
  `insert into operations.market_worker (market, worker_id, beat_at, balance_mills, breaker)
   values ($1, $2, $3, $4, $5)
   on conflict (market, worker_id) do update set beat_at = excluded.beat_at,
     balance_mills = excluded.balance_mills, breaker = excluded.breaker`,
)
const FORGET = sql(
  'operations.forget_workers',
  `delete from operations.market_worker
   where (market = $1 and worker_id = $2 and $4) or beat_at < $3::timestamptz - interval '1 hour'`,
)

/** Says that a worker lives; those that were killed an hour ago are forgotten. */
export async function writeBeat(db: Queryable, beat: WorkerBeat): Promise<void> {
  const { market, workerId, beatAt, balanceMills, breaker } = beat
  await db.query(BEAT, [market, workerId, beatAt, balanceMills, breaker])
  await db.query(FORGET, [market, workerId, beatAt, false])
}

/** A worker that stops in good order leaves no heartbeat to go stale. */
export async function forgetWorker(
  db: Queryable,
  worker: { readonly market: MarketId; readonly workerId: string; readonly at: Date },
): Promise<void> {
  await db.query(FORGET, [worker.market, worker.workerId, worker.at, true])
}

const LIST = sql(
  'operations.list_workers',
  `select market, worker_id "workerId", beat_at "beatAt", balance_mills "balanceMills", breaker
   from operations.market_worker order by market, worker_id limit 1000`,
)
export const listWorkers = (db: Queryable): Promise<WorkerBeat[]> => db.query<WorkerBeat>(LIST)
