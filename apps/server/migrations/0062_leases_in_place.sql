-- bears: previous
-- A claim of an item writes its lease alone: no index has it, so the row is changed in its place and no index is written.
-- With due_at, four or five were. An item is due when both moments have passed, and what sets due_at ends the lease. A
-- process of the release before does not say `knows_leases_`: it keeps its lease in due_at as before, and passes over
-- what is leased. What it makes due while another process looks at it is looked at one poll later.
-- permits signature buying.claim_followed(market_ text, limit_ integer, at_ timestamp with time zone, along_until_ timestamp with time zone, lease_until_ timestamp with time zone, market_account_ text DEFAULT 'main'::text) returns SETOF uuid: what calls it without the last parameter keeps its lease in due_at
-- permits signature buying.claim_placements(market_ text, limit_ integer, at_ timestamp with time zone, lease_until_ timestamp with time zone, placeable_since_ timestamp with time zone, market_account_ text DEFAULT 'main'::text) returns SETOF buying.item: what calls it without the last parameter keeps its lease in due_at
alter table buying.item add column leased_until timestamptz;
comment on column buying.item.due_at is
  'when a worker looks at it next; begin_order sets it to the end of the lease of its call';
comment on column buying.item.leased_until is 'the worker that claimed it has it until then; null: none has';

-- As before, otherwise.
drop function buying.claim_placements(text, integer, timestamptz, timestamptz, timestamptz, text);
create function buying.claim_placements(
  market_ text, limit_ integer, at_ timestamptz, lease_until_ timestamptz, placeable_since_ timestamptz,
  market_account_ text default 'main', knows_leases_ boolean default false)
  returns setof buying.item
language plpgsql as $$
declare
  nil constant uuid := '00000000-0000-0000-0000-000000000000';
  now_ double precision;
  most_ bigint := buying.most_placeable(market_, market_account_);
begin
  if not exists (
    select from buying.item i where i.market = market_ and i.work = 'place' and i.sourcing_mills <= most_)
  then return; end if;
  insert into buying.turn (market, party_id, passed) values (market_, nil, 0) on conflict do nothing;
  -- One worker after the other: each goes on where the one before has left the turns.
  select t.passed into now_ from buying.turn t where t.market = market_ and t.party_id = nil for update;
  return query
    with waiting as materialized (
      select i.id, i.tenant_id, i.account_id, i.created_at, i.by_hand,
        row_number() over (partition by i.account_id order by i.by_hand, i.created_at, i.id) nth
      from buying.item i
      where i.market = market_ and i.work = 'place' and i.due_at <= at_ and coalesce(i.leased_until <= at_, true)
        and i.created_at > placeable_since_
        and i.sourcing_mills <= most_),
    tenant as (
      select w.tenant_id, coalesce(t.passed, now_) begins,
        buying.turn_weight(w.tenant_id) weight
      from (select distinct tenant_id from waiting) w
        left join buying.turn t on t.market = market_ and t.party_id = w.tenant_id),
    of_tenant as (
      select w.*, row_number() over (
          partition by w.tenant_id order by w.nth, a.passed nulls first, w.by_hand, w.created_at, w.id) nth_of_tenant
      from waiting w left join buying.turn a on a.market = market_ and a.party_id = w.account_id),
    chosen as (
      select o.id, o.tenant_id, o.account_id, t.begins + o.nth_of_tenant::double precision / t.weight ends,
        t.begins + (o.nth_of_tenant - 1)::double precision / t.weight begins
      from of_tenant o join tenant t on t.tenant_id = o.tenant_id
      order by ends, o.created_at, o.id limit limit_),
    free as (
      select i.id from buying.item i
      where i.id in (select c.id from chosen c) and i.work = 'place' and i.due_at <= at_
        and coalesce(i.leased_until <= at_, true) for update skip locked),
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
    update buying.item i set due_at = case when knows_leases_ then i.due_at else lease_until_ end,
        leased_until = case when knows_leases_ then lease_until_ end
      from free where i.id = free.id returning i.*;
end $$;

-- As before. What names the claim is the later of the two moments: a claim of either release.
create or replace function buying.begin_order(
  item_id_ uuid, claimed_until_ timestamptz, at_ timestamptz, lease_until_ timestamptz,
  market_account_ text default 'main', key_version_ integer default 1) returns text
language plpgsql as $$
declare
  market_ text;
  most_ bigint;
  custom_id_ text;
begin
  select i.market into market_ from buying.item i where i.id = item_id_;
  perform from buying.market_account a
    where a.market = market_ and a.name = market_account_ and a.key_version = key_version_ for no key update;
  if not found then return null; end if;
  -- A statement of its own: it sees the orders that began before the lock was given.
  most_ := buying.most_placeable(market_, market_account_);
  with claimed as (
    update buying.item i set work = 'follow', due_at = lease_until_, leased_until = null, market_account = market_account_
      where i.id = item_id_ and i.work = 'place' and greatest(i.due_at, i.leased_until) = claimed_until_
        and i.market = market_ and i.sourcing_mills <= most_
        -- What another account began, it follows; only where no call has left the order may begin anew.
        and not exists (
          select from buying.supplier_order o
          where o.item_id = i.id and o.state <> 'not_sent' and o.market_account <> market_account_)
      returning i.id, i.market, i.attempt)
  insert into buying.supplier_order as o (item_id, market, market_account, custom_id, state, sent_at)
    select c.id, c.market, market_account_, c.id::text || case when c.attempt > 1 then '-' || c.attempt else '' end,
      'placing', at_
    from claimed c
    on conflict (item_id) do update
      set state = 'placing', sent_at = excluded.sent_at, market_account = excluded.market_account
    returning o.custom_id into custom_id_;
  return custom_id_;
end $$;

-- As before, past what is leased.
create or replace function buying.followed_in_turn(
  market_ text, room_ integer, at_ timestamptz, along_until_ timestamptz, except_ uuid[],
  market_account_ text) returns setof uuid
language plpgsql stable
set enable_seqscan = off set enable_sort = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  return query
  with recursive oldest as (
    (select i.tenant_id, i.due_at from buying.item i
     where i.market = market_ and i.market_account = market_account_ and i.work = 'follow'
       and coalesce(i.leased_until <= at_, true)
     order by i.market, i.market_account, i.tenant_id, i.due_at limit 1)
    union all
    select next.tenant_id, next.due_at from oldest cross join lateral (
      select i.tenant_id, i.due_at from buying.item i
      where i.market = market_ and i.market_account = market_account_ and i.work = 'follow'
        and i.tenant_id > oldest.tenant_id and coalesce(i.leased_until <= at_, true)
      order by i.market, i.market_account, i.tenant_id, i.due_at limit 1) next),
  party as (
    select o.tenant_id id from oldest o where o.due_at <= along_until_ order by o.due_at limit room_),
  turn as (
    select one.id, one.due_at, row_number() over (partition by p.id order by one.due_at) nth
    from party p cross join lateral (
      select i.id, i.due_at from buying.item i
      where i.market = market_ and i.market_account = market_account_ and i.work = 'follow' and i.tenant_id = p.id
        and i.due_at <= along_until_ and coalesce(i.leased_until <= at_, true) and i.id <> all (except_)
      order by i.market, i.market_account, i.tenant_id, i.due_at limit room_) one)
  select t.id from turn t order by t.due_at > at_, t.nth, t.due_at limit room_;
end $$;

drop function buying.claim_followed(text, integer, timestamptz, timestamptz, timestamptz, text);
create function buying.claim_followed(
  market_ text, limit_ integer, at_ timestamptz, along_until_ timestamptz, lease_until_ timestamptz,
  market_account_ text default 'main', knows_leases_ boolean default false)
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
    where i.market = market_ and i.market_account = market_account_ and i.work = 'follow' and i.due_at <= at_
      and coalesce(i.leased_until <= at_, true)
    order by i.due_at limit 1;
  if not found then return; end if;
  perform pg_advisory_xact_lock(hashtextextended('buying.claim_followed:' || market_ || ':' || market_account_, 0));
  unanswered_ := array(
    with lost as materialized (
      select i.id, i.work, i.due_at, i.leased_until
      from buying.supplier_order o join buying.item i on i.id = o.item_id
      where o.market = market_ and o.market_account = market_account_ and o.state in ('placing', 'unknown'))
    select l.id from lost l
    where l.work = 'follow' and l.due_at <= at_ and coalesce(l.leased_until <= at_, true)
    order by l.due_at limit limit_);
  room_ := limit_ - cardinality(unanswered_);
  moving_ := array(
    select i.id from buying.item i
    where i.market = market_ and i.market_account = market_account_ and i.work = 'follow' and i.due_at <= along_until_
      and coalesce(i.leased_until <= at_, true) and i.id <> all (unanswered_)
    order by i.due_at limit room_ + 1);
  if cardinality(moving_) > room_ then
    moving_ := array(select buying.followed_in_turn(market_, room_, at_, along_until_, unanswered_, market_account_));
  end if;
  return query
    with locked as (
      select i.id, i.work, i.due_at, i.leased_until from buying.item i where i.id = any (unanswered_ || moving_)
      for update skip locked)
    update buying.item i set due_at = case when knows_leases_ then i.due_at else lease_until_ end,
        leased_until = case when knows_leases_ then lease_until_ end
      from locked l
      where i.id = l.id and l.work = 'follow' and l.due_at <= along_until_
        and coalesce(l.leased_until <= at_, true) returning i.id;
end $$;

-- As before, and a step ends the lease.
create or replace function buying.move_item(
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
      leased_until = null,
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

-- Likewise.
create or replace function buying.swap_listing(
  item_id_ uuid, failure_code_ text, detail_ text, at_ timestamptz, is_last_try_ boolean) returns boolean
language plpgsql as $$
declare
  most_attempts constant smallint := 5;
  trade_ record;
  item_ buying.item;
  old_ record;
  quick_ buying.quick_buy;
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
  select i.* into strict item_ from buying.item i where i.id = item_id_;
  if item_.attempt >= most_attempts then return false; end if;
  select q.* into strict quick_ from buying.quick_buy q where q.trade_id = item_.trade_id;
  select t.* into strict trade_ from trades.lock_trade(item_.trade_id) t;
  select i.* into strict old_ from trades.items_by_id(array[item_id_]) i;
  select l.* into listing_ from catalog.take_cheapest(quick_.catalog_item_id, quick_.ceiling_mills, quick_.delivery, 1,
    array(select r.listing_id from buying.refused_order r where r.item_id = item_id_) || item_.listing_id, is_last_try_) l;
  if listing_.id is null then return false; end if;
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
    select item_id_, item_.attempt, o.market, o.custom_id, item_.listing_id, item_.raw_listing_id,
      item_.sourcing_mills, old_.price, o.sent_at, at_, failure_code_, left(detail_, 500)
    from buying.supplier_order o where o.item_id = item_id_;
  delete from buying.supplier_order o where o.item_id = item_id_;
  update buying.item i set listing_id = listing_.id, market = listing_.market, raw_listing_id = listing_.raw_id,
      sourcing_mills = listing_.price_mills, attempt = item_.attempt + 1, work = 'place', due_at = at_, leased_until = null,
      by_hand = listing_.description ->> 'delivery' is not distinct from 'standard'
    where i.id = item_id_;
  perform trades.replace_item(item_id_, listing_.description, price_, house_fee_, merchant_fee_, hold_id_, failure_code_, at_);
  perform trades.count_change(item_.trade_id, old_.price, price_, at_);
  return true;
exception
  when check_violation then
    get stacked diagnostics violated_ = constraint_name;
    if violated_ <> 'no_overdraft' then raise; end if;
    return false;
  when sqlstate 'PT403' then return false;
end $$;

-- All leases of an installation fill one page or two, and so do its heartbeats: where a page had no room for the next
-- version of a row, that went to another one and into the index.
alter table infra.lease set (fillfactor = 30);
alter table infra.heartbeat set (fillfactor = 50);
