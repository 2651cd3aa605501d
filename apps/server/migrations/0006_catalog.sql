-- What exists, what is for sale right now, and what it has sold for. Listings come from the markets'
-- feeds; the only writer besides the feeds is a buy, which takes a listing.
create schema catalog;

-- Every batch of changes carries one number. It is handed out under a lock that is held until the
-- batch commits, so numbers become visible in their order and "after number n" misses nothing.
create sequence catalog.change_seq as bigint;

create function catalog.begin_change() returns bigint
language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('catalog.change', 0));
  perform pg_notify('catalog_change', '');
  return nextval('catalog.change_seq');
end $$;

create table catalog.market (
  id text not null,
  enabled boolean not null default true,
  online boolean not null default false,
  detail text not null default '',
  balance_mills bigint,
  checked_at timestamptz,
  snapshot_at timestamptz,
  changed_seq bigint not null default 0,
  constraint market_pkey primary key (id),
  constraint market_id_form check (id ~ '^[a-z][a-z0-9_]{1,31}$')
);
comment on column catalog.market.enabled is 'the operator''s switch';
comment on column catalog.market.online is 'what the health checks say';
comment on column catalog.market.detail is 'what the last health check answered, for operators';
comment on column catalog.market.balance_mills is 'our own balance at the market, thousandths of a US dollar';
comment on column catalog.market.snapshot_at is 'when all its listings were last read';
insert into catalog.market (id) values ('market_a'), ('market_b');

create table catalog.item (
  id text not null,
  game text not null,
  market_hash_name text not null,
  phase text,
  name text not null,
  type text not null,
  item_type text not null,
  weapon text,
  rarity text not null,
  rarity_color text not null,
  category text not null,
  collection text,
  exterior text,
  float_min double precision,
  float_max double precision,
  icon_url text not null,
  def_index integer not null,
  paint_index integer,
  reference_price_mills bigint not null,
  volume integer not null,
  own_sales integer not null default 0,
  listed boolean not null default true,
  changed_seq bigint not null,
  constraint item_pkey primary key (id),
  constraint item_id_form check (id ~ '^[0-9a-f]{16}$'),
  constraint item_named_once unique nulls not distinct (game, market_hash_name, phase),
  constraint item_reference_price_not_negative check (reference_price_mills >= 0),
  constraint item_float_range check ((float_min is null) = (float_max is null) and float_min <= float_max)
);
comment on column catalog.item.id is 'first 8 bytes of the SHA-256 of game:market_hash_name[:phase], hex';
comment on column catalog.item.reference_price_mills is 'thousandths of a US dollar';
comment on column catalog.item.volume is 'sales a day on the markets, as the item source reports them';
comment on column catalog.item.own_sales is 'items that the service itself sold in the last 30 days';
comment on column catalog.item.listed is 'false when the item source no longer names it; old trades still may';
create index item_changed on catalog.item (changed_seq);

-- `taken` changes in every buy and `live` does not, so no index knows `taken` and a buy's update stays
-- on its page (heap-only).
create table catalog.listing (
  id bigint not null generated always as identity,
  market text not null,
  raw_id text not null,
  item_id text not null,
  price_mills bigint not null,
  delivery text not null,
  wear_text text,
  wear double precision,
  paint_seed integer,
  sticker_count smallint not null,
  details jsonb not null,
  live boolean not null,
  taken boolean not null default false,
  changed_at timestamptz not null,
  changed_seq bigint not null,
  constraint listing_pkey primary key (id),
  constraint listing_of_market unique (market, raw_id),
  constraint listing_market foreign key (market) references catalog.market (id),
  constraint listing_price_positive check (price_mills > 0),
  constraint listing_delivery_known check (delivery in ('standard', 'instant'))
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
comment on column catalog.listing.price_mills is 'what the market asks, thousandths of a US dollar';
comment on column catalog.listing.details is 'what is only shown: ids of the asset, stickers, charm, inspect token';
comment on column catalog.listing.live is 'the market offers it';
comment on column catalog.listing.taken is 'an account of ours has bought it';
comment on column catalog.listing.changed_at is 'when its market last said something new of it';
create index listing_of_item on catalog.listing (item_id, price_mills, id) where live;

-- What is for sale of an item on one market. Kept for each market, so that switching a market off is one
-- row and not twenty thousand.
create table catalog.stock (
  item_id text not null,
  market text not null,
  standard_mills bigint,
  instant_mills bigint,
  standard_count integer not null,
  instant_count integer not null,
  changed_seq bigint not null,
  constraint stock_pkey primary key (item_id, market),
  constraint stock_counts_match_floors check (
    (standard_count > 0) = (standard_mills is not null)
    and (instant_count > 0) = (instant_mills is not null))
) with (fillfactor = 80);
comment on column catalog.stock.standard_mills is 'cheapest live listing with standard delivery, thousandths of a US dollar';
comment on column catalog.stock.instant_mills is 'cheapest live listing with automatic delivery, thousandths of a US dollar';
create index stock_changed on catalog.stock (changed_seq);

-- Listings that were taken or given back since the stock was last counted. A buy appends one row and
-- moves on; a job counts. No index: it is read whole and emptied.
create table catalog.taken_news (
  listing_id bigint not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

-- Sales that are not yet part of an item's days. Read whole and emptied, like the table above.
create table catalog.sale_news (
  item_id text not null,
  price_cents bigint not null,
  sold_at timestamptz not null,
  constraint sale_news_price_positive check (price_cents > 0)
);
comment on column catalog.sale_news.price_cents is 'sourcing price in US cents, before fees';

-- One day of an item: what it sold for and what the cheapest listing was, whenever we looked.
create table catalog.item_day (
  item_id text not null,
  day date not null,
  volume integer not null default 0,
  lowest_cents bigint not null,
  median_cents bigint not null,
  highest_cents bigint not null,
  seen_cents bigint[] not null default '{}',
  constraint item_day_pkey primary key (item_id, day),
  constraint item_day_in_order check (lowest_cents <= median_cents and median_cents <= highest_cents)
);
comment on column catalog.item_day.volume is 'items that the service itself sold';
comment on column catalog.item_day.lowest_cents is 'US cents before fees; so are the others';
comment on column catalog.item_day.seen_cents is 'the prices of a day that is not over, for its median';
create index item_day_of_day on catalog.item_day (day);

-- The middle one of the prices; of two, the lower.
create function catalog.median(prices bigint[]) returns bigint language sql immutable as $$
  select percentile_disc(0.5) within group (order by price) from unnest(prices) price
$$;

-- When the prices of the day were last looked at. One row.
create table catalog.observation (
  only_row boolean not null default true,
  observed_at timestamptz,
  constraint observation_pkey primary key (only_row),
  constraint observation_only_row check (only_row)
);
insert into catalog.observation default values;

-- ---------------------------------------------------------------- doors for trading

-- Takes a listing for a buyer. False, and nothing happened, when it is gone, taken or dearer. Of many
-- callers at once exactly one gets it: the others wait for its row and then find it taken.
create function catalog.take_listing(listing_id bigint, expected_price_mills bigint) returns boolean
language plpgsql as $$
begin
  update catalog.listing l set taken = true
    where l.id = take_listing.listing_id and l.live and not l.taken
      and l.price_mills <= take_listing.expected_price_mills;
  if not found then return false; end if;
  insert into catalog.taken_news (listing_id) values (take_listing.listing_id);
  return true;
end $$;

-- Gives a listing back after a purchase that came to nothing.
create function catalog.release_listing(listing_id bigint) returns void
language plpgsql as $$
begin
  update catalog.listing l set taken = false where l.id = release_listing.listing_id and l.taken;
  if found then
    insert into catalog.taken_news (listing_id) values (release_listing.listing_id);
  end if;
end $$;

-- Remembers a settled sale: `price_cents` is the sourcing price in US cents, before fees.
create function catalog.record_sale(item_id text, price_cents bigint, at timestamptz) returns void
language sql as $$
  insert into catalog.sale_news (item_id, price_cents, sold_at) values (item_id, price_cents, at)
$$;

-- What is remembered of a listing by those who buy it, as modules/trading/catalog/store/listings.ts describes it;
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
-- that is not locked, without waiting: a transaction that waits while it holds locks can deadlock. When others
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

-- What changed of which listings, for processes that pass it on. One row a batch, under the
-- number of the batch: "after number n" misses nothing. It says which listings to look at and not what
-- became of them: a reader sees the state of the moment, and several changes of one listing are one.
create table catalog.listing_change (
  seq bigint not null,
  at timestamptz not null,
  appeared bigint[] not null,
  changed bigint[] not null,
  market text,
  constraint listing_change_pkey primary key (seq)
);
comment on column catalog.listing_change.at is 'rises with seq, whichever process wrote the row';
comment on column catalog.listing_change.appeared is 'listings that were not for sale before: new, back, or given back';
comment on column catalog.listing_change.changed is 'listings that have another price or other fields, or are gone';
comment on column catalog.listing_change.market is 'set when a whole market went or came back';

-- Called with the number of the batch that is open, so one at a time: `at` never falls.
create function catalog.note_listing_change(
  seq_ bigint, at_ timestamptz, appeared_ bigint[], changed_ bigint[], market_ text) returns void
language sql as $$
  insert into catalog.listing_change (seq, at, appeared, changed, market)
  values (seq_,
    greatest(at_, (select c.at from catalog.listing_change c order by c.seq desc limit 1)),
    appeared_, changed_, market_)
$$;
