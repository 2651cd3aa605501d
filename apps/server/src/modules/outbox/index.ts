// The outbox: news written in the transaction that made it (`outbox.add`), taken in order by its readers
// (`outbox.dispatch`). Its doors are SQL functions; here is only what operators watch.
import { type Queryable, sql } from '#platform/db'

const LAG = sql(
  'outbox.lag',
  `select count(*)::int count, min(created_at) oldest from (
     select created_at from outbox.event where dispatched_at is null order by id limit 10000) waiting`,
)

export interface OutboxLag {
  /** Events that nobody has taken yet, counted up to 10,000. */
  readonly count: number
  readonly oldest: Date | null
}

export async function readLag(db: Queryable): Promise<OutboxLag> {
  const [row] = await db.query<OutboxLag>(LAG)
  return row ?? { count: 0, oldest: null }
}

const LIST_NEWS = sql(
  'outbox.list_news',
  `select id, public_id "publicId", type, payload, created_at "createdAt", dispatched_at "dispatchedAt"
   from outbox.event where dedupe_key = any ($1::text[]) order by id limit 1000`,
)

export interface News {
  readonly id: bigint
  readonly publicId: string
  readonly type: string
  readonly payload: Readonly<Record<string, unknown>>
  readonly createdAt: Date
  readonly dispatchedAt: Date | null
}

/** The news under these keys that were told, in the order in which they happened. */
export const listNews = (db: Queryable, dedupeKeys: readonly string[]): Promise<News[]> =>
  db.query<News>(LIST_NEWS, [dedupeKeys])
