// Events as they are dispatched, for processes that pass some of them on at once. A follower consumes
// nothing: it reads on from its own position, tenant by tenant.
import { type Queryable, sql } from '#infra/database/db'
import { lowestIdAfter } from './store.ts'

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
  `select position, public_id id from outbox.event where tenant_id = $1 and position is not null
   order by position desc limit 1`,
)

// Of events about other accounts only the position is transferred. By subselects the planner does not see how
// few tenants there are, for which it would plan anew each time.
const AFTER = sql(
  'outbox.after',
  `select e.tenant_id, e.position, e.public_id id, e.created_at,
     case when e.account_id = any ($3::uuid[]) then jsonb_build_object('id', e.public_id, 'type', e.type,
       'accountId', e.account_id, 'subjectId', e.subject_id, 'payload', e.payload) end as event
   from unnest((select $1::uuid[]), (select $2::bigint[]), (select $4::uuid[]))
     followed (tenant_id, position, lowest_id)
   cross join lateral (
     select * from outbox.event e
     where e.tenant_id = followed.tenant_id and e.position > followed.position and e.public_id >= followed.lowest_id
     order by e.position limit 1000) e
   order by e.position`,
)

interface Place {
  readonly position: bigint
  /** Of the event there; null before the first. */
  readonly id: string | null
}

interface Row extends Place {
  tenant_id: string
  created_at: Date
  event: Omit<FollowedEvent, 'createdAt'> | null
}

export function followEvents(db: Queryable): EventFollower {
  const places = new Map<string, Place>()
  return {
    follow: async (tenantId) => {
      if (places.has(tenantId)) return
      const [newest] = await db.query<Place>(NEWEST, [tenantId])
      if (!places.has(tenantId)) places.set(tenantId, newest ?? { position: 0n, id: null })
    },
    unfollow: (tenantId) => {
      places.delete(tenantId)
    },
    read: async (accountIds) => {
      if (places.size === 0) return []
      const rows = await db.query<Row>(AFTER, [
        [...places.keys()],
        [...places.values()].map(({ position }) => position),
        accountIds,
        [...places.values()].map(({ id }) => lowestIdAfter(id)),
      ])
      for (const { tenant_id, position, id } of rows) {
        if (places.has(tenant_id)) places.set(tenant_id, { position, id })
      }
      return rows.flatMap(({ event, created_at }) =>
        event === null ? [] : [{ ...event, createdAt: created_at }],
      )
    },
  }
}
