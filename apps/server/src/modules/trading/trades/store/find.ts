// SQL that finds trades by whatever id of them a person has in hand.
import { type Queryable, sql } from '#infra/database/db'
import type { Currency } from '#kernel/money'
import type { Status } from '../trade.ts'

export interface FoundTrade {
  readonly id: string
  readonly type: 'buy' | 'sell'
  readonly status: Status
  readonly tenantId: string
  readonly accountId: string
  readonly total: bigint
  readonly currency: Currency
  readonly createdAt: Date
}

/** A request may have taken so long until its trade was written. */
const REQUEST_SPAN_MS = 60_000
const MAX_FOUND = 20

const FIND = sql(
  'trades.find_by_handle',
  `with found as (
     select id from trades.trade where id = any ($1::uuid[])
     union select trade_id from trades.item where id = any ($1::uuid[])
     union select trade_id from trades.item where offer_id = $2
     union (select id from trades.trade where external_id = $2 and ($3::uuid is null or tenant_id = $3)
            order by id desc limit $6)
     union (select i.trade_id from trades.item i join trades.trade t on t.id = i.trade_id
            where i.external_id = $2 and ($3::uuid is null or t.tenant_id = $3) order by i.id desc limit $6)
     union (select id from trades.trade where platform_id = $2 and tenant_id = $3 order by id desc limit $6)
     union (select id from trades.trade where platform_id = $2 and $3::uuid is null order by id desc limit $6)
     union select id from trades.trade
       where id between $4::uuid and $5::uuid and request_id = any ($1::uuid[]))
   select t.id, t.type, t.status, t.tenant_id "tenantId", t.account_id "accountId", t.total, t.currency,
     t.created_at "createdAt"
   from found join trades.trade t using (id) where $3::uuid is null or t.tenant_id = $3
   order by t.id desc limit $6`,
)

/**
 * By the id of the trade, of an item or of the request that made it (`ids`), or by an offer's id, an external
 * id of either or the platform account of the user (`text`); of one tenant, or of all. Newest first, at most
 * 20.
 */
export const findTrades = (
  db: Queryable,
  {
    ids,
    text,
    tenantId,
  }: {
    readonly ids: readonly string[]
    readonly text: string
    readonly tenantId: string | null
  },
): Promise<FoundTrade[]> => {
  const [first, last] = spanOf(ids)
  return db.query<FoundTrade>(FIND, [ids, text, tenantId, first, last, MAX_FOUND])
}

const OF_REFS = sql(
  'trades.of_refs',
  `select ref, t.id,
     (select string_agg(i.description ->> 'marketHashName', ', ' order by i.position)
      from trades.item i where i.trade_id = t.id and ref in (t.id, i.id)) "itemNames"
   from unnest($2::uuid[]) ref left join trades.item one on one.id = ref
     join trades.trade t on t.id = coalesce(one.trade_id, ref)
   where t.tenant_id = $1`,
)

/** The trades of a tenant by their own ids or those of items, with the names of the items that are meant. */
export async function readTradesOfRefs(
  db: Queryable,
  tenantId: string,
  refIds: readonly string[],
): Promise<ReadonlyMap<string, { readonly id: string; readonly itemNames: string | null }>> {
  const rows = await db.query<{ ref: string; id: string; itemNames: string | null }>(OF_REFS, [
    ...[tenantId, refIds],
  ])
  return new Map(rows.map(({ ref, ...trade }) => [ref, trade]))
}

/** The least and the greatest UUIDv7 of the time around these ids; an empty span for none. */
function spanOf(ids: readonly string[]): [string, string] {
  const times = ids.map((id) => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16))
  if (times.length === 0) return [uuidAt(0, 'f'), uuidAt(0, '0')]
  const first = Math.max(0, Math.min(...times) - REQUEST_SPAN_MS)
  return [uuidAt(first, '0'), uuidAt(Math.max(...times) + REQUEST_SPAN_MS, 'f')]
}

function uuidAt(ms: number, rest: '0' | 'f'): string {
  const digits = ms.toString(16).padStart(12, '0').slice(-12) + rest.repeat(20)
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
