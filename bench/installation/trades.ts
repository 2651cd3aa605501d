// Trades by the million, written as sets. Each was accepted and then canceled: its money went into escrow
// and came back, its events were sent. The books pass the audits of ledger and trades.
import type { Say } from '../rounds.ts'
import { BUYERS } from './buyers.ts'
import { runScript, withClient } from './installation.ts'

const CHUNK = 100_000

export interface SeededTrades {
  readonly count: number
  /** The accounts that buy in turn. */
  readonly buyers?: number
  /** Between two of them. */
  readonly everySeconds?: number
}

/** Into a database that has the buyers and no trade yet. */
export async function seedTrades(
  url: string,
  { count, say, buyers = BUYERS, everySeconds = 1 }: SeededTrades & { readonly say: Say },
): Promise<void> {
  await runScript(url, PREPARE)
  for (let from = 0; from < count; from += CHUNK) {
    const to = Math.min(count, from + CHUNK)
    // The triggers of the books would compute, one posting at a time, what the formulas below say at
    // once; the audit at the end of a row compares.
    await withClient(url, async (client) => {
      await client.query('set session_replication_role = replica; set synchronous_commit = off')
      await client.query(`begin; ${drawSql({ from, to, count, buyers, everySeconds })}`)
      for (const text of WRITES) await client.query(text)
      await client.query('drop table drawn; commit')
    })
    if (count > CHUNK) say(`${to.toLocaleString('en')} trades are written`)
  }
  await withClient(url, async (client) => {
    await client.query('set session_replication_role = replica')
    await client.query(BALANCES, [count, buyers])
    await client.query('drop schema bench cascade')
  })
  await runScript(url, 'checkpoint', 'vacuum analyze')
}

// Buyers by number, and a thousand things that were bought, half at each market, described as by a buy.
const PREPARE = `
  create schema bench;
  create unlogged table bench.buyer as
    select row_number() over (order by a.external_id) - 1 nth, a.id, a.parent_id merchant_id,
      t.url, t.platform_id, spot.id spot, escrow.id escrow, b.posted
    from identity.account a
    join identity.trade_url t on t.account_id = a.id and t.is_primary
    join ledger.account spot on spot.owner_id = a.id and spot.kind = 'spot'
    join ledger.account escrow on escrow.owner_id = a.id and escrow.kind = 'escrow'
    join ledger.balance b on b.account_id = spot.id
    where a.external_id like 'bench-%';
  create unlogged table bench.bought as
    select row_number() over (order by l.of_market, l.market) - 1 nth, l.id listing_id, l.market, l.raw_id, l.item_id,
      l.price_mills mills, (l.price_mills + 9) / 10 sourcing,
      jsonb_build_object('name', i.name, 'marketHashName', i.market_hash_name, 'type', i.type,
        'iconUrl', i.icon_url, 'exterior', i.exterior, 'rarity', i.rarity, 'color', i.rarity_color,
        'phase', i.phase, 'wear', l.wear_text, 'paintSeed', l.paint_seed,
        'stickers', coalesce(l.details -> 'stickers', '[]'), 'charm', l.details -> 'charm',
        'delivery', l.delivery) description
    from (
      select * from (
        select *, row_number() over (partition by market order by id) of_market from catalog.listing where live) every_one
      where of_market <= 500) l
    join catalog.item i on i.id = l.item_id;
  analyze bench.buyer; analyze bench.bought;`

/** Trade n belongs to buyer n mod `buyers`, whose (n div `buyers`)th it is; the last one is of now. */
const drawSql = ({
  buyers,
  everySeconds,
  ...range
}: Required<SeededTrades> & { from: number; to: number }): string => `
  create temp table drawn as
    select n, n / ${buyers} of_buyer,
      uuidv7(make_interval(secs => (n - ${range.count}) * ${everySeconds})) trade_id,
      uuidv7(make_interval(secs => (n - ${range.count}) * ${everySeconds})) item_id,
      uuidv7(make_interval(secs => (n - ${range.count}) * ${everySeconds})) bought_in,
      uuidv7(make_interval(secs => (n - ${range.count}) * ${everySeconds})) refunded_in,
      date_trunc('milliseconds', now()) + make_interval(secs => (n - ${range.count}) * ${everySeconds}) as at,
      buyer.id account_id, buyer.merchant_id, buyer.url, buyer.platform_id, buyer.spot, buyer.escrow,
      buyer.posted, bought.listing_id, bought.market, bought.raw_id, bought.item_id catalog_item_id,
      bought.description, bought.mills, bought.sourcing, bought.sourcing / 20 fee,
      bought.sourcing + bought.sourcing / 20 price
    from generate_series(${range.from}::bigint, ${range.to - 1}) n
    join bench.buyer on buyer.nth = n % ${buyers}
    join bench.bought on bought.nth = n % (select count(*) from bench.bought)
    order by n`

const WRITES = [
  `insert into trades.trade (id, type, tenant_id, account_id, platform_id, trade_url, external_id,
     request_hash, game, currency, status, item_count, total, created_at, updated_at)
   select trade_id, 'buy', merchant_id, account_id, platform_id, url, 'seed-' || n, '\\x00', 'cs2', 'USD',
     'canceled', 1, price, at, at from drawn order by n`,
  `insert into trades.item (id, trade_id, position, catalog_item_id, description, house_fee, merchant_fee,
     price, hold_id, status, refunded, penalty, status_at)
   select item_id, trade_id, 1, catalog_item_id, description, fee, 0, price, item_id, 'canceled', price, 0, at
   from drawn order by n`,
  `insert into buying.item (id, trade_id, tenant_id, account_id, listing_id, market, raw_listing_id,
     sourcing_mills, is_live, work, due_at, created_at)
   select item_id, trade_id, merchant_id, account_id, listing_id, market, raw_id, mills, false, 'none', at, at
   from drawn order by n`,
  `insert into ledger.journal (id, kind, ref_id, scope_id, idempotency_key, request_hash, created_at)
   select bought_in, 'buy', trade_id, account_id, 'buy:' || trade_id, '\\x00', at from drawn
   union all
   select refunded_in, 'refund', item_id, account_id, 'refund:' || item_id, uuid_send(item_id), at from drawn`,
  `insert into ledger.posting (journal_id, kind, currency, debit_account_id, credit_account_id, amount,
     debit_seq, debit_after, credit_seq, credit_after, external_ref, created_at)
   select bought_in, 'buy', 'USD'::ledger.currency, spot, escrow, price,
     2 * of_buyer + 2, posted - price, 2 * of_buyer + 1, price, 'seed-' || n, at from drawn
   union all
   select refunded_in, 'refund', 'USD'::ledger.currency, escrow, spot, price,
     2 * of_buyer + 2, 0, 2 * of_buyer + 3, posted, 'seed-' || n, at from drawn`,
  `insert into ledger.hold (id, owner_id, journal_id, amount)
   select item_id, account_id, bought_in, price from drawn`,
  `insert into ledger.hold_resolution (hold_id, amount, captured, refunded, penalty, journal_id)
   select item_id, price, 0, price, 0, refunded_in from drawn`,
  `insert into outbox.event (type, subject_type, tenant_id, account_id, subject_id, payload, dedupe_key, created_at,
     dispatched_at, position)
   select e.type, 'trade', merchant_id, account_id, trade_id,
     case e.type when 'trade.refunded' then jsonb_build_object('itemId', item_id, 'externalId', null,
       'buyerFault', false, 'refundedUsdCents', price, 'penaltyUsdCents', 0) else '{}' end,
     e.type || ':' || case e.type when 'trade.refunded' then item_id else trade_id end, at, at,
     nextval('outbox.event_position')
   from drawn, unnest(array['trade.initiated', 'trade.canceled', 'trade.refunded']) with ordinality e (type, nth)
   order by n, e.nth`,
  // A schema of the first release has no keys yet.
  `do $$ begin
     if to_regclass('outbox.event_key') is null then return; end if;
     insert into outbox.event_key (dedupe_id, type, public_id)
     select right(e.dedupe_key, 36)::uuid, e.type, e.public_id from drawn join outbox.event e on e.subject_id = drawn.trade_id;
   end $$`,
]

// Each of a buyer's trades moved both of its accounts twice and left them as they were.
const BALANCES = `
  with counted as (
    select spot, escrow, 2 * (($1::bigint - nth + $2::bigint - 1) / $2::bigint) moves from bench.buyer where nth < $2::bigint)
  update ledger.balance b set seq = b.seq + counted.moves
  from counted where b.account_id in (counted.spot, counted.escrow)`
