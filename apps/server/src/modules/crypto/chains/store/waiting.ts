// SQL of what waits on chains, as operators read it.
import { type Queryable, sql } from '#infra/database/db'
import type { WaitingRow } from '#kernel/waiting'

interface Query {
  readonly at: Date
  readonly limit: number
}

const TRANSFERS = sql(
  'chains.list_pending_transfers',
  `select id, id "refId", concat_ws(' ', token, chain, purpose) what, first_seen_at since, due_at "dueAt",
     (count(*) over ())::int count, (count(*) filter (where due_at <= $1) over ())::int due
   from chains.transfer where state = 'pending' and orphaned_at is null order by first_seen_at, id limit $2`,
)
/** Transfers to our addresses that wait for confirmations or a price, the oldest first. */
export const listPendingTransfers = (db: Queryable, { at, limit }: Query): Promise<WaitingRow[]> =>
  db.query<WaitingRow>(TRANSFERS, [at, limit])

const SWEEPS = sql(
  'chains.list_open_sweeps',
  `select s.id, a.owner_id "refId", concat_ws(' ', s.token, s.chain, s.state) what, s.began_at since,
     null::timestamptz "dueAt", (count(*) over ())::int count, (count(*) over ())::int due
   from chains.sweep s join chains.address a on a.id = s.address_id
   where s.state in ('gas_sent', 'sweep_sent') order by s.began_at, s.id limit $1`,
)
/** Sweeps under way, the oldest first; `refId` is the account whose address is swept. */
export const listOpenSweeps = (db: Queryable, { limit }: Query): Promise<WaitingRow[]> =>
  db.query<WaitingRow>(SWEEPS, [limit])

/** A chain that was not scanned for so long is behind. */
const BEHIND_MS = 60_000

const SCANS = sql(
  'chains.list_scans',
  `select uuidv7() id, null::uuid "refId", concat_ws(' ', k.id, 'block', c.number) what, c.updated_at since,
     c.updated_at + $2 * interval '1 millisecond' "dueAt", (count(*) over ())::int count,
     (count(*) filter (where c.updated_at + $2 * interval '1 millisecond' <= $1) over ())::int due
   from chains.chain k join chains.cursor c on c.chain = k.id where k.halted_at is null
   order by c.updated_at, k.id limit $3`,
)
/** Chains that are scanned, the one that was scanned longest ago first. */
export const listScans = (db: Queryable, { at, limit }: Query): Promise<WaitingRow[]> =>
  db.query<WaitingRow>(SCANS, [at, BEHIND_MS, limit])
