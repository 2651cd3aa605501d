// SQL of items that wait to be placed when it turns out that the newest intents may be lost.
import { type Queryable, sql, type Tx } from '#infra/database/db'
import type { MarketId } from '../ports.ts'

const HOLD_BACK = sql(
  'buying.hold_back',
  `with held as (
     update buying.item set work = 'follow', leased_until = null,
       market_account = coalesce(
         (select o.market_account from buying.supplier_order o where o.item_id = item.id), 'main'),
       due_at = $3::timestamptz + case when exists (
         select from buying.market_account a where a.market = $1 and a.name <> 'main') then $4 else 0 end
         * interval '1 millisecond'
     where market = $1 and work = 'place'
     returning id, market, market_account, attempt)
   insert into buying.supplier_order (item_id, market, market_account, custom_id, state, sent_at, detail)
   select id, market, market_account, id::text || case when attempt > 1 then '-' || attempt else '' end, 'unknown', $2,
     'its intent may have been lost by a restore' from held
   on conflict (item_id) do update set state = 'unknown', sent_at = excluded.sent_at, detail = excluded.detail
   returning item_id "itemId"`,
)
/** Where several accounts may have bought it, their statements say which: a look-up with one says less. */
const LOOKED_FOR_MS = 24 * 3_600_000

/**
 * Every item that waits to be placed may have been placed already: until that is known its order is unknown,
 * and it is followed from `followFrom` on as any order whose answer was lost.
 */
export async function holdBackPlacements(
  tx: Tx,
  {
    market,
    at,
    followFrom,
  }: { readonly market: MarketId; readonly at: Date; readonly followFrom: Date },
): Promise<string[]> {
  const rows = await tx.query<{ itemId: string }>(HOLD_BACK, [
    ...[market, at, followFrom, LOOKED_FOR_MS],
  ])
  return rows.map(({ itemId }) => itemId)
}

const FOLLOW_LISTED = sql(
  'buying.follow_listed',
  `with listed as (
     select i.id, l.custom_id, l.market_account
     from unnest($2::uuid[], $3::text[], $5::text[]) l (id, custom_id, market_account)
       join buying.item i on i.id = l.id
     where i.market = $1 and i.work = 'follow' for update of i),
   named as (
     update buying.supplier_order o set custom_id = l.custom_id, market_account = l.market_account
     from listed l
     where o.item_id = l.id and o.state = 'unknown' returning o.item_id, o.market_account)
   update buying.item i set due_at = $4, leased_until = null, market_account = named.market_account
   from named where i.id = named.item_id returning i.id`,
)
const RESUME = sql(
  'buying.resume_placements',
  `with waiting as (
     select i.id from buying.item i where i.id = any ($2::uuid[]) and i.market = $1 and i.work = 'follow' for update),
   resumed as (
     update buying.supplier_order o set state = 'not_sent', misses = 0, missed_since = null,
       detail = 'not on the statement after a restore'
     from waiting w where o.item_id = w.id and o.state = 'unknown' and o.order_id is null returning o.item_id)
   update buying.item i set work = 'place', due_at = $3, leased_until = null
   from resumed where i.id = resumed.item_id returning i.id`,
)

/** An item whose order is on the statement of one of our accounts. */
export interface ListedItem {
  readonly itemId: string
  readonly customId: string
  readonly account: string
}

/**
 * What the market's statement says of items that were held back: those that it lists are followed under the
 * id that it lists and with that account, at once; the others were never placed, and wait to be placed again.
 */
export async function releasePlacements(
  tx: Tx,
  release: {
    readonly market: MarketId
    readonly listed: readonly ListedItem[]
    readonly unlisted: readonly string[]
    readonly at: Date
  },
): Promise<{ readonly followed: number; readonly resumed: number }> {
  const { market, listed, unlisted, at } = release
  const followed = await tx.query(FOLLOW_LISTED, [
    market,
    listed.map(({ itemId }) => itemId),
    listed.map(({ customId }) => customId),
    at,
    listed.map(({ account }) => account),
  ])
  const resumed = await tx.query(RESUME, [market, unlisted, at])
  return { followed: followed.length, resumed: resumed.length }
}

const LOST = sql(
  'buying.lost_orders',
  `select s.item_id::text || case when s.attempt > 1 then '-' || s.attempt else '' end "customId"
   from unnest($1::uuid[], $2::integer[], $3::timestamptz[]) s (item_id, attempt, begun_at)
   where not exists (select from buying.supplier_order o where o.item_id = s.item_id and o.sent_at >= s.begun_at)
     and not exists (select from buying.item i where i.id = s.item_id and i.attempt > s.attempt)`,
)
/** The custom ids of those of these orders whose beginning the database does not know. Each is given once. */
export async function findLostOrders(
  db: Queryable,
  orders: readonly {
    readonly itemId: string
    readonly attempt: number
    readonly begunAt: Date
  }[],
): Promise<string[]> {
  if (orders.length === 0) return []
  const rows = await db.query<{ customId: string }>(LOST, [
    orders.map(({ itemId }) => itemId),
    orders.map(({ attempt }) => attempt),
    orders.map(({ begunAt }) => begunAt),
  ])
  return rows.map(({ customId }) => customId)
}
