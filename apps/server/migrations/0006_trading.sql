-- Trades: what was bought for whom, where each item stands, and the orders placed at suppliers.
create schema trading;

-- The order of this list is the state machine's: the least of an unfinished trade's items is its status,
-- and when all are terminal the first of completed, reverted, declined, canceled, failed that any has.
create type trading.status as enum
  ('initiated', 'pending', 'active', 'hold', 'completed', 'reverted', 'declined', 'canceled', 'failed');

-- The administrator's switch. One row.
create table trading.switch (
  only_row boolean not null default true,
  paused boolean not null default false,
  reason text,
  changed_at timestamptz not null default now(),
  constraint switch_pkey primary key (only_row),
  constraint switch_only_row check (only_row)
);
insert into trading.switch default values;

create table trading.trade (
  id uuid not null default uuidv7(),
  type text not null,
  merchant_id uuid not null,
  account_id uuid not null,
  platform_id text not null,
  trade_url text not null,
  external_id text,
  request_hash bytea not null,
  game text not null,
  currency ledger.currency not null,
  usd_per_eur_micros bigint,
  status trading.status not null,
  item_count smallint not null,
  total bigint not null,
  first_total bigint,
  request_id uuid,
  -- What lists and figures need of a sell, whose items are not here. Null in every buy.
  sold_names text[],
  sell_offer_ids text[],
  merchant_earned bigint,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint trade_pkey primary key (id),
  constraint trade_type_known check (type in ('buy', 'sell')),
  constraint trade_total_positive check (total > 0),
  constraint trade_rate_locked check (currency = 'USD' or usd_per_eur_micros > 0)
) with (fillfactor = 80);
comment on column trading.trade.total is 'cents of the wallet''s currency: the sum of its items'' prices';
comment on column trading.trade.first_total is 'what the buyer was told when the trade was made, cents; null while total says the same';
comment on column trading.trade.usd_per_eur_micros is 'US dollars for one euro in millionths, locked when the trade was made; null where no euro is involved';
comment on column trading.trade.request_hash is 'SHA-256 of the request: a replay under one external id must bring the same';
comment on column trading.trade.sold_names is 'market hash names of a sell''s items';
comment on column trading.trade.sell_offer_ids is 'platform offers that carry a sell''s items';
comment on column trading.trade.merchant_earned is 'cents of the merchant''s earnings wallet that a sell brought; of a buy its items say it';
create unique index trade_replay on trading.trade (merchant_id, external_id, account_id) where external_id is not null;
create index trade_of_merchant on trading.trade (merchant_id, id);
create index trade_of_account on trading.trade (account_id, id);
create index trade_of_sell_offer on trading.trade using gin (sell_offer_ids) where sell_offer_ids is not null;

create table trading.item (
  id uuid not null default uuidv7(),
  trade_id uuid not null,
  position smallint not null,
  external_id text,
  listing_id bigint not null,
  market text not null,
  raw_listing_id text not null,
  catalog_item_id text not null,
  description jsonb not null,
  sourcing_mills bigint not null,
  sourcing bigint not null,
  house_fee bigint not null,
  merchant_fee bigint not null,
  price bigint not null,
  status trading.status not null default 'initiated',
  offer_id text,
  failure_code text,
  failure_detail text,
  reverted_by text,
  refunded bigint,
  penalty bigint,
  merchant_earned bigint,
  hold_ends_at timestamptz,
  settled_at timestamptz,
  created_at timestamptz not null,
  status_at timestamptz not null,
  work text not null default 'place',
  due_at timestamptz not null,
  attempt smallint not null default 1,
  hold_id uuid,
  constraint item_pkey primary key (id),
  constraint item_trade foreign key (trade_id) references trading.trade (id),
  constraint item_price_adds_up check (price = sourcing + house_fee + merchant_fee),
  constraint item_amounts_not_negative check (sourcing > 0 and house_fee >= 0 and merchant_fee >= 0 and sourcing_mills > 0),
  constraint item_refund_adds_up check (refunded + penalty = price),
  constraint item_work_known check (work in ('place', 'follow', 'none')),
  constraint item_done_has_no_work check ((status >= 'completed') = (work = 'none')),
  constraint item_failure_explained check (failure_code is null or status in ('failed', 'declined')),
  constraint item_reverter_known check ((status = 'reverted') = (reverted_by is not null) and reverted_by in ('supplier', 'user'))
) with (fillfactor = 70);
comment on column trading.item.sourcing_mills is 'what the supplier asked when the buy was accepted, 1/1000 USD; the ceiling of the order';
comment on column trading.item.sourcing is 'cents of the wallet''s currency, like house_fee, merchant_fee, price, refunded and penalty';
comment on column trading.item.merchant_earned is 'cents of the merchant''s earnings wallet, set when settled';
comment on column trading.item.work is 'the queue it waits in: place (no order yet), follow (an order may exist), none (terminal)';
comment on column trading.item.due_at is 'when a worker looks at it next; a claim moves it into the future, which is its lease';
comment on column trading.item.attempt is 'which listing this is: 1 for the one that was bought, one more for each that took its place';
comment on column trading.item.hold_id is 'its hold in the ledger, where that is not the item''s own id: a replacement at another price has a new one';
-- Invariant 6: one live purchase for a listing.
create unique index item_one_live_purchase on trading.item (listing_id)
  where status in ('initiated', 'pending', 'active', 'hold', 'completed');
create index item_of_trade on trading.item (trade_id);
create index item_due on trading.item (market, work, due_at) where work <> 'none';
create index item_offer on trading.item (offer_id) where offer_id is not null;

-- The intent to buy at a supplier, committed before the supplier is called. One for an item; a
-- quick-buy that is given another listing begins another (0007).
create table trading.supplier_order (
  item_id uuid not null,
  market text not null,
  custom_id text not null,
  state text not null,
  sent_at timestamptz not null,
  order_id text,
  paid_mills bigint,
  misses smallint not null default 0,
  missed_since timestamptz,
  offer_seen boolean not null default false,
  acceptance_seen boolean not null default false,
  review boolean not null default false,
  detail text,
  cancel_requested_at timestamptz,
  constraint supplier_order_pkey primary key (item_id),
  constraint supplier_order_item foreign key (item_id) references trading.item (id),
  constraint supplier_order_custom_id unique (custom_id),
  constraint supplier_order_state_known check (state in ('placing', 'not_sent', 'unknown', 'placed', 'refused', 'absent', 'orphan'))
) with (fillfactor = 70);
comment on column trading.supplier_order.state is 'placing: the call may be under way; unknown: its answer was lost; absent: look-ups proved that no order exists; orphan: it turned up after all';
comment on column trading.supplier_order.misses is 'look-ups in a row that did not find it, the first at missed_since';
comment on column trading.supplier_order.cancel_requested_at is 'when the supplier was first asked to cancel; committed before the call';
-- For a day after an order was given up as absent it is looked for: an orphan purchase costs real money.
create index supplier_order_watch on trading.supplier_order (market, sent_at) where state = 'absent';
-- Orders of a window are compared with the supplier's statement of it. Written by workers only, so no buy
-- pays for it.
create index supplier_order_sent on trading.supplier_order (market, sent_at);

-- The only steps that exist. The same table stands in modules/trading/trade.ts; a test compares them.
create table trading.transition (
  from_status trading.status not null,
  to_status trading.status not null,
  constraint transition_pkey primary key (from_status, to_status)
);
insert into trading.transition values
  ('initiated', 'pending'), ('initiated', 'failed'), ('initiated', 'canceled'),
  ('pending', 'active'), ('pending', 'failed'), ('pending', 'canceled'),
  ('active', 'hold'), ('active', 'declined'), ('active', 'failed'), ('active', 'canceled'),
  ('hold', 'completed'), ('hold', 'reverted');

-- One row a step, in the statement that takes it. The beginning is not here: it is the trade's, and a buy
-- has no statement to spare.
create table trading.item_step (
  trade_id uuid not null,
  id bigint not null generated always as identity,
  item_id uuid not null,
  what text not null,
  status trading.status not null,
  at timestamptz not null,
  offer_id text,
  failure_code text,
  price bigint not null,
  constraint item_step_pkey primary key (trade_id, id),
  constraint item_step_what_known check (what in ('moved', 'cancel_requested', 'replaced'))
);
comment on column trading.item_step.status is 'where the item stood after it';
comment on column trading.item_step.price is 'cents of the wallet''s currency: the item''s price after it';

-- Accepts a buy: trade, items, escrow and event in one commit. A known external id answers the first
-- trade. Refusals are raised, so that nothing of the buy remains:
--   PT503 trading is paused · PT409 external id reused with another request
--   PT410 a listing is gone, taken or dearer (DETAIL: its id) · 23514 no_overdraft
create function trading.place_buy(
  merchant_id_ uuid, account_id_ uuid, platform_id_ text, trade_url_ text, external_id_ text,
  request_hash_ bytea, game_ text, currency_ ledger.currency, usd_per_eur_micros_ bigint, request_id_ uuid,
  at_ timestamptz, external_ids_ text[], listing_ids_ bigint[], markets_ text[], raw_listing_ids_ text[],
  catalog_item_ids_ text[], descriptions_ jsonb[], sourcing_mills_ bigint[], sourcing_ bigint[],
  house_fees_ bigint[], merchant_fees_ bigint[],
  out trade_id uuid, out replayed boolean, out item_count smallint, out total bigint, out created_at timestamptz)
language plpgsql as $$
declare
  first_hash bytea;
  listing record;
  journal_id_ uuid;
  item_ids_ uuid[];
  prices_ bigint[];
begin
  if (select paused from trading.switch) then
    raise exception 'trading is paused' using errcode = 'PT503';
  end if;
  replayed := false;
  item_count := cardinality(listing_ids_);
  created_at := at_;
  select sum(s + h + m) into total from unnest(sourcing_, house_fees_, merchant_fees_) fee (s, h, m);

  insert into trading.trade as t (type, merchant_id, account_id, platform_id, trade_url, external_id,
      request_hash, game, currency, usd_per_eur_micros, status, item_count, total, request_id, created_at, updated_at)
    values ('buy', merchant_id_, account_id_, platform_id_, trade_url_, external_id_, request_hash_, game_,
      currency_, usd_per_eur_micros_, 'initiated', place_buy.item_count, place_buy.total, request_id_, at_, at_)
    on conflict (merchant_id, external_id, account_id) where external_id is not null do nothing
    returning t.id into trade_id;
  if trade_id is null then
    select t.id, t.request_hash, t.item_count, t.total, t.created_at
      into strict trade_id, first_hash, item_count, total, created_at
      from trading.trade t
      where t.merchant_id = merchant_id_ and t.external_id = external_id_ and t.account_id = account_id_;
    if first_hash <> request_hash_ then
      raise exception 'external id reused with another request' using errcode = 'PT409';
    end if;
    replayed := true;
    return;
  end if;

  -- In the order of their ids: two baskets with the same listings cannot wait for each other in a ring.
  for listing in
    select * from unnest(listing_ids_, sourcing_mills_) wanted (id, mills) order by id
  loop
    if not catalog.take_listing(listing.id, listing.mills) then
      raise exception 'listing % is gone, taken or dearer', listing.id
        using errcode = 'PT410', detail = listing.id::text;
    end if;
  end loop;

  journal_id_ := (ledger.post('buy', trade_id, account_id_, 'buy:' || trade_id, request_hash_, at_,
    array[currency_], array[ledger.account_of(account_id_, 'spot')], array[ledger.account_of(account_id_, 'escrow')],
    array[total], external_id_)).journal_id;
  with item as (
    insert into trading.item (trade_id, position, external_id, listing_id, market, raw_listing_id, catalog_item_id,
        description, sourcing_mills, sourcing, house_fee, merchant_fee, price, created_at, status_at, due_at)
      select place_buy.trade_id, i.position, i.external_id, i.listing_id, i.market, i.raw_listing_id, i.catalog_item_id,
        i.description, i.mills, i.sourcing, i.house_fee, i.merchant_fee, i.sourcing + i.house_fee + i.merchant_fee,
        at_, at_, at_
      from unnest(external_ids_, listing_ids_, markets_, raw_listing_ids_, catalog_item_ids_, descriptions_,
          sourcing_mills_, sourcing_, house_fees_, merchant_fees_) with ordinality
        i (external_id, listing_id, market, raw_listing_id, catalog_item_id, description, mills, sourcing,
          house_fee, merchant_fee, position)
      returning id, price)
  select array_agg(item.id), array_agg(item.price) into item_ids_, prices_ from item;
  perform ledger.place_holds(journal_id_, account_id_, item_ids_, prices_);
  perform outbox.add('trade.initiated', 'trade', merchant_id_, account_id_, trade_id, '{}', trade_id, at_);
end $$;

-- One step of one item: state, money and events in one commit. Answers false, and changes nothing, when
-- the item no longer stands in `from_`: somebody else has moved it.
create function trading.move_item(
  item_id_ uuid, from_ trading.status, to_ trading.status, at_ timestamptz, next_due_at_ timestamptz,
  offer_id_ text, hold_ends_at_ timestamptz, failure_code_ text, failure_detail_ text, reverted_by_ text,
  penalty_ bigint) returns boolean
language plpgsql as $$
declare
  trade_ trading.trade;
  item_ trading.item;
  earned_ bigint;
  status_ trading.status;
  escrow_ bigint;
begin
  -- Every step of a trade is taken under its row lock: events of one trade are in order of their ids.
  select t.* into trade_ from trading.trade t
    where t.id = (select i.trade_id from trading.item i where i.id = item_id_) for no key update;
  if trade_.id is null then return false; end if;
  if not exists (select from trading.transition where from_status = from_ and to_status = to_) then
    raise exception 'there is no step from % to %', from_, to_ using errcode = 'PT500';
  end if;
  if (to_ >= 'completed') then next_due_at_ := at_; end if;

  update trading.item i set
      status = to_, status_at = at_, due_at = next_due_at_,
      work = case when to_ >= 'completed' then 'none' else 'follow' end,
      offer_id = coalesce(offer_id_, i.offer_id),
      hold_ends_at = coalesce(hold_ends_at_, i.hold_ends_at),
      failure_code = failure_code_, failure_detail = failure_detail_, reverted_by = reverted_by_,
      penalty = case when to_ in ('failed', 'canceled', 'declined', 'reverted') then penalty_ end,
      refunded = case when to_ in ('failed', 'canceled', 'declined', 'reverted') then i.price - penalty_ end,
      settled_at = case when to_ = 'completed' then at_ end
    where i.id = item_id_ and i.status = from_
    returning i.* into item_;
  if item_.id is null then return false; end if;
  insert into trading.item_step (trade_id, item_id, what, status, at, offer_id, failure_code, price)
    values (trade_.id, item_.id, 'moved', to_, at_, item_.offer_id, failure_code_, item_.price);

  if to_ >= 'completed' then
    escrow_ := ledger.account_of(trade_.account_id, 'escrow');
    if to_ = 'completed' then
      earned_ := trading.capture(trade_, item_, escrow_, at_);
      update trading.item set merchant_earned = earned_ where id = item_.id;
      perform catalog.record_sale(item_.catalog_item_id, trading.to_usd(item_.sourcing, trade_.currency, trade_.usd_per_eur_micros), at_);
    else
      perform trading.refund(trade_, item_, escrow_, at_);
      -- Gone at the supplier means gone; otherwise somebody else may buy it. What a quick-buy could not
      -- replace was dealt with when it was tried.
      if coalesce(item_.failure_code, '') not in ('LISTING_UNAVAILABLE', 'NO_LISTING_AT_PRICE') and to_ in ('failed', 'canceled') then
        perform catalog.release_listing(item_.listing_id);
      end if;
    end if;
  end if;

  select min(i.status) into status_ from trading.item i where i.trade_id = trade_.id;
  update trading.trade set status = status_, updated_at = at_ where id = trade_.id;
  if status_ <> trade_.status then perform trading.tell(trade_, status_, at_); end if;
  if to_ in ('failed', 'canceled', 'declined', 'reverted') then
    perform outbox.add('trade.refunded', 'trade', trade_.merchant_id, trade_.account_id, trade_.id,
      jsonb_build_object('itemId', item_.id, 'externalId', item_.external_id,
        'buyerFault', to_ = 'declined' or coalesce(reverted_by_ = 'user', false),
        'refundedUsdCents', trading.to_usd(item_.refunded, trade_.currency, trade_.usd_per_eur_micros),
        'penaltyUsdCents', trading.to_usd(item_.penalty, trade_.currency, trade_.usd_per_eur_micros)),
      item_.id, at_);
  end if;
  return true;
end $$;

-- Half up; what is in USD already stays.
create function trading.to_usd(cents_ bigint, currency_ ledger.currency, usd_per_eur_micros_ bigint) returns bigint
language sql immutable as $$
  select case currency_ when 'USD' then cents_
    else trunc((2 * cents_::numeric * usd_per_eur_micros_ + 1000000) / 2000000)::bigint end $$;

-- The escrow of a completed item goes to the supplier's account, the house and the merchant; answers what
-- the merchant earned, cents of its earnings wallet.
create function trading.capture(trade_ trading.trade, item_ trading.item, escrow_ bigint, at_ timestamptz) returns bigint
language plpgsql as $$
declare
  earnings record;
  earned_ bigint := 0;
  journal_id uuid;
  currencies ledger.currency[] := array[trade_.currency];
  debits bigint[] := array[escrow_];
  credits bigint[] := array[ledger.house('supplier_prefund', trade_.currency)];
  amounts bigint[] := array[item_.sourcing];
begin
  if item_.house_fee > 0 then
    currencies := currencies || trade_.currency; debits := debits || escrow_;
    credits := credits || ledger.house('house_revenue', trade_.currency); amounts := amounts || item_.house_fee;
  end if;
  if item_.merchant_fee > 0 then
    select id, currency into strict earnings from ledger.earnings_of(trade_.merchant_id);
    if earnings.currency = trade_.currency then
      earned_ := item_.merchant_fee;
      currencies := currencies || trade_.currency; debits := debits || escrow_;
      credits := credits || earnings.id; amounts := amounts || earned_;
    else
      -- Rounded down in the merchant's currency; the rest stays in the exchange account.
      earned_ := case when trade_.currency = 'EUR' then trunc(item_.merchant_fee::numeric * trade_.usd_per_eur_micros / 1000000)
                      else trunc(item_.merchant_fee::numeric * 1000000 / trade_.usd_per_eur_micros) end;
      currencies := currencies || trade_.currency; debits := debits || escrow_;
      credits := credits || ledger.house('exchange', trade_.currency); amounts := amounts || item_.merchant_fee;
      if earned_ > 0 then
        currencies := currencies || earnings.currency; debits := debits || ledger.house('exchange', earnings.currency);
        credits := credits || earnings.id; amounts := amounts || earned_;
      end if;
    end if;
  end if;
  journal_id := (ledger.post('settle', item_.id, trade_.account_id, 'settle:' || item_.id, uuid_send(item_.id), at_,
    currencies, debits, credits, amounts, trade_.external_id)).journal_id;
  perform ledger.resolve_holds(journal_id, array[coalesce(item_.hold_id, item_.id)], array[item_.price], array[0::bigint], array[0::bigint]);
  return earned_;
end $$;

-- The escrow of an item that will not come goes back, less the penalty.
create function trading.refund(trade_ trading.trade, item_ trading.item, escrow_ bigint, at_ timestamptz) returns void
language plpgsql as $$
declare
  journal_id uuid;
  debits bigint[] := '{}';
  credits bigint[] := '{}';
  amounts bigint[] := '{}';
begin
  if item_.refunded > 0 then
    debits := debits || escrow_; credits := credits || ledger.account_of(trade_.account_id, 'spot');
    amounts := amounts || item_.refunded;
  end if;
  if item_.penalty > 0 then
    debits := debits || escrow_; credits := credits || ledger.house('penalty_income', trade_.currency);
    amounts := amounts || item_.penalty;
  end if;
  journal_id := (ledger.post('refund', item_.id, trade_.account_id, 'refund:' || item_.id, uuid_send(item_.id), at_,
    array_fill(trade_.currency, array[cardinality(debits)]), debits, credits, amounts, trade_.external_id)).journal_id;
  perform ledger.resolve_holds(journal_id, array[coalesce(item_.hold_id, item_.id)], array[0::bigint], array[item_.refunded],
    array[item_.penalty]);
end $$;

-- The news that a trade's status changed, with the settlement that a completed one brings.
create function trading.tell(trade_ trading.trade, status_ trading.status, settlement_ jsonb, at_ timestamptz) returns void
language plpgsql as $$
begin
  perform outbox.add('trade.' || status_, 'trade', trade_.merchant_id, trade_.account_id, trade_.id, settlement_,
    trade_.id, at_);
  if status_ = 'completed' then
    perform outbox.add('trade.settled', 'trade', trade_.merchant_id, trade_.account_id, trade_.id, settlement_,
      trade_.id, at_);
  end if;
end $$;

-- The news that a trade's status changed; a completed buy brings its settlement.
create function trading.tell(trade_ trading.trade, status_ trading.status, at_ timestamptz) returns void
language plpgsql as $$
declare settlement jsonb := '{}';
begin
  if status_ = 'completed' then
    select jsonb_build_object('houseFeeCents', sum(house_fee), 'merchantFeeCents', sum(merchant_fee)) into settlement
      from trading.item where trade_id = trade_.id and status = 'completed';
  end if;
  perform trading.tell(trade_, status_, settlement, at_);
end $$;

-- Cancels an item for which no worker has committed an intent: nothing of it can be at a supplier. A claim
-- and this lock one another out on the item's row. False when a worker was quicker, or it stands elsewhere.
create function trading.cancel_unplaced(item_id_ uuid, at_ timestamptz) returns boolean
language plpgsql as $$
begin
  -- The trade's row first, as every step does.
  perform from trading.trade t where t.id = (select i.trade_id from trading.item i where i.id = item_id_) for no key update;
  perform from trading.item i where i.id = item_id_ and i.status = 'initiated' and i.work = 'place' for update;
  if not found then return false; end if;
  return trading.move_item(item_id_, 'initiated', 'canceled', at_, at_, null, null, null, null, null, 0);
end $$;

-- Notes, before the suppliers are called, that these placed orders are to be canceled. Once is enough.
create function trading.request_cancel(item_ids_ uuid[], at_ timestamptz) returns void
language sql as $$
  with noted as (
    update trading.supplier_order o set cancel_requested_at = at_
      where o.item_id = any (item_ids_) and o.cancel_requested_at is null returning o.item_id)
  insert into trading.item_step (trade_id, item_id, what, status, at, offer_id, price)
    select i.trade_id, i.id, 'cancel_requested', i.status, at_, i.offer_id, i.price
    from noted join trading.item i on i.id = noted.item_id
$$;

-- ---------------------------------------------------------------- doors for sells

-- Opens a sell with its first news. A known external id answers the first trade, as with a buy:
--   PT503 trading is paused · PT409 external id reused with another request
create function trading.open_sell(
  merchant_id_ uuid, account_id_ uuid, platform_id_ text, trade_url_ text, external_id_ text,
  request_hash_ bytea, game_ text, currency_ ledger.currency, usd_per_eur_micros_ bigint, request_id_ uuid,
  at_ timestamptz, names_ text[], total_ bigint,
  out trade_id uuid, out replayed boolean, out item_count smallint, out total bigint, out created_at timestamptz)
language plpgsql as $$
declare first_hash bytea;
begin
  if (select paused from trading.switch) then
    raise exception 'trading is paused' using errcode = 'PT503';
  end if;
  replayed := false;
  item_count := cardinality(names_);
  total := total_;
  created_at := at_;
  insert into trading.trade as t (type, merchant_id, account_id, platform_id, trade_url, external_id,
      request_hash, game, currency, usd_per_eur_micros, status, item_count, total, request_id, created_at,
      updated_at, sold_names)
    values ('sell', merchant_id_, account_id_, platform_id_, trade_url_, external_id_, request_hash_, game_,
      currency_, usd_per_eur_micros_, 'initiated', open_sell.item_count, total_, request_id_, at_, at_, names_)
    on conflict (merchant_id, external_id, account_id) where external_id is not null do nothing
    returning t.id into trade_id;
  if trade_id is null then
    select t.id, t.request_hash, t.item_count, t.total, t.created_at
      into strict trade_id, first_hash, item_count, total, created_at
      from trading.trade t
      where t.merchant_id = merchant_id_ and t.external_id = external_id_ and t.account_id = account_id_;
    if first_hash <> request_hash_ then
      raise exception 'external id reused with another request' using errcode = 'PT409';
    end if;
    replayed := true;
    return;
  end if;
  perform outbox.add('trade.initiated', 'trade', merchant_id_, account_id_, trade_id, '{}', trade_id, at_);
end $$;

-- The sell behind a step, locked: as with buys, every step of a trade is taken under its row lock.
create function trading.lock_sell(trade_id_ uuid)
  returns table (merchant_id uuid, account_id uuid, external_id text, currency ledger.currency, usd_per_eur_micros bigint)
language sql as $$
  select t.merchant_id, t.account_id, t.external_id, t.currency, t.usd_per_eur_micros
  from trading.trade t where t.id = trade_id_ and t.type = 'sell' for no key update $$;

-- What a step of its items makes of a sell: its status with its news, the offer that carries items, and
-- what the merchant earned. The caller holds the row (lock_sell).
create function trading.set_sell(
  trade_id_ uuid, status_ trading.status, settlement_ jsonb, offer_id_ text, earned_ bigint, at_ timestamptz) returns void
language plpgsql as $$
declare trade_ trading.trade;
begin
  select t.* into strict trade_ from trading.trade t where t.id = trade_id_ and t.type = 'sell';
  update trading.trade t set status = status_, updated_at = at_,
      sell_offer_ids = case when offer_id_ is null or offer_id_ = any (t.sell_offer_ids) then t.sell_offer_ids
        else array_append(t.sell_offer_ids, offer_id_) end,
      merchant_earned = case when earned_ > 0 then coalesce(t.merchant_earned, 0) + earned_ else t.merchant_earned end
    where t.id = trade_id_;
  if status_ <> trade_.status then perform trading.tell(trade_, status_, settlement_, at_); end if;
end $$;

-- What became of each item of a sell when: the same table that tells it of a buy.
create function trading.note_sell_steps(
  trade_id_ uuid, item_ids_ uuid[], status_ trading.status, at_ timestamptz, offer_ids_ text[],
  failure_code_ text, prices_ bigint[]) returns void
language sql as $$
  insert into trading.item_step (trade_id, item_id, what, status, at, offer_id, failure_code, price)
    select trade_id_, step.item_id, 'moved', status_, at_, step.offer_id, failure_code_, step.price
    from unnest(item_ids_, offer_ids_, prices_) with ordinality step (item_id, offer_id, price, position)
    order by step.position
$$;

-- For the auditor of sells.
create function trading.sells()
  returns table (trade_id uuid, account_id uuid, currency ledger.currency, status trading.status, item_count smallint, total bigint)
language sql stable as $$
  select id, account_id, currency, status, item_count, total from trading.trade where type = 'sell' $$;

-- The auditor of trades: a row for each broken promise.
create function trading.audit() returns table (invariant text, detail text)
language sql stable as $$
  select 'a trade''s total is the sum of its items', t.id::text
    from trading.trade t join trading.item i on i.trade_id = t.id
    group by t.id having sum(i.price) <> t.total or count(*) <> t.item_count
  union all
  select 'a trade''s status follows from its items', t.id::text
    from trading.trade t join trading.item i on i.trade_id = t.id
    group by t.id having min(i.status) <> t.status
  union all
  select 'an item has one hold of its price, resolved when and only when it is terminal', i.id::text
    from trading.item i left join ledger.hold_of(coalesce(i.hold_id, i.id)) h on true
    where h.amount is distinct from i.price or h.resolved <> (i.status >= 'completed')
  union all
  select 'a refunded item''s resolution says what the item says', i.id::text
    from trading.item i left join ledger.hold_of(coalesce(i.hold_id, i.id)) h on true
    where h.resolved and (coalesce(i.refunded, 0) <> h.refunded or coalesce(i.penalty, 0) <> h.penalty)
  union all
  select 'a trade has the event of its beginning', t.id::text
    from trading.trade t where not outbox.has_event('trade.initiated', t.id)
  union all
  select 'an ended trade has the event of its end', t.id::text
    from trading.trade t where t.status >= 'completed' and not outbox.has_event('trade.' || t.status, t.id)
  union all
  select 'a placed item has an order', i.id::text
    from trading.item i where i.status in ('pending', 'active', 'hold', 'completed')
      and not exists (select from trading.supplier_order o where o.item_id = i.id and o.state = 'placed')
$$;
