// SQL of the export of trades.
import { isoTime, plainText } from '#infra/copy-out'
import { sql } from '#infra/db'

/** Of a tenant: `$2` status, `$3` type, `$4` and `$5` the range; each may be null. */
export const EXPORT_TRADES = sql(
  'trades.export',
  `select t.id trade_id, ${isoTime('t.created_at')} created_at, ${isoTime('t.updated_at')} updated_at, t.type, t.status,
     ${plainText('t.external_id')} external_id, t.account_id, t.platform_id, t.item_count items,
     ${plainText("(select string_agg(i.description ->> 'marketHashName', '; ' order by i.position) from trades.item i where i.trade_id = t.id)")} item_names,
     round(t.total / 100.0, 2) total, t.currency
   from trades.trade t
   where t.tenant_id = $1 and ($2::text is null or t.status::text = $2) and ($3::text is null or t.type::text = $3)
     and ($4::timestamptz is null or t.created_at >= $4) and ($5::timestamptz is null or t.created_at <= $5)
   order by t.id desc`,
)
