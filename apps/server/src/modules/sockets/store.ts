// SQL of seats.
import { type Queryable, sql, type Tx } from '#infra/db'

export type Channel = 'market' | 'user'

const TAKE = sql('sockets_take', 'select place, answer from sockets.take($1, $2, $3, $4, $5, $6)')

export type Taken = 'taken' | 'account_full' | 'full'

export interface Caps {
  readonly perAccount: number
  readonly inAll: number
}

/** Null when the process is not registered. */
export async function takeSeats(
  db: Queryable,
  processId: string,
  at: Date,
  wishes: readonly { readonly channel: Channel; readonly accountId: string }[],
  caps: Caps,
): Promise<readonly Taken[] | null> {
  const rows = await db.query<{ place: number; answer: Taken }>(TAKE, [
    processId,
    at,
    wishes.map(({ channel }) => channel),
    wishes.map(({ accountId }) => accountId),
    caps.perAccount,
    caps.inAll,
  ])
  return rows.length < wishes.length ? null : rows.map(({ answer }) => answer)
}

const REGISTER = sql(
  'sockets_register',
  `insert into sockets.process (id, lease_until) values ($1, $2)
   on conflict (id) do update set lease_until = excluded.lease_until`,
)

const CLEAR_SEATS = sql('sockets_clear_seats', 'delete from sockets.seat where process_id = $1')

const INSERT_SEATS = sql(
  'sockets_insert_seats',
  `insert into sockets.seat (process_id, channel, account_id, taken)
   select $1, channel, account_id, taken
   from unnest($2::text[], $3::uuid[], $4::integer[]) as held (channel, account_id, taken)`,
)

export interface Held {
  readonly channel: Channel
  readonly accountId: string
  readonly taken: number
}

/** Says of a process what it has, whatever was known of it. */
export async function registerProcess(
  tx: Tx,
  processId: string,
  leaseUntil: Date,
  held: readonly Held[],
): Promise<void> {
  await tx.query(REGISTER, [processId, leaseUntil])
  await tx.query(CLEAR_SEATS, [processId])
  await tx.query(INSERT_SEATS, [
    processId,
    held.map(({ channel }) => channel),
    held.map(({ accountId }) => accountId),
    held.map(({ taken }) => taken),
  ])
}

const RENEW = sql(
  'sockets_renew',
  'update sockets.process set lease_until = $2 where id = $1 returning id',
)

/** False when the process was taken for dead. */
export const renewLease = async (
  db: Queryable,
  processId: string,
  leaseUntil: Date,
): Promise<boolean> => (await db.query(RENEW, [processId, leaseUntil])).length > 0

// The last seat of an account goes with its row: a count of none is no row.
const RELEASE = sql(
  'sockets_release',
  `with freed as (
     select * from unnest($2::text[], $3::uuid[], $4::integer[]) as freed (channel, account_id, taken)),
   fewer as (
     update sockets.seat s set taken = s.taken - f.taken from freed f
     where s.process_id = $1 and s.channel = f.channel and s.account_id = f.account_id
       and s.taken > f.taken)
   delete from sockets.seat s using freed f
   where s.process_id = $1 and s.channel = f.channel and s.account_id = f.account_id
     and s.taken <= f.taken`,
)

export async function releaseSeats(
  db: Queryable,
  processId: string,
  freed: readonly Held[],
): Promise<void> {
  await db.query(RELEASE, [
    processId,
    freed.map(({ channel }) => channel),
    freed.map(({ accountId }) => accountId),
    freed.map(({ taken }) => taken),
  ])
}

const FORGET = sql('sockets_forget', 'delete from sockets.process where id = $1')

export async function forgetProcess(db: Queryable, processId: string): Promise<void> {
  await db.query(FORGET, [processId])
}
