// SQL of the export of trades.
import { isoTime, plainText } from '#infra/database/copy-out'
import { sql } from '#infra/database/db'

/**
 * Of a tenant: `$2` statuses as an array, `$3` type, `$4` and `$5` the range, `$6` account, `$7` any
 * text leaves out failed and reverted ones, `$8` pattern of an item's name, `$9` external id, `$10`
 * offer, `$11` trade; each may be null.
 */
export const EXPORT_TRADES = sql(
  'trades.export',
  `select t.id trade_id, ${isoTime('t.created_at')} created_at, ${isoTime('t.updated_at')} updated_at, t.type, t.status,
     ${plainText('t.external_id')} external_id, t.account_id, t.platform_id, t.item_count items,
     ${plainText('own.names')} item_names, round(t.total / 100.0, 2) total, t.currency,
     ${plainText('identity.external_id_of(t.account_id)')} user_external_id, round(own.refunded / 100.0, 2) refunded,
     round(own.penalty / 100.0, 2) penalty, round(own.house_fee / 100.0, 2) house_fee, round(own.merchant_fee / 100.0, 2) merchant_fee,
     own.error
   from trades.trade t cross join lateral (
     select string_agg(i.description ->> 'marketHashName', '; ' order by i.position) names, sum(i.refunded) refunded,
       sum(i.penalty) penalty, sum(i.house_fee) house_fee, sum(i.merchant_fee) merchant_fee,
       string_agg(distinct i.failure_code, '; ') error
     from trades.item i where i.trade_id = t.id) own
   where t.tenant_id = $1 and ($2::text[] is null or t.status::text = any ($2::text[])) and ($3::text is null or t.type::text = $3)
     and ($4::timestamptz is null or t.created_at >= $4) and ($5::timestamptz is null or t.created_at <= $5)
     and ($6::uuid is null or t.account_id = $6) and ($7::text is null or t.status not in ('failed', 'reverted'))
     and ($8::text is null or exists (select from trades.item i where i.trade_id = t.id and i.description ->> 'marketHashName' ilike $8))
     and ($9::text is null or t.external_id = $9)
     and ($10::text is null or exists (select from trades.item i where i.trade_id = t.id and i.offer_id = $10))
     and ($11::text is null or t.id::text = lower($11))
   order by t.id desc`,
)

/** In an export of another module: the trade that the thing `refId` is or is part of, within a tenant. */
export const tradeIdOf = (refId: string, tenantId: string): string =>
  `(select t.id from trades.trade t where t.tenant_id = ${tenantId}
      and t.id = coalesce((select i.trade_id from trades.item i where i.id = ${refId}), ${refId}))`
