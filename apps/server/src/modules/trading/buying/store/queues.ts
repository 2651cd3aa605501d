// SQL of what waits at each market.
import { type Queryable, sql } from '#infra/database/db'
import type { WaitingRow } from '#kernel/waiting'
import type { Status } from '#trades'
import type { MarketId } from '../ports.ts'

export interface QueueState {
  readonly market: MarketId
  readonly work: 'place' | 'follow'
  /** All that are in it, and those whose time has come. A worker may have these: only an index is read. */
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

const OLDEST = sql(
  'buying.oldest_in_queues',
  `select market, work, min(created_at) oldest
   from (select market, work, created_at from buying.item where work = 'place'
     union all select market, work, created_at from buying.item where work = 'follow') i group by market, work`,
)
/**
 * Of each queue that holds anything, also where nothing in it is due. Apart from the counts, which are read
 * at every beat: this reads the rows, not only their indexes.
 */
export const readOldest = (
  db: Queryable,
): Promise<(Pick<QueueState, 'market' | 'work'> & { readonly oldest: Date })[]> => db.query(OLDEST)

const LIST_WAITING = sql(
  'buying.list_waiting',
  `select id, trade_id "refId", market what, created_at since, due_at "dueAt", (count(*) over ())::int count,
     (count(*) filter (where due_at <= $3) over ())::int due
   from buying.item where market = $1 and work = $2 order by due_at, id limit $4`,
)
/** Items that wait to be placed or followed, the longest due first. */
export const listWaitingItems = (
  db: Queryable,
  {
    market,
    work,
    at,
    limit,
  }: Pick<QueueState, 'market' | 'work'> & { readonly at: Date; readonly limit: number },
): Promise<WaitingRow[]> => db.query<WaitingRow>(LIST_WAITING, [market, work, at, limit])

const COUNT_OPEN = sql(
  'buying.count_open',
  `with open as (
     select * from buying.item where work = 'place' union all select * from buying.item where work = 'follow')
   select t.status, count(*)::int count, min(i.created_at) oldest, min(greatest(i.due_at, i.leased_until)) due
   from open i join trades.items_by_id(array(select id from open)) t on t.id = i.id group by t.status`,
)
export interface OpenItems {
  readonly status: Status
  readonly count: number
  readonly oldest: Date
  readonly due: Date
}
/** What is under way, for the metrics. */
export const countOpen = (db: Queryable): Promise<OpenItems[]> => db.query<OpenItems>(COUNT_OPEN)
