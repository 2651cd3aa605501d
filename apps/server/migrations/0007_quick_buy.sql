-- Quick-buy: so many of an item, the cheapest of all markets, in one statement like a buy. It asks for an
-- item, not for a listing: when its supplier certainly refuses one that is gone or dearer, the next cheapest
-- within the limit takes its place, on the same item row, under an order id of its own. The refused order
-- stays on record. After an unknown answer nothing of this happens.

-- What a quick-buy asked for; a listing that turns out gone is replaced on the same terms.
create table trading.quick_buy (
  trade_id uuid not null,
  catalog_item_id text not null,
  ceiling_mills bigint not null,
  max_price bigint not null,
  delivery text not null,
  requested_count smallint not null,
  house_fee_bps integer not null,
  merchant_fee_bps integer not null,
  constraint quick_buy_pkey primary key (trade_id),
  constraint quick_buy_trade foreign key (trade_id) references trading.trade (id),
  constraint quick_buy_delivery_known check (delivery in ('standard', 'instant')),
  constraint quick_buy_bounds check (ceiling_mills > 0 and max_price > 0 and requested_count between 1 and 200)
);
comment on column trading.quick_buy.ceiling_mills is 'the most that a market may ask, thousandths of a US dollar: what max_price leaves of it';
comment on column trading.quick_buy.max_price is 'cents of the wallet''s currency, fees included, for one unit';

-- An order that its supplier certainly refused, and whose place another listing took.
create table trading.refused_order (
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
  constraint refused_order_item foreign key (item_id) references trading.item (id),
  constraint refused_order_custom_id unique (custom_id)
);
comment on column trading.refused_order.sourcing_mills is 'what that supplier had asked, 1/1000 USD';
comment on column trading.refused_order.price is 'what the buyer had in escrow for it, cents';

-- What a market asks, in cents of the wallet's currency, rounded up; and a share in basis points, half up.
-- The same as modules/fx/sourcing.ts and kernel/money.ts; a test compares them.
create function trading.sourcing_of(mills_ bigint, currency_ ledger.currency, usd_per_eur_micros_ bigint) returns bigint
language sql immutable as $$
  select case currency_ when 'USD' then (mills_ + 9) / 10
    else (mills_ * 1000000 + 10 * usd_per_eur_micros_ - 1) / (10 * usd_per_eur_micros_) end $$;
create function trading.share_of(cents_ bigint, bps_ integer) returns bigint
language sql immutable as $$ select (2 * cents_ * bps_ + 10000) / 20000 $$;

-- Accepts a quick-buy: trade, items, escrow and event in one commit, by sets and not unit by unit. A known
-- external id answers the first trade. `external_ids_` names the units in order, or is null. Refusals are
-- raised, so that nothing of it remains:
--   PT503 trading is paused · PT409 external id reused with another request
--   PT404 nothing is for sale at this price · PT423 others hold what is for sale: try again
--   PT402 the wallet does not cover it (DETAIL: what it needs, cents)
create function trading.place_quick_buy(
  merchant_id_ uuid, account_id_ uuid, platform_id_ text, trade_url_ text, external_id_ text,
  request_hash_ bytea, game_ text, currency_ ledger.currency, usd_per_eur_micros_ bigint, request_id_ uuid,
  at_ timestamptz, catalog_item_id_ text, ceiling_mills_ bigint, max_price_ bigint, delivery_ text,
  amount_ smallint, external_ids_ text[], house_fee_bps_ integer, merchant_fee_bps_ integer, is_last_try_ boolean,
  out trade_id uuid, out replayed boolean, out item_count smallint, out total bigint, out created_at timestamptz)
language plpgsql as $$
declare
  first_hash bytea;
  journal_id_ uuid;
  item_ids_ uuid[];
  prices_ bigint[];
  violated_ text;
begin
  if (select paused from trading.switch) then
    raise exception 'trading is paused' using errcode = 'PT503';
  end if;
  replayed := false;
  created_at := at_;
  -- First of all, so that a replay takes nothing; what it bought and for how much is written below.
  insert into trading.trade as t (type, merchant_id, account_id, platform_id, trade_url, external_id,
      request_hash, game, currency, usd_per_eur_micros, status, item_count, total, request_id, created_at, updated_at)
    values ('buy', merchant_id_, account_id_, platform_id_, trade_url_, external_id_, request_hash_, game_,
      currency_, usd_per_eur_micros_, 'initiated', amount_, 1, request_id_, at_, at_)
    on conflict (merchant_id, external_id, account_id) where external_id is not null do nothing
    returning t.id into trade_id;
  if trade_id is null then
    select t.id, t.request_hash, t.item_count, coalesce(t.first_total, t.total), t.created_at
      into strict trade_id, first_hash, item_count, total, created_at
      from trading.trade t
      where t.merchant_id = merchant_id_ and t.external_id = external_id_ and t.account_id = account_id_;
    if first_hash <> request_hash_ then
      raise exception 'external id reused with another request' using errcode = 'PT409';
    end if;
    replayed := true;
    return;
  end if;

  with taken as (
    select l.*, row_number() over (order by l.price_mills, l.id) as position
      from catalog.take_cheapest(catalog_item_id_, ceiling_mills_, delivery_, amount_, '{}', is_last_try_) l),
  priced as (
    select taken.*, trading.sourcing_of(taken.price_mills, currency_, usd_per_eur_micros_) as sourcing from taken),
  item as (
    insert into trading.item (trade_id, position, external_id, listing_id, market, raw_listing_id, catalog_item_id,
        description, sourcing_mills, sourcing, house_fee, merchant_fee, price, created_at, status_at, due_at)
      select place_quick_buy.trade_id, p.position, external_ids_[p.position], p.id, p.market, p.raw_id, catalog_item_id_,
        p.description, p.price_mills, p.sourcing, fee.house, fee.merchant, p.sourcing + fee.house + fee.merchant,
        at_, at_, at_
      from priced p cross join lateral (
        select trading.share_of(p.sourcing, house_fee_bps_) as house, trading.share_of(p.sourcing, merchant_fee_bps_) as merchant) fee
      returning price)
  select count(*), sum(item.price) into place_quick_buy.item_count, place_quick_buy.total from item;
  if place_quick_buy.item_count = 0 then
    raise exception 'nothing of % is for sale at this price', catalog_item_id_ using errcode = 'PT404';
  end if;
  if exists (select from trading.item i where i.trade_id = place_quick_buy.trade_id and i.price > max_price_) then
    raise exception 'the ceiling lets a price pass that is above the limit' using errcode = 'PT500';
  end if;
  update trading.trade t set item_count = place_quick_buy.item_count, total = place_quick_buy.total
    where t.id = place_quick_buy.trade_id;
  insert into trading.quick_buy (trade_id, catalog_item_id, ceiling_mills, max_price, delivery, requested_count,
      house_fee_bps, merchant_fee_bps)
    values (place_quick_buy.trade_id, catalog_item_id_, ceiling_mills_, max_price_, delivery_, amount_,
      house_fee_bps_, merchant_fee_bps_);

  begin
    journal_id_ := (ledger.post('buy', trade_id, account_id_, 'buy:' || trade_id, request_hash_, at_,
      array[currency_], array[ledger.account_of(account_id_, 'spot')], array[ledger.account_of(account_id_, 'escrow')],
      array[total], external_id_)).journal_id;
  exception when check_violation then
    get stacked diagnostics violated_ = constraint_name;
    if violated_ <> 'no_overdraft' then raise; end if;
    raise exception 'the wallet does not cover it' using errcode = 'PT402', detail = total::text;
  end;
  select array_agg(i.id), array_agg(i.price) into item_ids_, prices_
    from trading.item i where i.trade_id = place_quick_buy.trade_id;
  perform ledger.place_holds(journal_id_, account_id_, item_ids_, prices_);
  perform outbox.add('trade.initiated', 'trade', merchant_id_, account_id_, trade_id, '{}', trade_id, at_);
end $$;

-- Puts the next cheapest listing in the place of one that its supplier has certainly refused. The money is
-- exact: at another price the old hold is paid back whole and a new one taken, in this transaction.
--   replaced: the item waits to be placed again · none: nothing is left within the limit, or the wallet does
--   not cover what is · other: no quick-buy, or its order is no longer the one that was refused
-- PT423: others hold what is for sale, see catalog.take_cheapest.
create function trading.replace_listing(
  item_id_ uuid, failure_code_ text, detail_ text, at_ timestamptz, is_last_try_ boolean) returns text
language plpgsql as $$
declare
  most_attempts constant smallint := 5;
  trade_ trading.trade;
  item_ trading.item;
  quick_ trading.quick_buy;
  order_ trading.supplier_order;
  listing_ record;
  sourcing_ bigint;
  house_fee_ bigint;
  merchant_fee_ bigint;
  price_ bigint;
  hold_id_ uuid;
  journal_id_ uuid;
  escrow_ bigint;
  spot_ bigint;
  violated_ text;
begin
  select t.* into trade_ from trading.trade t
    where t.id = (select i.trade_id from trading.item i where i.id = item_id_) for no key update;
  select q.* into quick_ from trading.quick_buy q where q.trade_id = trade_.id;
  if quick_.trade_id is null then return 'other'; end if;
  select i.* into item_ from trading.item i
    where i.id = item_id_ and i.status = 'initiated' and i.work = 'follow' for update;
  select o.* into order_ from trading.supplier_order o where o.item_id = item_id_ and o.state = 'placing' for update;
  if item_.id is null or order_.item_id is null then return 'other'; end if;

  <<trying>>
  begin
    exit trying when item_.attempt >= most_attempts;
    select l.* into listing_ from catalog.take_cheapest(quick_.catalog_item_id, quick_.ceiling_mills, quick_.delivery, 1,
      array(select r.listing_id from trading.refused_order r where r.item_id = item_id_) || item_.listing_id, is_last_try_) l;
    exit trying when listing_.id is null;
    sourcing_ := trading.sourcing_of(listing_.price_mills, trade_.currency, trade_.usd_per_eur_micros);
    house_fee_ := trading.share_of(sourcing_, quick_.house_fee_bps);
    merchant_fee_ := trading.share_of(sourcing_, quick_.merchant_fee_bps);
    price_ := sourcing_ + house_fee_ + merchant_fee_;
    if price_ > quick_.max_price then
      raise exception 'the ceiling lets a price pass that is above the limit' using errcode = 'PT500';
    end if;

    hold_id_ := item_.hold_id;
    if price_ <> item_.price then
      escrow_ := ledger.account_of(trade_.account_id, 'escrow');
      spot_ := ledger.account_of(trade_.account_id, 'spot');
      journal_id_ := (ledger.post('refund', item_id_, trade_.account_id, 'replaced:' || item_id_ || ':' || item_.attempt,
        uuid_send(item_id_), at_, array[trade_.currency], array[escrow_], array[spot_], array[item_.price],
        trade_.external_id)).journal_id;
      perform ledger.resolve_holds(journal_id_, array[coalesce(item_.hold_id, item_id_)], array[0::bigint],
        array[item_.price], array[0::bigint]);
      hold_id_ := uuidv7();
      journal_id_ := (ledger.post('buy', item_id_, trade_.account_id, 'replacement:' || item_id_ || ':' || (item_.attempt + 1),
        uuid_send(item_id_), at_, array[trade_.currency], array[spot_], array[escrow_], array[price_],
        trade_.external_id)).journal_id;
      perform ledger.place_holds(journal_id_, trade_.account_id, array[hold_id_], array[price_]);
    end if;

    insert into trading.refused_order (item_id, attempt, market, custom_id, listing_id, raw_listing_id, sourcing_mills,
        price, sent_at, refused_at, failure_code, detail)
      values (item_id_, item_.attempt, order_.market, order_.custom_id, item_.listing_id, item_.raw_listing_id,
        item_.sourcing_mills, item_.price, order_.sent_at, at_, failure_code_, left(detail_, 500));
    delete from trading.supplier_order o where o.item_id = item_id_;
    update trading.item i set listing_id = listing_.id, market = listing_.market, raw_listing_id = listing_.raw_id,
        description = listing_.description, sourcing_mills = listing_.price_mills, sourcing = sourcing_,
        house_fee = house_fee_, merchant_fee = merchant_fee_, price = price_, hold_id = hold_id_,
        attempt = item_.attempt + 1, status_at = at_, work = 'place', due_at = at_
      where i.id = item_id_;
    update trading.trade t set first_total = coalesce(t.first_total, t.total), total = t.total - item_.price + price_,
        updated_at = at_
      where t.id = trade_.id;
    insert into trading.item_step (trade_id, item_id, what, status, at, failure_code, price)
      values (trade_.id, item_id_, 'replaced', 'initiated', at_, failure_code_, price_);
    if failure_code_ = 'PRICE_CHANGED' then perform catalog.release_listing(item_.listing_id); end if;
    return 'replaced';
  exception when check_violation then
    get stacked diagnostics violated_ = constraint_name;
    if violated_ <> 'no_overdraft' then raise; end if;
  end;
  -- Dearer means that somebody with a higher limit may have it; gone means gone.
  if failure_code_ = 'PRICE_CHANGED' then perform catalog.release_listing(item_.listing_id); end if;
  return 'none';
end $$;
