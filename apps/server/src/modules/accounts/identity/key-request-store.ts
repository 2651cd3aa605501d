// SQL of the requests of keys: written in batches, read by their owners, removed by day and by number.
import { columns, int, text, time } from '#infra/database/columns'
import { type Queryable, sql, type Tx } from '#infra/database/db'
import type { PartitionedTable } from '#infra/database/partitions'
import { type CursorPage, cursorPageOf } from '#kernel/page'

export const KEY_REQUESTS_BY_DAY: PartitionedTable = {
  table: 'identity.key_request',
  column: 'started_at',
  type: 'timestamptz',
  span: 'day',
}
export const KEY_REQUESTS_DAYS = 7
/** Of a key, and of all keys of a tenant; older ones are removed with the batch that goes beyond it. */
export const KEY_REQUESTS_KEPT = 10_000
export const OWNED_REQUESTS_KEPT = 100_000

export interface KeyRequest {
  /** As its answer says it. */
  readonly id: string
  readonly startedAt: Date
  readonly durationMs: number
  readonly method: string
  /** The template: the path would hold ids, and the query might hold secrets. */
  readonly route: string
  readonly status: number
  readonly errorKey: string | null
  /** The trade that it made, or asked about. */
  readonly tradeId: string | null
}

export interface NotedRequest extends KeyRequest {
  readonly keyId: string
}

export interface OwnedRequest extends NotedRequest {
  /** Whose key it is, or the partner of that child. */
  readonly ownerId: string
}

// Counts are locked in the order of the keys, and then in that of the owners, which are summed when all keys
// are locked: batches of two processes do not block each other.
const INSERT = sql(
  'identity.insert_key_requests',
  `with given as (
     select * from unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::integer[], $5::text[], $6::text[], $7::smallint[],
       $8::text[], $9::uuid[], $10::uuid[]) with ordinality
       as given (id, key_id, started_at, duration_ms, method, route, status, error_key, trade_id, owner_id, place)
   ), counted as (
     insert into identity.key_request_count as c (key_id, written)
     select key_id, count(*) from given group by key_id order by key_id
     on conflict (key_id) do update set written = c.written + excluded.written
     returning key_id, written
   ), owned as (
     insert into identity.key_request_owner as o (owner_id, written)
     select owner_id, count(*) from given join counted using (key_id) group by owner_id order by owner_id
     on conflict (owner_id) do update set written = o.written + excluded.written
     returning owner_id, written
   ), inserted as (
     insert into identity.key_request
       (id, key_id, number, owner_id, owner_number, started_at, duration_ms, method, route, status, error_key, trade_id)
     select id, key_id, counted.written - row_number() over (partition by key_id order by place desc) + 1,
       owner_id, owned.written - row_number() over (partition by owner_id order by place desc) + 1,
       started_at, duration_ms, method, route, status, error_key, trade_id
     from given join counted using (key_id) join owned using (owner_id)
   )
   select 'key' "of", key_id id, written - $11 "upTo" from counted where written > $11
   union all
   select 'owner', owner_id, written - $12 from owned where written > $12`,
)

/**
 * One key or owner at a time, by its index. One statement for all of a batch was planned as a scan of the
 * whole table as soon as the batch had two hundred keys, also where none of them was full.
 */
const REMOVE = {
  key: sql(
    'identity.remove_requests_of_key',
    'delete from identity.key_request where key_id = $1 and number <= $2',
  ),
  owner: sql(
    'identity.remove_requests_of_owner',
    'delete from identity.key_request where owner_id = $1 and owner_number <= $2',
  ),
}

/**
 * In the order of their ends, fewer than `KEY_REQUESTS_KEPT` of a key. What is beyond the limits is removed.
 */
export async function insertKeyRequests(tx: Tx, requests: readonly OwnedRequest[]): Promise<void> {
  const column = <T>(of: (request: OwnedRequest) => T): T[] => requests.map(of)
  const full = await tx.query<{ of: keyof typeof REMOVE; id: string; upTo: bigint }>(INSERT, [
    column(({ id }) => id),
    column(({ keyId }) => keyId),
    column(({ startedAt }) => startedAt),
    column(({ durationMs }) => durationMs),
    column(({ method }) => method),
    column(({ route }) => route),
    column(({ status }) => status),
    column(({ errorKey }) => errorKey),
    column(({ tradeId }) => tradeId),
    column(({ ownerId }) => ownerId),
    KEY_REQUESTS_KEPT,
    OWNED_REQUESTS_KEPT,
  ])
  for (const { of, id, upTo } of full) await tx.query(REMOVE[of], [id, upTo])
}

const REQUEST = columns<KeyRequest>('', {
  id: text,
  startedAt: time,
  durationMs: int,
  method: text,
  route: text,
  status: int,
  errorKey: text,
  tradeId: text,
})

const LIST = sql(
  'identity.list_key_requests',
  `select ${REQUEST.list} from identity.key_request
   where key_id = $1 and started_at > $2
     and ($3::uuid is null or number < (select number from identity.key_request where id = $3 and key_id = $1))
     and ($4::smallint is null or status between $4 and $5)
     and ($6::text is null or position(lower($6) in lower(method || ' ' || route)) > 0)
     and ($7::text is null or error_key = upper($7))
   order by number desc limit $8`,
)

export interface KeyRequestsQuery {
  readonly keyId: string
  /** Both ends are meant too. */
  readonly statuses: { readonly from: number; readonly to: number } | null
  /** A part of the method and the route. */
  readonly route: string | null
  readonly errorKey: string | null
  /** The id of a request: those before it. */
  readonly cursor: string | null
  readonly limit: number
  readonly at: Date
}

/** Those that ended last are first, of the last `KEY_REQUESTS_DAYS`. */
export async function listKeyRequests(
  db: Queryable,
  { keyId, statuses, route, errorKey, cursor, limit, at }: KeyRequestsQuery,
): Promise<CursorPage<KeyRequest>> {
  const since = new Date(at.getTime() - KEY_REQUESTS_DAYS * 86_400_000)
  const { from = null, to = null } = statuses ?? {}
  const values = [keyId, since, cursor, from, to, route, errorKey, limit + 1]
  return cursorPageOf(await REQUEST.all(db, LIST, values), limit, ({ id }) => id)
}
