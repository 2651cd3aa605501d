-- bears: previous
-- Market orders: standing orders to buy an item at no more than a price. No money is put aside; each fill is a buy.
create schema bidding;

create type bidding.status as enum ('open', 'paused', 'filled', 'cancelled', 'expired');

create table bidding.market_order (
  tenant_id uuid not null,
  id uuid not null default uuidv7(),
  account_id uuid not null,
  key_id uuid,
  external_id text not null,
  request_hash bytea not null,
  item_id text not null,
  market_hash_name text not null,
  filters jsonb not null,
  instant_only boolean not null,
  min_wear double precision,
  max_wear double precision,
  paint_seeds integer[],
  trade_url text,
  platform_id text,
  currency ledger.currency not null,
  max_price bigint not null,
  quantity integer not null,
  pending integer not null default 0,
  filled integer not null default 0,
  status bidding.status not null,
  paused_reason text,
  faults integer not null default 0,
  failed_url text,
  needed bigint,
  match_at timestamptz,
  look_at timestamptz,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint market_order_pkey primary key (tenant_id, id),
  constraint market_order_once unique (id),
  constraint market_order_replay unique (tenant_id, account_id, external_id),
  constraint market_order_max_price_positive check (max_price > 0),
  constraint market_order_quantity_in_range check (quantity between 1 and 100),
  constraint market_order_within_quantity check (pending >= 0 and filled >= 0 and pending + filled <= quantity),
  constraint market_order_filled_when_full check (status <> 'filled' or filled = quantity),
  constraint market_order_pause_has_reason check ((status = 'paused') = (paused_reason is not null)),
  constraint market_order_reason_known check (paused_reason in ('INSUFFICIENT_BALANCE', 'ACCOUNT_SUSPENDED',
    'TRADEURL_INVALID_TOKEN', 'SPENDING_LIMIT_REACHED', 'SERVICE_DISABLED')),
  constraint market_order_wears_in_order check (min_wear <= max_wear),
  constraint market_order_trade_url_is_known check ((trade_url is null) = (platform_id is null))
) with (fillfactor = 80);
comment on table bidding.market_order is 'closed ones stay: their external ids stay taken, and their trades lead to them';
comment on column bidding.market_order.key_id is 'the API key that made it: fills count under its spend limit; null: made in the dashboard';
comment on column bidding.market_order.request_hash is 'SHA-256 of the request: a replay under one external id must bring the same';
comment on column bidding.market_order.filters is 'as given; what they mean stands in the columns that follow';
comment on column bidding.market_order.trade_url is 'where fills are delivered; null: the primary trade URL at the time of the fill';
comment on column bidding.market_order.max_price is 'cents of the wallet''s currency, fees included, for one unit';
comment on column bidding.market_order.pending is 'fills under way; changed in the commit of the fill and of each step of its trade, like filled';
comment on column bidding.market_order.filled is 'fills in their hold or completed';
comment on column bidding.market_order.faults is 'fills in a row that failed by the buyer''s fault';
comment on column bidding.market_order.failed_url is 'the trade URL of the last of them; null while there is none';
comment on column bidding.market_order.needed is 'cents that the last fill refused for the balance or a limit would have cost';
comment on column bidding.market_order.match_at is 'when listings that are already there are to be looked through for it; null: only new ones';
comment on column bidding.market_order.look_at is 'of a paused order: when to see whether the cause is gone';

-- The best orders for a listing: of one item and currency, the highest price first, then the oldest.
create index market_order_matched on bidding.market_order (item_id, currency, max_price desc, created_at, id)
  where status = 'open';
create index market_order_to_match on bidding.market_order (tenant_id, match_at, id) where status = 'open' and match_at is not null;
create index market_order_to_look on bidding.market_order (tenant_id, look_at, id) where status = 'paused' and look_at is not null;
create index market_order_disabled on bidding.market_order (tenant_id, id) where status = 'paused' and paused_reason = 'SERVICE_DISABLED';
create index market_order_to_expire on bidding.market_order (expires_at) where status in ('open', 'paused');
create index market_order_alive on bidding.market_order (tenant_id, account_id) where status in ('open', 'paused');
create index market_order_listed on bidding.market_order (tenant_id, account_id, id);

-- A listing that an order tried: bought once, and never again for the same order.
create table bidding.fill (
  tenant_id uuid not null,
  order_id uuid not null,
  listing_id bigint not null,
  trade_id uuid not null,
  constraint fill_pkey primary key (tenant_id, order_id, listing_id),
  constraint fill_order foreign key (tenant_id, order_id) references bidding.market_order (tenant_id, id)
);
create trigger fill_append_only before update or delete or truncate on bidding.fill
  for each statement execute function ledger.deny();

-- An order outlives the rotations of its key, and their limit of spending is one, also when it is set after a rotation.
alter table identity.api_key add column lineage_id uuid;
comment on column identity.api_key.lineage_id is 'the first of the keys that were rotated one to the next; null: this is the first';

-- Whether an account may act: neither it nor the merchant above it is suspended or deleted.
create function identity.may_act(account_id_ uuid) returns boolean
language sql stable as $$
  select exists (
    select from identity.account a left join identity.account p on p.id = a.parent_id
    where a.id = account_id_ and a.status = 'active' and coalesce(p.status, 'active') = 'active') $$;

-- The fees of a buy of an account that may act, in basis points; no row for one that may not. Twin of effectiveFees.
create function identity.buy_fees_of(account_id_ uuid, default_bps_ integer)
  returns table (house_fee_bps integer, merchant_fee_bps integer)
language sql stable as $$
  select coalesce(a.fee_bps, p.child_default_fee_bps, default_bps_), coalesce(p.buy_fee_bps, 0)
  from identity.account a left join identity.account p on p.id = a.parent_id
  where a.id = account_id_ and a.status = 'active' and coalesce(p.status, 'active') = 'active' $$;

create function pricing.default_fee_bps() returns integer
language sql stable as $$ select s.global_default_bps from pricing.setting s $$;

create function identity.primary_trade_url_of(account_id_ uuid) returns text
language sql stable as $$ select t.url from identity.trade_url t where t.account_id = account_id_ and t.is_primary $$;

-- ---------------------------------------------------------------- beginning

-- Places an order, or answers the one that was placed under the external id. Orders of one tenant are counted one after
-- the other. PT409: another request under the external id · PT440: too many orders of the account or the tenant are
-- open · 23514 account_is_active
create function bidding.place_order(
  tenant_id_ uuid, account_id_ uuid, key_id_ uuid, external_id_ text, request_hash_ bytea, item_id_ text,
  market_hash_name_ text, filters_ jsonb, instant_only_ boolean, min_wear_ double precision, max_wear_ double precision,
  paint_seeds_ integer[], trade_url_ text, platform_id_ text, currency_ ledger.currency, max_price_ bigint, quantity_ integer,
  expires_at_ timestamptz, is_paused_ boolean, at_ timestamptz, out id uuid, out replayed boolean)
language plpgsql as $$
declare
  most_of_account constant integer := 200;
  most_of_tenant constant integer := 5000;
  found_ record;
begin
  replayed := false;
  perform pg_advisory_xact_lock(hashtextextended('bidding.place_order:' || tenant_id_, 0));
  select o.id, o.request_hash into found_ from bidding.market_order o
    where o.tenant_id = tenant_id_ and o.account_id = account_id_ and o.external_id = external_id_;
  if found_.id is not null then
    if found_.request_hash <> request_hash_ then
      raise exception 'external id reused with another request' using errcode = 'PT409';
    end if;
    id := found_.id;
    replayed := true;
    return;
  end if;
  perform identity.lock_active_account(account_id_);
  if (select count(*) >= most_of_tenant or count(*) filter (where o.account_id = account_id_) >= most_of_account
      from bidding.market_order o where o.tenant_id = tenant_id_ and o.status in ('open', 'paused')) then
    raise exception 'too many market orders are open' using errcode = 'PT440';
  end if;
  insert into bidding.market_order (tenant_id, account_id, key_id, external_id, request_hash, item_id, market_hash_name,
      filters, instant_only, min_wear, max_wear, paint_seeds, trade_url, platform_id, currency, max_price, quantity,
      status, match_at, expires_at, created_at, updated_at)
    values (tenant_id_, account_id_, key_id_, external_id_, request_hash_, item_id_, market_hash_name_, filters_,
      instant_only_, min_wear_, max_wear_, paint_seeds_, trade_url_, platform_id_, currency_, max_price_, quantity_,
      'open', at_, expires_at_, at_, at_)
    returning market_order.id into id;
  if is_paused_ then perform bidding.pause(tenant_id_, id, 'SERVICE_DISABLED', null, at_); end if;
end $$;

-- ---------------------------------------------------------------- pausing, going on, ending

-- Pauses an open order, with its event. `needed_`: what a fill that was refused would have cost. An order that is not
-- open stays as it is. One that names its trade URL waits for a change of the order.
create function bidding.pause(tenant_id_ uuid, order_id_ uuid, reason_ text, needed_ bigint, at_ timestamptz) returns void
language plpgsql as $$
declare
  order_ bidding.market_order;
  pause_id_ uuid := uuidv7();
begin
  update bidding.market_order o set status = 'paused', paused_reason = reason_, needed = needed_, match_at = null,
      look_at = case when reason_ in ('INSUFFICIENT_BALANCE', 'SPENDING_LIMIT_REACHED')
        or (reason_ = 'TRADEURL_INVALID_TOKEN' and o.trade_url is null) then at_ end, updated_at = at_
    where o.tenant_id = tenant_id_ and o.id = order_id_ and o.status = 'open' returning o.* into order_;
  if order_.id is null then return; end if;
  perform outbox.add('market_order.paused', 'market_order', tenant_id_, order_.account_id, order_id_,
    jsonb_build_object('pauseId', pause_id_, 'reason', reason_), pause_id_, at_);
end $$;

-- An order that is paused for this reason goes on, and looks through what is for sale.
create function bidding.resume(tenant_id_ uuid, order_id_ uuid, reason_ text, at_ timestamptz) returns void
language sql as $$
  update bidding.market_order o set status = 'open', paused_reason = null, needed = null, look_at = null, match_at = at_,
      faults = case when reason_ = 'TRADEURL_INVALID_TOKEN' then 0 else least(o.faults, 2) end, updated_at = at_
    where o.tenant_id = tenant_id_ and o.id = order_id_ and o.status = 'paused' and o.paused_reason = reason_ $$;

-- Ends an order that is open or paused, with its event; false when it had ended already.
create function bidding.end_order(tenant_id_ uuid, order_id_ uuid, to_ bidding.status, at_ timestamptz) returns boolean
language plpgsql as $$
declare order_ bidding.market_order;
begin
  update bidding.market_order o set status = to_, paused_reason = null, needed = null, match_at = null, look_at = null,
      updated_at = at_
    where o.tenant_id = tenant_id_ and o.id = order_id_ and o.status in ('open', 'paused') returning o.* into order_;
  if order_.id is null then return false; end if;
  perform outbox.add(case to_ when 'filled' then 'market_order.filled' else 'market_order.closed' end, 'market_order',
    tenant_id_, order_.account_id, order_id_, '{}', order_id_, at_);
  return true;
end $$;

-- Cancels what accounts that are about to be deleted have left.
create function bidding.cancel_all(account_ids_ uuid[], at_ timestamptz) returns void
language plpgsql as $$
declare order_ record;
begin
  for order_ in
    select o.tenant_id, o.id from bidding.market_order o join identity.lock_owners(account_ids_) a
      on a.tenant_id = o.tenant_id and a.account_id = o.account_id
    where o.status in ('open', 'paused') order by o.tenant_id, o.id
  loop
    perform bidding.end_order(order_.tenant_id, order_.id, 'cancelled', at_);
  end loop;
end $$;

-- ---------------------------------------------------------------- fills

-- Takes one unit of an order for a buy of this transaction. PT412: the order is not open any more, is full, has ended or
-- pays less than the price · 23505 fill_pkey: the order has tried this listing before. It is the last lock of the
-- transaction: steps of fills lock the order after all else, too.
create function bidding.take_unit(
  tenant_id_ uuid, order_id_ uuid, listing_id_ bigint, trade_id_ uuid, price_ bigint, at_ timestamptz) returns void
language plpgsql as $$
begin
  update bidding.market_order o set pending = o.pending + 1, updated_at = at_
    where o.tenant_id = tenant_id_ and o.id = order_id_ and o.status = 'open' and o.pending + o.filled < o.quantity
      and o.max_price >= price_ and o.expires_at > at_;
  if not found then
    raise exception 'market order % takes no more', order_id_ using errcode = 'PT412';
  end if;
  insert into bidding.fill (tenant_id, order_id, listing_id, trade_id) values (tenant_id_, order_id_, listing_id_, trade_id_);
end $$;

-- Counts a step of the trade of a fill, in the commit of the step. What a failed or reversed fill gives back is looked
-- for again; `trade_url_` is that of the trade.
create function bidding.count_step(
  tenant_id_ uuid, order_id_ uuid, from_hold_ boolean, to_hold_ boolean, is_over_ boolean, by_buyer_ boolean,
  trade_url_ text, at_ timestamptz) returns void
language plpgsql as $$
declare
  most_faults constant integer := 3;
  order_ bidding.market_order;
begin
  select o.* into strict order_ from bidding.market_order o where o.tenant_id = tenant_id_ and o.id = order_id_ for no key update;
  if to_hold_ then
    update bidding.market_order o set pending = o.pending - 1, filled = o.filled + 1, faults = 0, failed_url = null, updated_at = at_
      where o.tenant_id = tenant_id_ and o.id = order_id_;
    if order_.filled + 1 = order_.quantity then perform bidding.end_order(tenant_id_, order_id_, 'filled', at_); end if;
  -- A filled order stays filled, whatever is taken back later.
  elsif is_over_ and order_.status <> 'filled' then
    update bidding.market_order o set
        pending = o.pending - case when from_hold_ then 0 else 1 end,
        filled = o.filled - case when from_hold_ then 1 else 0 end,
        faults = o.faults + case when by_buyer_ then 1 else 0 end,
        failed_url = case when by_buyer_ then trade_url_ else o.failed_url end,
        match_at = case when o.status = 'open' then at_ end, updated_at = at_
      where o.tenant_id = tenant_id_ and o.id = order_id_;
    if by_buyer_ and order_.faults + 1 >= most_faults then
      perform bidding.pause(tenant_id_, order_id_, 'TRADEURL_INVALID_TOKEN', null, at_);
    end if;
  end if;
end $$;

-- ---------------------------------------------------------------- matching

-- Tenants with orders that are to look through what is for sale, from one index probe each.
create function bidding.tenants_to_match() returns setof uuid
language sql stable as $$
  with recursive tenant (id) as (
    (select o.tenant_id from bidding.market_order o where o.status = 'open' and o.match_at is not null order by o.tenant_id limit 1)
    union all
    select (select o.tenant_id from bidding.market_order o
        where o.status = 'open' and o.match_at is not null and o.tenant_id > tenant.id order by o.tenant_id limit 1)
    from tenant where tenant.id is not null)
  select tenant.id from tenant where tenant.id is not null $$;

-- Claims orders that are to look through what is for sale: of each tenant the oldest few, so that a tenant with thousands
-- of them delays no other. The claim moves match_at ahead; when the worker dies, another claims them after that.
create function bidding.claim_to_match(limit_ integer, at_ timestamptz, lease_until_ timestamptz)
  returns setof bidding.market_order
language sql as $$
  with turn as (
    select due.tenant_id, due.id, due.place from bidding.tenants_to_match() t (id) cross join lateral (
      select o.tenant_id, o.id, row_number() over (order by o.match_at, o.id) place from (
        select o.* from bidding.market_order o
        where o.tenant_id = t.id and o.status = 'open' and o.match_at <= at_ order by o.match_at, o.id limit limit_) o) due
    order by due.place, due.id limit limit_),
  claimed as (
    select o.tenant_id, o.id from bidding.market_order o join turn on turn.tenant_id = o.tenant_id and turn.id = o.id
    where o.status = 'open' and o.match_at <= at_ for update of o skip locked)
  update bidding.market_order o set match_at = lease_until_ from claimed
    where o.tenant_id = claimed.tenant_id and o.id = claimed.id returning o.* $$;

-- ---------------------------------------------------------------- looking whether a pause may end

-- As tenants_to_match, of paused orders whose cause is to be looked at.
create function bidding.tenants_to_look() returns setof uuid
language sql stable as $$
  with recursive tenant (id) as (
    (select o.tenant_id from bidding.market_order o where o.status = 'paused' and o.look_at is not null order by o.tenant_id limit 1)
    union all
    select (select o.tenant_id from bidding.market_order o
        where o.status = 'paused' and o.look_at is not null and o.tenant_id > tenant.id order by o.tenant_id limit 1)
    from tenant where tenant.id is not null)
  select tenant.id from tenant where tenant.id is not null $$;

-- Claims paused orders that are due, in turn among tenants. They are due again after as long as they have been paused,
-- three seconds at least and a minute at most: the longer a cause lasts, the less often it is looked at.
create function bidding.claim_to_look(limit_ integer, at_ timestamptz) returns setof bidding.market_order
language sql as $$
  with turn as (
    select due.tenant_id, due.id, due.place from bidding.tenants_to_look() t (id) cross join lateral (
      select o.tenant_id, o.id, row_number() over (order by o.look_at, o.id) place from (
        select o.* from bidding.market_order o
        where o.tenant_id = t.id and o.status = 'paused' and o.look_at <= at_ order by o.look_at, o.id limit limit_) o) due
    order by due.place, due.id limit limit_),
  claimed as (
    select o.tenant_id, o.id from bidding.market_order o join turn on turn.tenant_id = o.tenant_id and turn.id = o.id
    where o.status = 'paused' and o.look_at <= at_ for update of o skip locked)
  update bidding.market_order o
    set look_at = at_ + least(interval '1 minute', greatest(interval '3 seconds', at_ - o.updated_at)) from claimed
    where o.tenant_id = claimed.tenant_id and o.id = claimed.id returning o.* $$;
