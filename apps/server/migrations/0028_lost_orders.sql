-- bears: previous
-- Orders that were sent to a market and that a restore has lost with their trades, by what the processes noted
-- outside the database: see reconciliation/lost-orders.ts.
create table buying.restore (
  id uuid not null default uuidv7(),
  history text not null,
  copy_of timestamptz not null,
  restored_at timestamptz not null,
  constraint restore_pkey primary key (id)
);
comment on column buying.restore.history is 'cluster and timeline of the database as it is since then';
comment on column buying.restore.copy_of is 'of the newest thing that the restored database had';
comment on column buying.restore.restored_at is 'when a process noticed it';

create table buying.lost_order (
  custom_id text not null,
  restore_id uuid not null,
  market text not null,
  market_account text not null,
  tenant_id uuid not null,
  account_id uuid not null,
  user_external_id text,
  external_id text,
  trade_url text not null,
  listing_id bigint not null,
  raw_listing_id text not null,
  game text not null,
  catalog_item_id text not null,
  description jsonb not null,
  currency ledger.currency not null,
  sourcing_mills bigint not null,
  price bigint not null,
  house_fee bigint not null,
  merchant_fee bigint not null,
  begun_at timestamptz not null,
  trade_id uuid,
  adopted_at timestamptz,
  closed_at timestamptz,
  constraint lost_order_pkey primary key (custom_id),
  constraint lost_order_restore foreign key (restore_id) references buying.restore (id),
  constraint lost_order_adopted check ((trade_id is null) = (adopted_at is null)),
  constraint lost_order_ends_once check (adopted_at is null or closed_at is null)
);
comment on column buying.lost_order.custom_id is 'our id of the order at its market';
comment on column buying.lost_order.account_id is 'as it was: the account may be lost too';
comment on column buying.lost_order.user_external_id is 'the account by the name that its merchant gave it';
comment on column buying.lost_order.listing_id is 'as it was named to the buyer: the catalog may have given the number to another listing since';
comment on column buying.lost_order.sourcing_mills is 'what the market was allowed to take, 1/1000 USD';
comment on column buying.lost_order.price is 'cents of the wallet''s currency, like house_fee and merchant_fee: what the buyer had paid';
comment on column buying.lost_order.trade_id is 'the trade that a repeated buy has made of it';
comment on column buying.lost_order.closed_at is 'when it was booked as a loss';
create index lost_order_by_external_id on buying.lost_order (tenant_id, external_id);
create index lost_order_of_restore on buying.lost_order (restore_id, tenant_id, begun_at);

-- What is noted of an item before its order leaves.
create function trades.items_to_note(item_ids_ uuid[])
  returns table (
    id uuid, tenant_id uuid, account_id uuid, external_id text, game text, currency ledger.currency,
    catalog_item_id text, description jsonb, house_fee bigint, merchant_fee bigint)
language sql stable as $$
  select i.id, t.tenant_id, t.account_id, t.external_id, t.game, t.currency, i.catalog_item_id, i.description,
    i.house_fee, i.merchant_fee
  from trades.item i join trades.trade t on t.id = i.trade_id where i.id = any (item_ids_) $$;

-- The restore of this history: processes that notice it one after the other, for up to a day, note the same one.
create function buying.note_restore(history_ text, copy_of_ timestamptz, at_ timestamptz) returns uuid
language plpgsql as $$
declare restore_id_ uuid;
begin
  perform pg_advisory_xact_lock(hashtextextended('buying.restore', 0));
  select r.id into restore_id_ from buying.restore r
    where r.history = history_ and r.restored_at > at_ - interval '1 day' order by r.id desc limit 1;
  if restore_id_ is null then
    insert into buying.restore (history, copy_of, restored_at) values (history_, copy_of_, at_)
      returning id into restore_id_;
  end if;
  return restore_id_;
end $$;

-- Whether orders under this external id of the account are lost, and no trade has adopted them.
create function buying.is_lost(tenant_id_ uuid, account_id_ uuid, external_id_ text) returns boolean
language sql stable as $$
  select exists (
    select from buying.lost_order l
    where l.tenant_id = tenant_id_ and l.external_id = external_id_ and l.trade_id is null
      and (l.account_id = account_id_ or l.user_external_id = identity.external_id_of(account_id_))) $$;

-- As before, and refuses (PT421) what may have been bought already under its external id.
create or replace function buying.add_items(
  trade_id_ uuid, tenant_id_ uuid, account_id_ uuid, currency_ ledger.currency, request_hash_ bytea,
  external_id_ text, at_ timestamptz, total_ bigint, external_ids_ text[], listing_ids_ bigint[], markets_ text[],
  raw_listing_ids_ text[], catalog_item_ids_ text[], descriptions_ jsonb[], sourcing_mills_ bigint[],
  prices_ bigint[], house_fees_ bigint[], merchant_fees_ bigint[]) returns void
language plpgsql as $$
declare
  journal_id_ uuid;
  item_ids_ uuid[];
begin
  if external_id_ is not null and buying.is_lost(tenant_id_, account_id_, external_id_) then
    raise exception 'orders under this external id were lost by a restore' using errcode = 'PT421', detail = markets_[1];
  end if;
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

-- Takes a listing that is bought already, whatever it asks now. Null when the catalog lacks it or it is taken.
create function catalog.take_bought(market_ text, raw_id_ text) returns bigint
language plpgsql as $$
declare listing_id_ bigint;
begin
  update catalog.listing l set taken = true where l.market = market_ and l.raw_id = raw_id_ and not l.taken
    returning l.id into listing_id_;
  if listing_id_ is not null then
    insert into catalog.taken_news (listing_id) values (listing_id_);
  end if;
  return listing_id_;
end $$;

-- Makes a trade of a lost order: escrow, item and event in one commit, at the price of that time. Its order is
-- unknown, as after any lost answer, and is followed under the id that its market has. A known external id
-- returns the first receipt. Raises what trades.begin_or_replay does, and:
--   PT421 the order has been adopted or booked as a loss, or is not the only one of its trade
--   PT429 see check_waiting
create function buying.adopt_order(
  tenant_id_ uuid, account_id_ uuid, platform_id_ text, trade_url_ text, external_id_ text,
  request_hash_ bytea, game_ text, currency_ ledger.currency, usd_per_eur_micros_ bigint, request_id_ uuid,
  at_ timestamptz, custom_id_ text, item_external_id_ text, price_ bigint,
  out trade_id uuid, out replayed boolean, out item_count smallint, out total bigint, out created_at timestamptz)
language plpgsql as $$
declare
  lost_ buying.lost_order;
  item_id_ uuid;
begin
  select b.* into trade_id, replayed, item_count, total, created_at
    from trades.begin_or_replay('buy', tenant_id_, account_id_, platform_id_, trade_url_, external_id_,
      request_hash_, game_, currency_, usd_per_eur_micros_, request_id_, at_, 1, price_) b;
  if replayed then return; end if;
  update buying.lost_order l set trade_id = adopt_order.trade_id, adopted_at = at_
    where l.custom_id = custom_id_ and l.adopted_at is null and l.closed_at is null returning l.* into lost_;
  if lost_.custom_id is null then
    raise exception 'order % has been adopted or closed', custom_id_ using errcode = 'PT421';
  end if;
  -- A number that stands for no listing of the catalog is negative: nothing is given back under it.
  perform buying.add_items(trade_id, tenant_id_, account_id_, currency_, request_hash_, external_id_, at_, total,
    array[item_external_id_],
    array[coalesce(catalog.take_bought(lost_.market, lost_.raw_listing_id), -lost_.listing_id)],
    array[lost_.market], array[lost_.raw_listing_id], array[lost_.catalog_item_id], array[lost_.description],
    array[lost_.sourcing_mills], array[lost_.price], array[lost_.house_fee], array[lost_.merchant_fee]);
  update buying.item i set work = 'follow' where i.trade_id = adopt_order.trade_id returning i.id into item_id_;
  insert into buying.supplier_order (item_id, market, custom_id, state, sent_at, detail)
    values (item_id_, lost_.market, lost_.custom_id, 'unknown', lost_.begun_at, 'adopted after a restore');
end $$;
