// An installation of the first release that is full of trades: a merchant with a thousand sub-users, and what
// each of their trades has left in the books, in events, deliveries and attempts, and in calls to markets.
import pg from 'pg'
import { accountsSql } from '../../bench/installation/accounts.ts'
import { runScript } from '../../bench/installation/installation.ts'
import { seedTrades } from '../../bench/installation/trades.ts'

const BUYERS = 1000
const CHUNK = 100_000

export async function fillInstallation(
  url: string,
  { trades, say }: { readonly trades: number; readonly say: (text: string) => void },
): Promise<void> {
  await runScript(
    url,
    MERCHANT,
    accountsSql({ kind: 'sub_user', below: 'merchant', count: BUYERS }),
  )
  await runScript(url, MARKETS)
  await seedTrades(url, { count: trades, buyers: BUYERS, say })
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('set session_replication_role = replica; set synchronous_commit = off')
    for (let from = 0; from < trades; from += CHUNK) {
      for (const text of LEFT) await client.query(text, [from, CHUNK])
    }
    say(`what ${trades.toLocaleString('en')} trades leave is written`)
    await client.query('vacuum analyze')
  } finally {
    await client.end()
  }
}

const MERCHANT = `
  insert into identity.account (id, kind, currency, email, fee_bps, buy_fee_bps, sell_fee_bps, created_at, updated_at)
    values (uuidv7(), 'merchant', 'USD', 'merchant@shop.example', 500, 0, 0, now(), now());
  insert into webhooks.endpoint (tenant_id, url, secret_sealed, proven_at, created_at, updated_at)
    select id, 'https://shop.example/hooks', 'sealed', now(), now(), now() from identity.account where kind = 'merchant';`

/** What is for sale; no worker has measured the queues. */
const MARKETS = `
  update buying.setting set waiting_limit = null;
  update catalog.market set online = true, enabled = true;
  insert into catalog.item (id, game, market_hash_name, name, type, item_type, rarity, rarity_color, category, icon_url,
      def_index, reference_price_mills, volume, changed_seq)
    select lpad(to_hex(n), 16, '0'), 'cs2', 'AK-47 | Redline ' || n, 'AK-47 | Redline ' || n, 'Rifle', 'weapon',
      'Classified', '#d32ce6', 'normal', 'https://items.example/' || n, 7, 10000, 10, n from generate_series(1, 500) n;
  insert into catalog.listing (market, raw_id, item_id, price_mills, delivery, sticker_count, details, live, changed_at,
      changed_seq)
    select market, 'raw-' || n, lpad(to_hex(n), 16, '0'), 9000 + n, 'instant', 0, '{}', true, now(), n
    from unnest(array['market_a', 'market_b']) market, generate_series(1, 500) n;`

/** Beside what `seedTrades` writes, of the next trades by the order of their events. */
const LEFT = [
  `insert into buying.supplier_order (item_id, market, custom_id, state, sent_at, order_id, paid_mills, undone_at)
   select id, market, id::text, 'placed', created_at, id::text, sourcing_mills, created_at from (
     select * from buying.item order by id offset $1 limit $2) i`,
  `insert into reconciliation.supplier_call (market, custom_id, operation, started_at, duration_ms, outcome, answer)
   select market, id::text, 'place', created_at, 12, 'accepted', '{"orderId": "1"}' from (
     select * from buying.item order by id offset $1 limit $2) i, generate_series(1, 4)`,
  `insert into webhooks.delivery (endpoint_id, event_id, webhook_id, event_type, tenant_id, account_id, subject_id, payload,
     status, attempts, due_at, created_at, finished_at)
   select w.id, e.id, e.public_id, e.type, e.tenant_id, e.account_id, e.subject_id, e.payload, 'delivered', 1, e.created_at,
     e.created_at, e.created_at
   from outbox.event e join webhooks.endpoint w on w.tenant_id = e.tenant_id where e.id > 3 * $1 and e.id <= 3 * ($1 + $2)
   order by e.id`,
  `insert into webhooks.attempt (delivery_id, number, manual, started_at, duration_ms, request_headers, request_body,
     response_status)
   select d.id, 1, false, d.created_at, 12, '{"webhook-id": "x"}', repeat('x', 300), 204
   from webhooks.delivery d where d.event_id > 3 * $1 and d.event_id <= 3 * ($1 + $2) order by d.event_id`,
]
