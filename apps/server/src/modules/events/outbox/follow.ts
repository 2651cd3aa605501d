// Events as they are dispatched, for processes that pass some of them on at once. A follower consumes
// nothing: it reads on from its own position, tenant by tenant.
import { type Queryable, sql } from '#infra/database/db'

export interface FollowedEvent {
  /** The id that tenants see. */
  readonly id: string
  readonly type: string
  readonly accountId: string
  readonly subjectId: string
  readonly payload: Readonly<Record<string, unknown>>
  readonly createdAt: Date
}

export interface EventFollower {
  /** From now on the events of this tenant and its sub-users are read. */
  follow(tenantId: string): Promise<void>
  unfollow(tenantId: string): void
  /** Events dispatched since the last call that are about one of these accounts, in order of dispatch. */
  read(accountIds: readonly string[]): Promise<FollowedEvent[]>
}

const NEWEST = sql(
  'outbox.newest',
  'select max(position) as position from outbox.event where tenant_id = $1',
)

// Of events about other accounts only the position is transferred.
const AFTER = sql(
  'outbox.after',
  `select e.tenant_id, e.position, e.created_at,
     case when e.account_id = any ($3::uuid[]) then jsonb_build_object('id', e.public_id, 'type', e.type,
       'accountId', e.account_id, 'subjectId', e.subject_id, 'payload', e.payload) end as event
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
  event: Omit<FollowedEvent, 'createdAt'> | null
}

export function followEvents(db: Queryable): EventFollower {
  const positions = new Map<string, bigint>()
  return {
    follow: async (tenantId) => {
      if (positions.has(tenantId)) return
      const [row] = await db.query<{ position: bigint | null }>(NEWEST, [tenantId])
      if (!positions.has(tenantId)) positions.set(tenantId, row?.position ?? 0n)
    },
    unfollow: (tenantId) => {
      positions.delete(tenantId)
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
      return rows.flatMap(({ event, created_at }) =>
        event === null ? [] : [{ ...event, createdAt: created_at }],
      )
    },
  }
}
