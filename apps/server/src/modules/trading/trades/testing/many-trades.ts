// A tenant with many trades, made by two statements: what its reads cost shows only in numbers.
import { type Db, sql } from '#infra/database/db'

const TRADES = sql(
  'test_many_trades',
  `insert into trades.trade (type, tenant_id, account_id, platform_id, trade_url, external_id,
     request_hash, game, currency, status, item_count, total, earned, created_at, updated_at)
   select 'buy', $1, $5, '76561198000000001', 'https://steamcommunity.com/tradeoffer/new/?partner=1&token=accept00',
     'many-' || n, '\\x00', 'cs2', 'USD', case when n % 4 = 0 then 'failed' else 'completed' end::trades.status,
     1, 1050, case when n % 4 = 0 then 0 else 20 end, made_at, made_at
   from generate_series(1, $2::integer) n
   cross join lateral (select $3::timestamptz + n * $4 * interval '1 second' as made_at) moment
   order by n`,
)

const ITEMS = sql(
  'test_many_items',
  `insert into trades.item (trade_id, position, catalog_item_id, description, price, house_fee, merchant_fee,
     status, refunded, penalty, merchant_earned, settled_at, failure_code, status_at)
   select t.id, 1, '0123456789abcdef',
     jsonb_build_object('name', 'AK-47 | Redline', 'type', 'Rifle', 'iconUrl', null, 'exterior', 'Field-Tested',
       'rarity', 'Classified', 'color', null, 'phase', null, 'wear', '0.2131', 'paintSeed', 12, 'stickers', '[]'::jsonb,
       'charm', null, 'delivery', 'standard',
       'marketHashName', case when t.external_id = 'many-1' then 'The Oldest One'
       else 'AK-47 | Redline (Field-Tested)' end),
     1050, 30, 20, t.status, case when t.status = 'failed' then 1050 end,
     case when t.status = 'failed' then 0 end, case when t.status = 'completed' then 20 end,
     case when t.status = 'completed' then t.created_at end,
     case when t.status = 'failed' then 'PURCHASE_FAILED' end, t.created_at
   from trades.trade t where t.tenant_id = $1`,
)

/**
 * `count` ended trades of one item, `everySeconds` apart: every fourth has failed, the others are completed.
 * The first one's item is the only one called "The Oldest One". No money was moved for them.
 */
export async function givenManyTrades(
  db: Db,
  {
    tenantId,
    count,
    from,
    accountId = tenantId,
    everySeconds = 1,
  }: { tenantId: string; count: number; from: Date; accountId?: string; everySeconds?: number },
): Promise<void> {
  await db.query(TRADES, [tenantId, count, from, everySeconds, accountId])
  await db.query(ITEMS, [tenantId])
  await db.script('analyze trades.trade; analyze trades.item')
}
