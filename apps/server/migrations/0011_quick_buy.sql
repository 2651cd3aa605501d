-- Quick-buy: so many of an item, the cheapest of all markets, in one statement like a buy.

-- What is remembered of a listing by those who buy it, as modules/catalog/store/listings.ts describes it;
-- a test compares the two.
create function catalog.description_of(item_ catalog.item, listing_ catalog.listing) returns jsonb
language sql stable as $$
  select jsonb_build_object(
    'name', item_.name, 'marketHashName', item_.market_hash_name, 'type', item_.type, 'iconUrl', item_.icon_url,
    'exterior', coalesce(item_.exterior,
      case when item_.float_min is null or listing_.wear is null then null
           when listing_.wear < 0.07 then 'Factory New' when listing_.wear < 0.15 then 'Minimal Wear'
           when listing_.wear < 0.38 then 'Field-Tested' when listing_.wear < 0.45 then 'Well-Worn'
           else 'Battle-Scarred' end),
    'rarity', item_.rarity, 'color', item_.rarity_color, 'phase', item_.phase,
    'wear', listing_.wear_text, 'paintSeed', listing_.paint_seed,
    'stickers', coalesce(listing_.details -> 'stickers', '[]'), 'charm', listing_.details -> 'charm',
    'delivery', listing_.delivery)
$$;

-- Takes the cheapest listings of an item that cost at most `ceiling_mills_`, up to `amount_` of them, over
-- all markets that are up; `instant` takes automatic delivery only. `except_` are not taken.
--
-- The cheapest of the moment are locked in the order of their ids, as baskets and feeds lock theirs, and
-- waited for: what another buyer holds may come back. What is then gone is replaced by the next cheapest
-- that nobody holds, without waiting, because whoever waits while holding can wait in a ring. When others
-- hold what would still be needed, the answer is not known yet: PT423, and the caller tries again. With
-- `is_last_try_` it takes what it has.
create function catalog.take_cheapest(
  item_id_ text, ceiling_mills_ bigint, delivery_ text, amount_ integer, except_ bigint[], is_last_try_ boolean)
  returns table (id bigint, market text, raw_id text, price_mills bigint, description jsonb)
language plpgsql as $$
declare
  item_ catalog.item;
  wanted_ bigint[];
  taken_ bigint[];
  more_ bigint[];
begin
  select i.* into item_ from catalog.item i where i.id = item_id_;
  if item_.id is null then return; end if;

  select coalesce(array_agg(c.id), '{}') into wanted_ from (
    select l.id from catalog.listing l join catalog.market m on m.id = l.market and m.enabled and m.online
    where l.item_id = item_id_ and l.live and not l.taken and l.price_mills <= ceiling_mills_
      and (delivery_ <> 'instant' or l.delivery = 'instant') and l.id <> all (except_)
    order by l.price_mills, l.id limit amount_) c;
  select coalesce(array_agg(c.id), '{}') into taken_ from (
    select l.id from catalog.listing l
    where l.id = any (wanted_) and l.live and not l.taken and l.price_mills <= ceiling_mills_
    order by l.id for update) c;

  if cardinality(taken_) < amount_ and cardinality(wanted_) > 0 then
    select coalesce(array_agg(c.id), '{}') into more_ from (
      select l.id from catalog.listing l join catalog.market m on m.id = l.market and m.enabled and m.online
      where l.item_id = item_id_ and l.live and not l.taken and l.price_mills <= ceiling_mills_
        and (delivery_ <> 'instant' or l.delivery = 'instant') and l.id <> all (except_) and l.id <> all (taken_)
      order by l.price_mills, l.id limit amount_ - cardinality(taken_) for update of l skip locked) c;
    taken_ := taken_ || more_;
    if cardinality(taken_) < amount_ and not is_last_try_ and exists (
      select from catalog.listing l join catalog.market m on m.id = l.market and m.enabled and m.online
      where l.item_id = item_id_ and l.live and not l.taken and l.price_mills <= ceiling_mills_
        and (delivery_ <> 'instant' or l.delivery = 'instant') and l.id <> all (except_) and l.id <> all (taken_))
    then
      raise exception 'others hold listings of %', item_id_ using errcode = 'PT423';
    end if;
  end if;

  update catalog.listing l set taken = true where l.id = any (taken_);
  insert into catalog.taken_news (listing_id) select unnest(taken_);
  return query
    select l.id, l.market, l.raw_id, l.price_mills, catalog.description_of(item_, l)
    from catalog.listing l where l.id = any (taken_) order by l.price_mills, l.id;
end $$;

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
  insert into ledger.hold (id, owner_id, journal_id, amount)
    select i.id, account_id_, journal_id_, i.price from trading.item i where i.trade_id = place_quick_buy.trade_id;
  perform outbox.add('trade.initiated', merchant_id_, account_id_, trade_id, '{}', 'trade.initiated:' || trade_id, at_);
end $$;
