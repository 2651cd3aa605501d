// SQL of what waits at each market.
import { type Queryable, sql } from '#infra/db'
import type { MarketId } from '../ports.ts'

export interface QueueState {
  readonly market: MarketId
  readonly work: 'place' | 'follow'
  /** All that are in it, and those whose time has come. */
  readonly count: number
  readonly due: number
  readonly oldestDue: Date | null
}

const COUNT_QUEUES = sql(
  'buying.count_queues',
  `select market, work, count(*)::int count, count(*) filter (where due_at <= now())::int due,
     min(due_at) filter (where due_at <= now()) "oldestDue"
   from (select market, work, due_at from buying.item where work = 'place'
     union all select market, work, due_at from buying.item where work = 'follow') i group by market, work`,
)
export const countQueues = (db: Queryable): Promise<QueueState[]> =>
  db.query<QueueState>(COUNT_QUEUES)
