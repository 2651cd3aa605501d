-- Buying: items bought at upstream markets. The trade and what all items have in common are in schema
-- trades; here are the listing that an item takes, the queue that it waits in, and the orders at suppliers.
create schema buying;

select ledger.add_account_kind('supplier_prefund', false, false);
select ledger.add_account_kind('house_revenue', false, false);

create table buying.item (
  id uuid not null,
  trade_id uuid not null,
  tenant_id uuid not null,
  account_id uuid not null,
  listing_id bigint not null,
  market text not null,
  raw_listing_id text not null,
  sourcing_mills bigint not null,
  is_live boolean not null default true,
  work text not null default 'place',
  due_at timestamptz not null,
  attempt smallint not null default 1,
  held_by text,
  created_at timestamptz not null,
  constraint item_pkey primary key (id),
  constraint item_sourcing_positive check (sourcing_mills > 0),
  constraint item_work_known check (work in ('place', 'follow', 'none')),
  constraint item_given_back_has_no_work check (is_live or work = 'none')
) with (fillfactor = 70);
comment on table buying.item is 'id = the id of the item in schema trades';
comment on column buying.item.sourcing_mills is 'what the supplier asked when the buy was accepted, 1/1000 USD; the ceiling of the order';
comment on column buying.item.is_live is 'the listing is being bought or was bought; false once the item has failed, was canceled, declined or reverted';
comment on column buying.item.work is 'the queue it waits in: place (no order yet), follow (an order may exist), none (terminal)';
comment on column buying.item.due_at is 'when a worker looks at it next; a claim moves it into the future, which is its lease';
comment on column buying.item.attempt is 'which listing this is: 1 for the one that was bought, one more for each that took its place';
comment on column buying.item.held_by is 'the account of the platform that has it, while the delivery can be taken back';
-- Invariant 6: one live purchase for a listing.
create unique index item_one_live_purchase on buying.item (listing_id) where is_live;
create index item_of_trade on buying.item (trade_id);
-- An item is in one of the two at a time, so that a buy writes to one of them.
create index item_waiting on buying.item (market, tenant_id, account_id, created_at) where work = 'place';
create index item_followed on buying.item (market, due_at) where work = 'follow';
-- A reversal is looked for in all deliveries to its account. A buy does not write to it.
create index item_held on buying.item (held_by) where held_by is not null;
-- Orders that are looked up were taken by their age alone: a tenant with thousands of orders that move slowly had
-- everyone's looked at as seldom as its own.
create index item_followed_in_turn on buying.item (market, tenant_id, due_at) where work = 'follow';

-- How much a tenant may have waiting. One row.
create table buying.setting (
  only_row boolean not null default true,
  waiting_limit integer default 300,
  changed_at timestamptz not null default now(),
  constraint setting_pkey primary key (only_row),
  constraint setting_only_row check (only_row),
  constraint setting_waiting_limit_fits_a_quick_buy check (waiting_limit >= 200)
);
comment on column buying.setting.waiting_limit is 'items of one tenant at one market that are not placed yet, which its children share as buying.full_markets says; null: no limit';
insert into buying.setting default values;

-- How far the tenants and accounts with waiting items have come at a market: see buying.claim_placements.
create table buying.turn (
  market text not null,
  party_id uuid not null,
  passed double precision not null,
  constraint turn_pkey primary key (market, party_id)
) with (fillfactor = 50);
comment on column buying.turn.party_id is 'a tenant or one of its accounts; the nil id: the market itself';
comment on column buying.turn.passed is 'virtual time: of the market, that of the last turn given; of a tenant, the end of its last turn; of an account, the market''s when it was last served';

-- The intent to buy at a supplier, committed before the supplier is called. One for an item; a quick-buy
-- that is given another listing begins another.
create table buying.supplier_order (
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
  cancel_due_at timestamptz,
  undone_at timestamptz,
  watched_at timestamptz,
  constraint supplier_order_pkey primary key (item_id),
  constraint supplier_order_item foreign key (item_id) references buying.item (id),
  constraint supplier_order_custom_id unique (custom_id),
  constraint supplier_order_state_known check (state in ('placing', 'not_sent', 'unknown', 'placed', 'refused', 'absent', 'orphan'))
) with (fillfactor = 70);
comment on column buying.supplier_order.state is 'placing: the call may be under way; unknown: its answer was lost; absent: look-ups proved that no order exists; orphan: it turned up after all';
comment on column buying.supplier_order.misses is 'look-ups in a row that did not find it, the first at missed_since';
comment on column buying.supplier_order.cancel_requested_at is 'when the supplier was first asked to cancel; committed before the call';
comment on column buying.supplier_order.undone_at is 'when its item ended without a delivery, by the word of the supplier that had taken it';
comment on column buying.supplier_order.watched_at is 'when it was last looked for after its item had ended without it';
comment on column buying.supplier_order.cancel_due_at is 'when a worker tries the cancel that a request could not bring to the supplier; null when there is none';
create index supplier_order_cancel on buying.supplier_order (market, cancel_due_at) where cancel_due_at is not null;
-- Purchases without an answer are looked up before orders that move.
create index supplier_order_unknown on buying.supplier_order (market) where state in ('placing', 'unknown');
-- For a day after an item has ended without its order, by whatever path, the order is looked for: an orphan
-- purchase costs real money.
create index supplier_order_watch on buying.supplier_order (market, sent_at) where state not in ('placed', 'orphan');
create index supplier_order_undone on buying.supplier_order (market, undone_at) where undone_at is not null;
-- Orders of a window are compared with the supplier's statement of it. Written by workers only, so no buy
-- pays for it.
create index supplier_order_sent on buying.supplier_order (market, sent_at);
create index supplier_order_by_order_id on buying.supplier_order (order_id) where order_id is not null;

-- What a quick-buy asked for; a listing that turns out gone is replaced on the same terms.
create table buying.quick_buy (
  trade_id uuid not null,
  catalog_item_id text not null,
  ceiling_mills bigint not null,
  max_price bigint not null,
  delivery text not null,
  requested_count smallint not null,
  house_fee_bps integer not null,
  merchant_fee_bps integer not null,
  constraint quick_buy_pkey primary key (trade_id),
  constraint quick_buy_delivery_known check (delivery in ('standard', 'instant')),
  constraint quick_buy_bounds check (ceiling_mills > 0 and max_price > 0 and requested_count between 1 and 200)
);
comment on column buying.quick_buy.ceiling_mills is 'the most that a market may ask, thousandths of a US dollar: what max_price leaves of it';
comment on column buying.quick_buy.max_price is 'cents of the wallet''s currency, fees included, for one unit';

-- An order that its supplier certainly refused, and whose place another listing took.
create table buying.refused_order (
  item_id uuid not null,
  attempt smallint not null,
  market text not null,
  custom_id text not null,
  listing_id bigint not null,
  raw_listing_id text not null,
  sourcing_mills bigint not null,
  price bigint not null,
  sent_at timestamptz not null,
  refused_at timestamptz not null,
  failure_code text not null,
  detail text,
  constraint refused_order_pkey primary key (item_id, attempt),
  constraint refused_order_item foreign key (item_id) references buying.item (id),
  constraint refused_order_custom_id unique (custom_id)
);
comment on column buying.refused_order.sourcing_mills is 'what that supplier had asked, 1/1000 USD';
comment on column buying.refused_order.price is 'what the buyer had in escrow for it, cents';

-- ---------------------------------------------------------------- buys

-- The items of a buy that has just begun: their total into escrow, a hold for each, and the queue.
create function buying.add_items(
  trade_id_ uuid, tenant_id_ uuid, account_id_ uuid, currency_ ledger.currency, request_hash_ bytea,
  external_id_ text, at_ timestamptz, total_ bigint, external_ids_ text[], listing_ids_ bigint[], markets_ text[],
  raw_listing_ids_ text[], catalog_item_ids_ text[], descriptions_ jsonb[], sourcing_mills_ bigint[],
  prices_ bigint[], house_fees_ bigint[], merchant_fees_ bigint[]) returns void
language plpgsql as $$
declare
  journal_id_ uuid;
  item_ids_ uuid[];
begin
  journal_id_ := (ledger.post('buy', trade_id_, account_id_, 'buy:' || trade_id_, request_hash_, at_,
    array[currency_], array[ledger.account_of(account_id_, 'spot')], array[ledger.account_of(account_id_, 'escrow')],
    array[total_], external_id_)).journal_id;
  item_ids_ := trades.add_items(trade_id_, at_, external_ids_, catalog_item_ids_, descriptions_, prices_,
    house_fees_, merchant_fees_, true);
  insert into buying.item (id, trade_id, tenant_id, account_id, listing_id, market, raw_listing_id, sourcing_mills,
      due_at, created_at)
    select i.id, trade_id_, tenant_id_, account_id_, i.listing_id, i.market, i.raw_listing_id, i.mills, at_, at_
    from unnest(item_ids_, listing_ids_, markets_, raw_listing_ids_, sourcing_mills_)
      i (id, listing_id, market, raw_listing_id, mills);
  perform ledger.place_holds(journal_id_, account_id_, item_ids_, prices_);
  perform buying.check_waiting(tenant_id_, account_id_, markets_);
end $$;

-- At which of these markets more items would wait than may, if `more_` were added for each time that a market
-- is named. A tenant has its limit. A child may have at most as many as its partner then has left: one child
-- takes half of the limit, n children that take all they can share it with one part left for the next.
create function buying.full_markets(tenant_id_ uuid, account_id_ uuid, markets_ text[], more_ integer)
  returns table (market text)
language sql stable as $$
  select m.market from (select market, count(*) * more_ more from unnest(markets_) market group by market) m
    cross join buying.setting s
    cross join lateral (
      select count(*) of_tenant, count(*) filter (where w.account_id = account_id_) of_account from (
        select i.account_id from buying.item i
        where i.market = m.market and i.tenant_id = tenant_id_ and i.work = 'place' limit s.waiting_limit + 1) w) waiting
  where s.waiting_limit is not null and (
    waiting.of_tenant + m.more > s.waiting_limit
    or (waiting.of_account + m.more > s.waiting_limit - waiting.of_tenant - m.more and identity.is_child(account_id_)))
  order by m.market $$;

-- Refuses a buy (PT429, DETAIL: the market) that leaves more items waiting at a market than may: a queue that
-- is canceled free of charge must not keep the market from others. Buys of one tenant at one market are counted
-- one after the other, each after the commit of the one before. It is the last lock that a buy takes, so what
-- waits for it is nothing but that commit, and no ring is possible.
create function buying.check_waiting(tenant_id_ uuid, account_id_ uuid, markets_ text[]) returns void
language plpgsql as $$
declare market_ text;
begin
  if (select s.waiting_limit is null from buying.setting s) then return; end if;
  for market_ in select distinct market from unnest(markets_) market order by market loop
    perform pg_advisory_xact_lock(hashtextextended('buying.waiting:' || tenant_id_ || ':' || market_, 0));
  end loop;
  for market_ in select f.market from buying.full_markets(tenant_id_, account_id_, markets_, 0) f loop
    raise exception 'too many items wait for %', market_ using errcode = 'PT429', detail = market_;
  end loop;
end $$;

-- Accepts a buy: trade, items, escrow and event in one commit. A known external id returns the first
-- receipt. Raises what trades.begin_or_replay does, and:
--   PT410 a listing is gone, taken or dearer (DETAIL: its id) · 23514 no_overdraft · PT429 see check_waiting
create function buying.place_buy(
  tenant_id_ uuid, account_id_ uuid, platform_id_ text, trade_url_ text, external_id_ text,
  request_hash_ bytea, game_ text, currency_ ledger.currency, usd_per_eur_micros_ bigint, request_id_ uuid,
  at_ timestamptz, external_ids_ text[], listing_ids_ bigint[], markets_ text[], raw_listing_ids_ text[],
  catalog_item_ids_ text[], descriptions_ jsonb[], sourcing_mills_ bigint[], prices_ bigint[],
  house_fees_ bigint[], merchant_fees_ bigint[],
  out trade_id uuid, out replayed boolean, out item_count smallint, out total bigint, out created_at timestamptz)
language plpgsql as $$
declare listing record;
begin
  select b.* into trade_id, replayed, item_count, total, created_at
    from trades.begin_or_replay('buy', tenant_id_, account_id_, platform_id_, trade_url_, external_id_,
      request_hash_, game_, currency_, usd_per_eur_micros_, request_id_, at_, cardinality(listing_ids_),
      (select sum(p)::bigint from unnest(prices_) p)) b;
  if replayed then return; end if;
  -- In the order of their ids: two baskets with the same listings cannot wait for each other in a ring.
  for listing in
    select * from unnest(listing_ids_, sourcing_mills_) wanted (id, mills) order by id
  loop
    if not catalog.take_listing(listing.id, listing.mills) then
      raise exception 'listing % is gone, taken or dearer', listing.id
        using errcode = 'PT410', detail = listing.id::text;
    end if;
  end loop;
  perform buying.add_items(trade_id, tenant_id_, account_id_, currency_, request_hash_, external_id_, at_, total,
    external_ids_, listing_ids_, markets_, raw_listing_ids_, catalog_item_ids_, descriptions_, sourcing_mills_,
    prices_, house_fees_, merchant_fees_);
end $$;

-- One step of one item: state, money and events in one commit. Returns false, and changes nothing, when
-- the item no longer stands in `from_`: another transaction has moved it.
create function buying.move_item(
  item_id_ uuid, from_ trades.status, to_ trades.status, at_ timestamptz, next_due_at_ timestamptz,
  offer_id_ text, hold_ends_at_ timestamptz, failure_code_ text, failure_detail_ text, reverted_by_ text,
  penalty_ bigint) returns boolean
language plpgsql as $$
declare
  item_ buying.item;
  is_over_ boolean := to_ in ('failed', 'canceled', 'declined', 'reverted');
begin
  if (select m.moved is null from trades.move_items((select i.trade_id from buying.item i where i.id = item_id_),
        array[item_id_], from_, to_, at_, offer_id_, hold_ends_at_, failure_code_, failure_detail_, reverted_by_,
        penalty_) m) then
    return false;
  end if;
  update buying.item i set
      work = case when to_ >= 'completed' then 'none' else 'follow' end,
      due_at = case when to_ >= 'completed' then at_ else next_due_at_ end,
      is_live = not is_over_,
      held_by = case when to_ = 'hold' then trades.platform_of(i.trade_id) end
    where i.id = item_id_ returning i.* into item_;
  if is_over_ then
    update buying.supplier_order o set undone_at = at_ where o.item_id = item_id_ and o.state = 'placed';
  end if;
  if to_ = 'completed' then
    perform buying.capture(item_id_, at_);
  -- Gone at the supplier means gone; otherwise it may be bought again. What a quick-buy could not replace
  -- was dealt with when it was tried.
  elsif to_ in ('failed', 'canceled') and coalesce(failure_code_, '') not in ('LISTING_UNAVAILABLE', 'NO_LISTING_AT_PRICE') then
    perform catalog.release_listing(item_.listing_id);
  end if;
  return true;
end $$;

-- The escrow of a completed item goes to the supplier's account, our revenue and the merchant.
create function buying.capture(item_id_ uuid, at_ timestamptz) returns void
language plpgsql as $$
declare
  item_ record;
  fee_ record;
  tenant_id_ uuid;
  external_id_ text;
  escrow_ bigint;
  journal_id_ uuid;
  sourcing_ bigint;
begin
  select i.* into strict item_ from trades.items_by_id(array[item_id_]) i;
  select t.tenant_id, t.external_id into strict tenant_id_, external_id_ from trades.lock_trade(item_.trade_id) t;
  escrow_ := ledger.account_of(item_.account_id, 'escrow');
  sourcing_ := item_.price - item_.house_fee - item_.merchant_fee;
  select f.* into fee_ from trades.fee_postings(tenant_id_, item_.merchant_fee, escrow_, item_.currency, item_.usd_per_eur_micros) f;
  if item_.house_fee > 0 then
    fee_.currencies := item_.currency || fee_.currencies; fee_.debits := escrow_ || fee_.debits;
    fee_.credits := ledger.house('house_revenue', item_.currency) || fee_.credits;
    fee_.amounts := item_.house_fee || fee_.amounts;
  end if;
  journal_id_ := (ledger.post('settle', item_id_, item_.account_id, 'settle:' || item_id_, uuid_send(item_id_), at_,
    item_.currency || fee_.currencies, escrow_ || fee_.debits,
    ledger.house('supplier_prefund', item_.currency) || fee_.credits, sourcing_ || fee_.amounts, external_id_)).journal_id;
  perform ledger.resolve_holds(journal_id_, array[item_.hold_id], array[item_.price], array[0::bigint], array[0::bigint]);
  perform trades.set_earned(item_id_, fee_.earned);
  perform catalog.record_sale(item_.catalog_item_id,
    pricing.convert_half_up(sourcing_, item_.currency, 'USD', item_.usd_per_eur_micros), at_);
end $$;

-- Claims items to place. Turns go round by tenant, weighted by tier, and within a tenant by account; within an
-- account the oldest item is first, also when it was put off before. Weighted fair queueing: a tenant's first
-- turn begins where the market is when the tenant is first seen waiting, every further one where the one
-- before ended, each ends one weighted step after it begins, and the turn that ends first is given first. So a
-- tenant with a thousand items waiting delays another tenant's first item by one turn, and no tenant saves up
-- turns while nothing of it waits.
create function buying.claim_placements(
  market_ text, limit_ integer, at_ timestamptz, lease_until_ timestamptz, placeable_since_ timestamptz)
  returns setof buying.item
language plpgsql as $$
declare
  nil constant uuid := '00000000-0000-0000-0000-000000000000';
  now_ double precision;
begin
  if not exists (select from buying.item where market = market_ and work = 'place') then return; end if;
  insert into buying.turn (market, party_id, passed) values (market_, nil, 0) on conflict do nothing;
  -- One worker after the other: each goes on where the one before has left the turns.
  select t.passed into now_ from buying.turn t where t.market = market_ and t.party_id = nil for update;
  return query
    with waiting as materialized (
      select i.id, i.tenant_id, i.account_id, i.created_at,
        row_number() over (partition by i.account_id order by i.created_at, i.id) nth
      from buying.item i
      where i.market = market_ and i.work = 'place' and i.due_at <= at_ and i.created_at > placeable_since_),
    tenant as (
      select w.tenant_id, coalesce(t.passed, now_) begins,
        case identity.tier_of(w.tenant_id) when 'enterprise' then 4 when 'premium' then 2 else 1 end weight
      from (select distinct tenant_id from waiting) w
        left join buying.turn t on t.market = market_ and t.party_id = w.tenant_id),
    of_tenant as (
      select w.*, row_number() over (
          partition by w.tenant_id order by w.nth, a.passed nulls first, w.created_at, w.id) nth_of_tenant
      from waiting w left join buying.turn a on a.market = market_ and a.party_id = w.account_id),
    chosen as (
      select o.id, o.tenant_id, o.account_id, t.begins + o.nth_of_tenant::double precision / t.weight ends,
        t.begins + (o.nth_of_tenant - 1)::double precision / t.weight begins
      from of_tenant o join tenant t on t.tenant_id = o.tenant_id
      order by ends, o.created_at, o.id limit limit_),
    free as (
      select i.id from buying.item i
      where i.id in (select c.id from chosen c) and i.work = 'place' and i.due_at <= at_ for update skip locked),
    passed as (
      select nil party_id, max(c.begins) passed from chosen c having count(*) > 0
      union all select t.tenant_id, t.begins from tenant t
      union all select c.tenant_id, max(c.ends) from chosen c group by 1
      union all select c.account_id, max(c.begins) from chosen c where c.account_id <> c.tenant_id group by 1),
    noted as (
      insert into buying.turn as t (market, party_id, passed)
        select market_, p.party_id, max(p.passed) from passed p group by 2
        on conflict (market, party_id) do update set passed = excluded.passed where t.passed < excluded.passed),
    forgotten as (
      delete from buying.turn t where t.market = market_ and t.passed < now_ and t.party_id <> nil
        and t.party_id not in (select w.tenant_id from waiting w union select w.account_id from waiting w))
    update buying.item i set due_at = lease_until_ from free where i.id = free.id returning i.*;
end $$;

-- Commits the intent to place an item, right before the supplier is called: from here on an order may exist
-- under the custom id. Returns null when the claim that ran until `claimed_until_` is no longer the item's:
-- another worker has claimed it, or it was canceled or failed meanwhile.
create function buying.begin_order(
  item_id_ uuid, claimed_until_ timestamptz, at_ timestamptz, lease_until_ timestamptz) returns text
language sql as $$
  with claimed as (
    update buying.item set work = 'follow', due_at = lease_until_
      where id = item_id_ and work = 'place' and due_at = claimed_until_ returning id, market, attempt)
  insert into buying.supplier_order (item_id, market, custom_id, state, sent_at)
    select id, market, id::text || case when attempt > 1 then '-' || attempt else '' end, 'placing', at_ from claimed
    on conflict (item_id) do update set state = 'placing', sent_at = excluded.sent_at
    returning custom_id $$;

-- Ends items of one trade for which no worker has committed an intent: nothing of them can be at a supplier.
-- begin_order and these locks exclude one another on the item's row. Returns those that it ended: of the others
-- a worker was quicker, or they stand elsewhere.
create function buying.end_unplaced(
  item_ids_ uuid[], to_ trades.status, at_ timestamptz, failure_code_ text, failure_detail_ text) returns uuid[]
language plpgsql as $$
declare
  trade_id_ uuid := (select i.trade_id from buying.item i where i.id = any (item_ids_) limit 1);
  unplaced_ uuid[];
  listing_id_ bigint;
begin
  -- The trade's row first, as every step does.
  perform from trades.lock_trade(trade_id_);
  with unplaced as (
    select i.id from buying.item i
    where i.trade_id = trade_id_ and i.id = any (item_ids_) and i.work = 'place' order by i.id for update)
  select array_agg(unplaced.id) into unplaced_ from unplaced;
  if unplaced_ is null then return '{}'; end if;
  select m.moved into unplaced_ from trades.move_items(trade_id_, unplaced_, 'initiated', to_, at_, null, null,
    failure_code_, failure_detail_, null, 0) m;
  if unplaced_ is null then return '{}'; end if;
  update buying.item i set work = 'none', due_at = at_, is_live = false where i.id = any (unplaced_);
  -- In the order of their ids, as a buy takes them.
  for listing_id_ in select i.listing_id from buying.item i where i.id = any (unplaced_) order by 1 loop
    perform catalog.release_listing(listing_id_);
  end loop;
  return unplaced_;
end $$;

-- Notes, before the suppliers are called, that these placed orders are to be canceled. Once is enough.
create function buying.request_cancel(item_ids_ uuid[], at_ timestamptz) returns void
language sql as $$
  with noted as (
    update buying.supplier_order o set cancel_requested_at = at_
      where o.item_id = any (item_ids_) and o.cancel_requested_at is null returning o.item_id)
  select trades.note_cancel_requests(array_agg(noted.item_id), at_) from noted
$$;

-- ---------------------------------------------------------------- quick-buys
-- So many of an item, the cheapest of all markets, in one statement like a buy. It asks for an item, not for
-- a listing: when its supplier certainly refuses one that is gone or dearer, the next cheapest within the
-- limit takes its place, on the same item row, under an order id of its own. The refused order stays on
-- record. After an unknown answer nothing of this happens.

-- Accepts a quick-buy: trade, items, escrow and event in one commit, by sets and not unit by unit. A known
-- external id returns the first receipt. `external_ids_` names the units in order, or is null. Raises what
-- trades.begin_or_replay does, and:
--   PT404 nothing is for sale at this price · PT423 others hold what is for sale: try again
--   PT402 the wallet does not cover it (DETAIL: what it needs, cents) · PT429 see check_waiting
create function buying.place_quick_buy(
  tenant_id_ uuid, account_id_ uuid, platform_id_ text, trade_url_ text, external_id_ text,
  request_hash_ bytea, game_ text, currency_ ledger.currency, usd_per_eur_micros_ bigint, request_id_ uuid,
  at_ timestamptz, catalog_item_id_ text, ceiling_mills_ bigint, max_price_ bigint, delivery_ text,
  amount_ smallint, external_ids_ text[], house_fee_bps_ integer, merchant_fee_bps_ integer, is_last_try_ boolean,
  out trade_id uuid, out replayed boolean, out item_count smallint, out total bigint, out created_at timestamptz)
language plpgsql as $$
declare
  taken_ record;
  violated_ text;
begin
  -- First of all, so that a replay takes nothing; what was bought and for how much is written below.
  select b.* into trade_id, replayed, item_count, total, created_at
    from trades.begin_or_replay('buy', tenant_id_, account_id_, platform_id_, trade_url_, external_id_,
      request_hash_, game_, currency_, usd_per_eur_micros_, request_id_, at_, amount_, 1) b;
  if replayed then return; end if;

  with taken as (
    select l.*, row_number() over (order by l.price_mills, l.id) as position
      from catalog.take_cheapest(catalog_item_id_, ceiling_mills_, delivery_, amount_, '{}', is_last_try_) l),
  priced as (
    select taken.*, p.price, p.house_fee, p.merchant_fee
      from taken cross join lateral pricing.price_listing(
        currency_, taken.price_mills, usd_per_eur_micros_, house_fee_bps_, merchant_fee_bps_) p)
  select count(*)::smallint as count, sum(p.price)::bigint as total, max(p.price) as dearest,
      array_agg(p.id order by p.position) as listing_ids, array_agg(p.market order by p.position) as markets,
      array_agg(p.raw_id order by p.position) as raw_ids, array_agg(p.description order by p.position) as descriptions,
      array_agg(p.price_mills order by p.position) as mills, array_agg(p.price order by p.position) as prices,
      array_agg(p.house_fee order by p.position) as house_fees, array_agg(p.merchant_fee order by p.position) as merchant_fees
    into taken_ from priced p;
  item_count := taken_.count;
  total := taken_.total;
  if item_count = 0 then
    raise exception 'nothing of % is for sale at this price', catalog_item_id_ using errcode = 'PT404';
  end if;
  if taken_.dearest > max_price_ then
    raise exception 'the ceiling lets a price pass that is above the limit' using errcode = 'PT500';
  end if;
  perform trades.set_total(trade_id, item_count, total);
  insert into buying.quick_buy (trade_id, catalog_item_id, ceiling_mills, max_price, delivery, requested_count,
      house_fee_bps, merchant_fee_bps)
    values (place_quick_buy.trade_id, catalog_item_id_, ceiling_mills_, max_price_, delivery_, amount_,
      house_fee_bps_, merchant_fee_bps_);
  begin
    perform buying.add_items(trade_id, tenant_id_, account_id_, currency_, request_hash_, external_id_, at_, total,
      coalesce(external_ids_[1:item_count], array_fill(null::text, array[item_count::integer])), taken_.listing_ids,
      taken_.markets, taken_.raw_ids, array_fill(catalog_item_id_, array[item_count::integer]), taken_.descriptions,
      taken_.mills, taken_.prices, taken_.house_fees, taken_.merchant_fees);
  exception when check_violation then
    get stacked diagnostics violated_ = constraint_name;
    if violated_ <> 'no_overdraft' then raise; end if;
    raise exception 'the wallet does not cover it' using errcode = 'PT402', detail = total::text;
  end;
end $$;

-- Puts the next cheapest listing in the place of one that its supplier has certainly refused. The money is
-- exact: at another price the old hold is paid back whole and a new one taken, in this transaction.
--   replaced: the item waits to be placed again · none: nothing is left within the limit, or the wallet does
--   not cover what is · other: no quick-buy, or its order is no longer the one that was refused
-- PT423: others hold what is for sale, see catalog.take_cheapest.
create function buying.replace_listing(
  item_id_ uuid, failure_code_ text, detail_ text, at_ timestamptz, is_last_try_ boolean) returns text
language plpgsql as $$
declare
  most_attempts constant smallint := 5;
  trade_ record;
  item_ buying.item;
  old_ record;
  quick_ buying.quick_buy;
  order_ buying.supplier_order;
  listing_ record;
  house_fee_ bigint;
  merchant_fee_ bigint;
  price_ bigint;
  hold_id_ uuid;
  journal_id_ uuid;
  escrow_ bigint;
  spot_ bigint;
  violated_ text;
begin
  select i.* into item_ from buying.item i where i.id = item_id_;
  select q.* into quick_ from buying.quick_buy q where q.trade_id = item_.trade_id;
  if quick_.trade_id is null then return 'other'; end if;
  select t.* into strict trade_ from trades.lock_trade(item_.trade_id) t;
  select i.* into item_ from buying.item i where i.id = item_id_ and i.work = 'follow' for update;
  select i.* into old_ from trades.items_by_id(array[item_id_]) i where i.status = 'initiated';
  select o.* into order_ from buying.supplier_order o where o.item_id = item_id_ and o.state = 'placing' for update;
  if item_.id is null or old_.id is null or order_.item_id is null then return 'other'; end if;

  <<trying>>
  begin
    exit trying when item_.attempt >= most_attempts;
    select l.* into listing_ from catalog.take_cheapest(quick_.catalog_item_id, quick_.ceiling_mills, quick_.delivery, 1,
      array(select r.listing_id from buying.refused_order r where r.item_id = item_id_) || item_.listing_id, is_last_try_) l;
    exit trying when listing_.id is null;
    select p.house_fee, p.merchant_fee, p.price into house_fee_, merchant_fee_, price_
      from pricing.price_listing(trade_.currency, listing_.price_mills, trade_.usd_per_eur_micros,
        quick_.house_fee_bps, quick_.merchant_fee_bps) p;
    if price_ > quick_.max_price then
      raise exception 'the ceiling lets a price pass that is above the limit' using errcode = 'PT500';
    end if;

    hold_id_ := old_.hold_id;
    if price_ <> old_.price then
      escrow_ := ledger.account_of(trade_.account_id, 'escrow');
      spot_ := ledger.account_of(trade_.account_id, 'spot');
      journal_id_ := (ledger.post('refund', item_id_, trade_.account_id, 'replaced:' || item_id_ || ':' || item_.attempt,
        uuid_send(item_id_), at_, array[trade_.currency], array[escrow_], array[spot_], array[old_.price],
        trade_.external_id)).journal_id;
      perform ledger.resolve_holds(journal_id_, array[old_.hold_id], array[0::bigint], array[old_.price], array[0::bigint]);
      hold_id_ := uuidv7();
      journal_id_ := (ledger.post('buy', item_id_, trade_.account_id, 'replacement:' || item_id_ || ':' || (item_.attempt + 1),
        uuid_send(item_id_), at_, array[trade_.currency], array[spot_], array[escrow_], array[price_],
        trade_.external_id)).journal_id;
      perform ledger.place_holds(journal_id_, trade_.account_id, array[hold_id_], array[price_]);
    end if;

    insert into buying.refused_order (item_id, attempt, market, custom_id, listing_id, raw_listing_id, sourcing_mills,
        price, sent_at, refused_at, failure_code, detail)
      values (item_id_, item_.attempt, order_.market, order_.custom_id, item_.listing_id, item_.raw_listing_id,
        item_.sourcing_mills, old_.price, order_.sent_at, at_, failure_code_, left(detail_, 500));
    delete from buying.supplier_order o where o.item_id = item_id_;
    update buying.item i set listing_id = listing_.id, market = listing_.market, raw_listing_id = listing_.raw_id,
        sourcing_mills = listing_.price_mills, attempt = item_.attempt + 1, work = 'place', due_at = at_
      where i.id = item_id_;
    perform trades.replace_item(item_id_, listing_.description, price_, house_fee_, merchant_fee_, hold_id_, failure_code_, at_);
    if failure_code_ = 'PRICE_CHANGED' then perform catalog.release_listing(item_.listing_id); end if;
    return 'replaced';
  exception when check_violation then
    get stacked diagnostics violated_ = constraint_name;
    if violated_ <> 'no_overdraft' then raise; end if;
  end;
  -- Dearer: a buyer with a higher limit may have it. Gone means gone.
  if failure_code_ = 'PRICE_CHANGED' then perform catalog.release_listing(item_.listing_id); end if;
  return 'none';
end $$;

-- Of items whose look-ups are due until `along_until_`, those that are next: turns go round by tenant, what is due at
-- `at_` before what goes along, and within a tenant the oldest is first. It goes from tenant to tenant by the index,
-- and of as many tenants as there is room for, those with the oldest look-ups, it reads no more items than there is
-- room for: what one has waiting costs the others nothing. The settings restrict the planner to the indexes: see
-- webhooks.claim.
create function buying.followed_in_turn(
  market_ text, room_ integer, at_ timestamptz, along_until_ timestamptz, except_ uuid[]) returns setof uuid
language plpgsql stable
set enable_seqscan = off set enable_sort = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  return query
  with recursive oldest as (
    (select i.tenant_id, i.due_at from buying.item i where i.market = market_ and i.work = 'follow'
     order by i.market, i.tenant_id, i.due_at limit 1)
    union all
    select next.tenant_id, next.due_at from oldest cross join lateral (
      select i.tenant_id, i.due_at from buying.item i
      where i.market = market_ and i.work = 'follow' and i.tenant_id > oldest.tenant_id
      order by i.market, i.tenant_id, i.due_at limit 1) next),
  party as (
    select o.tenant_id id from oldest o where o.due_at <= along_until_ order by o.due_at limit room_),
  turn as (
    select one.id, one.due_at, row_number() over (partition by p.id order by one.due_at) nth
    from party p cross join lateral (
      select i.id, i.due_at from buying.item i
      where i.market = market_ and i.work = 'follow' and i.tenant_id = p.id and i.due_at <= along_until_
        and i.id <> all (except_)
      order by i.market, i.tenant_id, i.due_at limit room_) one)
  select t.id from turn t order by t.due_at > at_, t.nth, t.due_at limit room_;
end $$;

-- Claims items whose orders are due for a look. Purchases without an answer go before orders that move. Where
-- anything is due, what is due until `along_until_` goes along. If all of it fits, all of it is taken; if not, turns go
-- round by tenant. One worker after the other: each finds what the one before has left. By id an item is read without
-- its queue in the condition, which would let a plan that was made while the queue was short read all of it.
create function buying.claim_followed(
  market_ text, limit_ integer, at_ timestamptz, along_until_ timestamptz, lease_until_ timestamptz)
  returns setof uuid
language plpgsql
set enable_seqscan = off set enable_sort = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  unanswered_ uuid[];
  moving_ uuid[];
  room_ integer;
begin
  perform from buying.item i
    where i.market = market_ and i.work = 'follow' and i.due_at <= at_ order by i.due_at limit 1;
  if not found then return; end if;
  perform pg_advisory_xact_lock(hashtextextended('buying.claim_followed:' || market_, 0));
  unanswered_ := array(
    with lost as materialized (
      select i.id, i.work, i.due_at from buying.supplier_order o join buying.item i on i.id = o.item_id
      where o.market = market_ and o.state in ('placing', 'unknown'))
    select l.id from lost l where l.work = 'follow' and l.due_at <= at_ order by l.due_at limit limit_);
  room_ := limit_ - cardinality(unanswered_);
  moving_ := array(
    select i.id from buying.item i
    where i.market = market_ and i.work = 'follow' and i.due_at <= along_until_ and i.id <> all (unanswered_)
    order by i.due_at limit room_ + 1);
  if cardinality(moving_) > room_ then
    moving_ := array(select buying.followed_in_turn(market_, room_, at_, along_until_, unanswered_));
  end if;
  return query
    with locked as (
      select i.id, i.work, i.due_at from buying.item i where i.id = any (unanswered_ || moving_)
      for update skip locked)
    update buying.item i set due_at = lease_until_ from locked l
    where i.id = l.id and l.work = 'follow' and l.due_at <= along_until_ returning i.id;
end $$;

-- ---------------------------------------------------------------- the auditor

-- A row for each broken promise of the items that were bought.
create function buying.audit(
  after_ uuid default '00000000-0000-0000-0000-000000000000',
  up_to_ uuid default 'ffffffff-ffff-ffff-ffff-ffffffffffff') returns table (invariant text, detail text)
language sql stable as $$
  select 'an item of a buy has its listing and its queue', i.id::text
    from trades.items_of_type('buy', after_, up_to_) i left join buying.item b on b.id = i.id
    where b.id is null or b.trade_id <> i.trade_id or (b.work = 'none') <> (i.status >= 'completed')
      or b.is_live <> (i.status in ('initiated', 'pending', 'active', 'hold', 'completed'))
  union all
  select 'a placed item has an order', i.id::text
    from trades.items_of_type('buy', after_, up_to_) i where i.status in ('pending', 'active', 'hold', 'completed')
      and not exists (select from buying.supplier_order o where o.item_id = i.id and o.state = 'placed')
$$;
