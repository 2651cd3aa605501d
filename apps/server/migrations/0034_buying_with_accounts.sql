-- bears: previous
-- What is bought and followed is so with one account. A process of the release before knows only `main`: what it calls
-- without an account is that one's.
-- permits signature buying.begin_order(item_id_ uuid, claimed_until_ timestamp with time zone, at_ timestamp with time zone, lease_until_ timestamp with time zone) returns text: what calls it without an account is answered for main
-- permits signature buying.claim_followed(market_ text, limit_ integer, at_ timestamp with time zone, along_until_ timestamp with time zone, lease_until_ timestamp with time zone) returns SETOF uuid: what calls it without an account is answered for main
-- permits signature buying.claim_placements(market_ text, limit_ integer, at_ timestamp with time zone, lease_until_ timestamp with time zone, placeable_since_ timestamp with time zone) returns SETOF buying.item: what calls it without an account is answered for main
-- permits signature buying.most_placeable(market_ text) returns bigint: what calls it without an account is answered for main
-- permits signature buying.spendable(market_ text) returns bigint: what calls it without an account is answered for main
-- permits signature buying.followed_in_turn(market_ text, room_ integer, at_ timestamp with time zone, along_until_ timestamp with time zone, except_ uuid[]) returns SETOF uuid: only claim_followed calls it
alter table buying.supplier_order validate constraint supplier_order_market_account;

-- Without a second argument of an account: of `main`.
drop function buying.spendable(text);
create function buying.spendable(market_ text, market_account_ text default 'main') returns bigint
language sql stable as $$
  select (a.balance_mills - a.reserve_mills
    - coalesce((
        select sum(coalesce(o.paid_mills, i.sourcing_mills)) from buying.supplier_order o
          join buying.item i on i.id = o.item_id
        where o.market = a.market and o.market_account = a.name and o.sent_at > a.balance_at
          and o.state in ('placed', 'orphan')), 0)
    - coalesce((
        select sum(i.sourcing_mills) from buying.supplier_order o join buying.item i on i.id = o.item_id
        where o.market = a.market and o.market_account = a.name and o.state in ('placing', 'unknown')), 0))::bigint
  from buying.market_account a where a.market = market_ and a.name = market_account_
$$;

-- The most that one item may cost to be ordered now with this account, or, with null, with any of the market's; 0
-- while it is closed. One that is low goes on with what it covers.
drop function buying.most_placeable(text);
create function buying.most_placeable(market_ text, market_account_ text default null) returns bigint
language sql stable as $$
  select coalesce(max(
    case when a.state <> 'enabled' or a.use = 'feed' or a.closed_because <> 'low' then 0
      when a.balance_mills is null and a.closed_at is null then 9223372036854775807
      else greatest(buying.spendable(a.market, a.name), 0) end),
    case when coalesce(market_account_, 'main') = 'main' then 9223372036854775807 else 0 end)
  from buying.market_account a where a.market = market_ and a.name = coalesce(market_account_, a.name)
$$;

-- As before, of the items that wait those alone that this account covers. Turns go round by the market, whichever
-- account has the next one.
drop function buying.claim_placements(text, integer, timestamptz, timestamptz, timestamptz);
create function buying.claim_placements(
  market_ text, limit_ integer, at_ timestamptz, lease_until_ timestamptz, placeable_since_ timestamptz,
  market_account_ text default 'main')
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
      select i.id, i.tenant_id, i.account_id, i.created_at,
        row_number() over (partition by i.account_id order by i.created_at, i.id) nth
      from buying.item i
      where i.market = market_ and i.work = 'place' and i.due_at <= at_ and i.created_at > placeable_since_
        and i.sourcing_mills <= most_),
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

-- As before, with the account that a turn was taken for; null as well when it was closed, its key was changed or its
-- money went meanwhile. Orders of one account begin one after the other: two cannot count on the same money.
drop function buying.begin_order(uuid, timestamptz, timestamptz, timestamptz);
create function buying.begin_order(
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
    update buying.item i set work = 'follow', due_at = lease_until_, market_account = market_account_
      where i.id = item_id_ and i.work = 'place' and i.due_at = claimed_until_ and i.market = market_
        and i.sourcing_mills <= most_
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

-- As before, of the orders of one account.
drop function buying.followed_in_turn(text, integer, timestamptz, timestamptz, uuid[]);
create function buying.followed_in_turn(
  market_ text, room_ integer, at_ timestamptz, along_until_ timestamptz, except_ uuid[],
  market_account_ text) returns setof uuid
language plpgsql stable
set enable_seqscan = off set enable_sort = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  return query
  with recursive oldest as (
    (select i.tenant_id, i.due_at from buying.item i where i.market = market_ and i.market_account = market_account_ and i.work = 'follow'
     order by i.market, i.market_account, i.tenant_id, i.due_at limit 1)
    union all
    select next.tenant_id, next.due_at from oldest cross join lateral (
      select i.tenant_id, i.due_at from buying.item i
      where i.market = market_ and i.market_account = market_account_ and i.work = 'follow' and i.tenant_id > oldest.tenant_id
      order by i.market, i.market_account, i.tenant_id, i.due_at limit 1) next),
  party as (
    select o.tenant_id id from oldest o where o.due_at <= along_until_ order by o.due_at limit room_),
  turn as (
    select one.id, one.due_at, row_number() over (partition by p.id order by one.due_at) nth
    from party p cross join lateral (
      select i.id, i.due_at from buying.item i
      where i.market = market_ and i.market_account = market_account_ and i.work = 'follow' and i.tenant_id = p.id and i.due_at <= along_until_
        and i.id <> all (except_)
      order by i.market, i.market_account, i.tenant_id, i.due_at limit room_) one)
  select t.id from turn t order by t.due_at > at_, t.nth, t.due_at limit room_;
end $$;

drop function buying.claim_followed(text, integer, timestamptz, timestamptz, timestamptz);
create function buying.claim_followed(
  market_ text, limit_ integer, at_ timestamptz, along_until_ timestamptz, lease_until_ timestamptz,
  market_account_ text default 'main')
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
    order by i.due_at limit 1;
  if not found then return; end if;
  perform pg_advisory_xact_lock(hashtextextended('buying.claim_followed:' || market_ || ':' || market_account_, 0));
  unanswered_ := array(
    with lost as materialized (
      select i.id, i.work, i.due_at from buying.supplier_order o join buying.item i on i.id = o.item_id
      where o.market = market_ and o.market_account = market_account_ and o.state in ('placing', 'unknown'))
    select l.id from lost l where l.work = 'follow' and l.due_at <= at_ order by l.due_at limit limit_);
  room_ := limit_ - cardinality(unanswered_);
  moving_ := array(
    select i.id from buying.item i
    where i.market = market_ and i.market_account = market_account_ and i.work = 'follow' and i.due_at <= along_until_
      and i.id <> all (unanswered_)
    order by i.due_at limit room_ + 1);
  if cardinality(moving_) > room_ then
    moving_ := array(select buying.followed_in_turn(market_, room_, at_, along_until_, unanswered_, market_account_));
  end if;
  return query
    with locked as (
      select i.id, i.work, i.due_at from buying.item i where i.id = any (unanswered_ || moving_)
      for update skip locked)
    update buying.item i set due_at = lease_until_ from locked l
    where i.id = l.id and l.work = 'follow' and l.due_at <= along_until_ returning i.id;
end $$;

-- As before, with the account that the order was sent with.
create or replace function buying.adopt_order(
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
  update buying.item i set work = 'follow', market_account = lost_.market_account
    where i.trade_id = adopt_order.trade_id returning i.id into item_id_;
  insert into buying.supplier_order (item_id, market, market_account, custom_id, state, sent_at, detail)
    values (item_id_, lost_.market, lost_.market_account, lost_.custom_id, 'unknown', lost_.begun_at, 'adopted after a restore');
end $$;

-- As before, and that an order is looked up by the account that has it.
create or replace function buying.audit(
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
  union all
  select 'an item is followed by the account of its order', i.id::text
    from trades.items_of_type('buy', after_, up_to_) i join buying.item b on b.id = i.id and b.work = 'follow'
      join buying.supplier_order o on o.item_id = i.id
    where (o.market, o.market_account) is distinct from (b.market, b.market_account)
$$;

drop index buying.item_followed;
drop index buying.item_followed_in_turn;
