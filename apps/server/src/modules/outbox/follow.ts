// News as it is taken, for processes that pass some of it on at once. They take nothing away: each reads
// on from the position that it has come to, merchant by merchant.
import { type Queryable, sql } from '#infra/db'

export interface FollowedNews {
  readonly type: string
  readonly accountId: string
  readonly subjectId: string
  readonly payload: Readonly<Record<string, unknown>>
  readonly createdAt: Date
}

export interface NewsFollower {
  /** News of this merchant and its sub-users is wanted from now on. */
  follow(merchantId: string): Promise<void>
  unfollow(merchantId: string): void
  /** What was taken since the last call and is about one of these accounts, in the order of taking. */
  read(accountIds: readonly string[]): Promise<FollowedNews[]>
}

const NEWEST = sql(
  'outbox.newest',
  'select max(position) as position from outbox.event where tenant_id = $1',
)

// Of what nobody wants only the position is sent over.
const AFTER = sql(
  'outbox.after',
  `select e.tenant_id, e.position, e.created_at,
     case when e.account_id = any ($3::uuid[]) then jsonb_build_object('type', e.type,
       'accountId', e.account_id, 'subjectId', e.subject_id, 'payload', e.payload) end as news
   from unnest($1::uuid[], $2::bigint[]) followed (tenant_id, position)
   cross join lateral (
     select * from outbox.event e
     where e.tenant_id = followed.tenant_id and e.position > followed.position
     order by e.position limit 1000) e
   order by e.position`,
)

interface Row {
  tenant_id: string
  position: bigint
  created_at: Date
  news: Omit<FollowedNews, 'createdAt'> | null
}

export function followNews(db: Queryable): NewsFollower {
  const positions = new Map<string, bigint>()
  return {
    follow: async (merchantId) => {
      if (positions.has(merchantId)) return
      const [row] = await db.query<{ position: bigint | null }>(NEWEST, [merchantId])
      if (!positions.has(merchantId)) positions.set(merchantId, row?.position ?? 0n)
    },
    unfollow: (merchantId) => {
      positions.delete(merchantId)
    },
    read: async (accountIds) => {
      if (positions.size === 0) return []
      const rows = await db.query<Row>(AFTER, [
        [...positions.keys()],
        [...positions.values()],
        accountIds,
      ])
      for (const { tenant_id, position } of rows) {
        if (positions.has(tenant_id)) positions.set(tenant_id, position)
      }
      return rows.flatMap(({ news, created_at }) =>
        news === null ? [] : [{ ...news, createdAt: created_at }],
      )
    },
  }
}
