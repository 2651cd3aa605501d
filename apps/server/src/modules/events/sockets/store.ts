// SQL of connection slots.
import { type Queryable, sql, type Tx } from '#infra/database/db'

export type Channel = 'market' | 'user'

const TAKE = sql(
  'sockets_take',
  'select ordinal, answer from sockets.take_slots($1, $2, $3, $4, $5, $6, $7, $8, $9)',
)

export type Taken = 'taken' | 'account_full' | 'tenant_full' | 'full'

/** Sockets that may be open at a time, over all processes, of each channel. */
export interface Caps {
  readonly perAccount: number
  readonly perTenant: number
  readonly inAll: number
}

/** The right to one open socket. */
export interface ConnectionSlot {
  readonly channel: Channel
  readonly tenantId: string
  readonly accountId: string
}

/** Of one call of `takeSlots`. Near the total cap calls run one by one; the larger this, the sooner. */
export const MOST_OF_A_BATCH = 50

/** Null when the process is not registered. */
export async function takeSlots(
  db: Queryable,
  processId: string,
  at: Date,
  requested: readonly ConnectionSlot[],
  caps: Caps,
): Promise<readonly Taken[] | null> {
  const rows = await db.query<{ ordinal: number; answer: Taken }>(TAKE, [
    processId,
    at,
    requested.map(({ channel }) => channel),
    requested.map(({ tenantId }) => tenantId),
    requested.map(({ accountId }) => accountId),
    caps.perAccount,
    caps.perTenant,
    caps.inAll,
    MOST_OF_A_BATCH,
  ])
  return rows.length < requested.length ? null : rows.map(({ answer }) => answer)
}

const REGISTER = sql(
  'sockets_register',
  `insert into sockets.process (id, lease_until) values ($1, $2)
   on conflict (id) do update set lease_until = excluded.lease_until`,
)

const DELETE_SLOTS = sql('sockets_delete_slots', 'delete from sockets.slot where process_id = $1')

const INSERT_SLOTS = sql(
  'sockets_insert_slots',
  `insert into sockets.slot (process_id, channel, tenant_id, account_id, taken)
   select $1, channel, tenant_id, account_id, taken
   from unnest($2::text[], $3::uuid[], $4::uuid[], $5::integer[])
     as held (channel, tenant_id, account_id, taken)`,
)

export interface Held extends ConnectionSlot {
  readonly taken: number
}

/** Replaces all that is recorded of a process by what it holds. */
export async function registerProcess(
  tx: Tx,
  processId: string,
  leaseUntil: Date,
  held: readonly Held[],
): Promise<void> {
  await tx.query(REGISTER, [processId, leaseUntil])
  await tx.query(DELETE_SLOTS, [processId])
  await tx.query(INSERT_SLOTS, [
    processId,
    held.map(({ channel }) => channel),
    held.map(({ tenantId }) => tenantId),
    held.map(({ accountId }) => accountId),
    held.map(({ taken }) => taken),
  ])
}

const RENEW = sql(
  'sockets_renew',
  'update sockets.process set lease_until = $2 where id = $1 returning id',
)

/** False when the lease had expired and the process was deleted. */
export const renewLease = async (
  db: Queryable,
  processId: string,
  leaseUntil: Date,
): Promise<boolean> => (await db.query(RENEW, [processId, leaseUntil])).length > 0

// The last slot of an account goes with its row: a count of zero is no row.
const RELEASE = sql(
  'sockets_release',
  `with released as (
     select * from unnest($2::text[], $3::uuid[], $4::integer[]) as released (channel, account_id, taken)),
   fewer as (
     update sockets.slot s set taken = s.taken - f.taken from released f
     where s.process_id = $1 and s.channel = f.channel and s.account_id = f.account_id
       and s.taken > f.taken)
   delete from sockets.slot s using released f
   where s.process_id = $1 and s.channel = f.channel and s.account_id = f.account_id
     and s.taken <= f.taken`,
)

export async function releaseSlots(
  db: Queryable,
  processId: string,
  released: readonly Held[],
): Promise<void> {
  await db.query(RELEASE, [
    processId,
    released.map(({ channel }) => channel),
    released.map(({ accountId }) => accountId),
    released.map(({ taken }) => taken),
  ])
}

const DELETE_PROCESS = sql('sockets_delete_process', 'delete from sockets.process where id = $1')

export async function deleteProcess(db: Queryable, processId: string): Promise<void> {
  await db.query(DELETE_PROCESS, [processId])
}
