-- bears: previous
-- What may be spent at each market. Buying keeps our account there, and notes in the catalogue how much an item
-- may cost at most: what costs more is not for sale.
alter table catalog.market
  add column cover_mills bigint,
  add constraint market_cover_not_negative check (cover_mills >= 0) not valid;
comment on column catalog.market.cover_mills is
  'the most that may be bought there now, thousandths of a US dollar; 0: our account is closed; null: no bound is known';

-- Called with every change of the account. A market that leaves the shop or comes back is a change of its listings.
create function catalog.cover_market(market_ text, cover_mills_ bigint, at_ timestamptz) returns void
language plpgsql as $$
declare
  was_ bigint;
  seq_ bigint;
begin
  select m.cover_mills into was_ from catalog.market m where m.id = market_;
  if was_ is not distinct from cover_mills_ then return; end if;
  if (coalesce(was_, 1) > 0) = (coalesce(cover_mills_, 1) > 0) then
    update catalog.market set cover_mills = cover_mills_ where id = market_;
    return;
  end if;
  seq_ := catalog.begin_change();
  update catalog.market set cover_mills = cover_mills_, changed_seq = seq_ where id = market_;
  perform catalog.note_listing_change(seq_, at_, '{}', '{}', market_);
end $$;

-- As in 0006, of markets that are up and of listings that their account can pay.
create or replace function catalog.take_cheapest(
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
      and l.price_mills <= coalesce(m.cover_mills, l.price_mills)
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
      and l.price_mills <= coalesce(m.cover_mills, l.price_mills)
      where l.item_id = item_id_ and l.live and not l.taken and l.price_mills <= ceiling_mills_
        and (delivery_ <> 'instant' or l.delivery = 'instant') and l.id <> all (except_) and l.id <> all (taken_)
      order by l.price_mills, l.id limit amount_ - cardinality(taken_) for update of l skip locked) c;
    taken_ := taken_ || more_;
    if cardinality(taken_) < amount_ and not is_last_try_ and exists (
      select from catalog.listing l join catalog.market m on m.id = l.market and m.enabled and m.online
      and l.price_mills <= coalesce(m.cover_mills, l.price_mills)
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

-- Our accounts at the markets: one each, `main`.
create table buying.market_account (
  id uuid not null default uuidv7(),
  market text not null,
  name text not null default 'main',
  state text not null default 'enabled',
  currency text,
  reserve_mills bigint not null default 0,
  balance_mills bigint,
  balance_at timestamptz,
  closed_at timestamptz,
  closed_because text,
  closed_detail text,
  opens_at_mills bigint,
  refusals integer not null default 0,
  spent_week_mills bigint,
  constraint market_account_pkey primary key (id),
  constraint market_account_named_once unique (market, name),
  constraint market_account_state_known check (state in ('enabled', 'draining', 'disabled')),
  constraint market_account_reserve_not_negative check (reserve_mills >= 0),
  constraint market_account_balance_has_its_time check ((balance_mills is null) = (balance_at is null)),
  constraint market_account_closed_for_a_reason check ((closed_at is null) = (closed_because is null)),
  constraint market_account_closed_because check (
    closed_because in ('in_question', 'no_funds', 'low', 'forbidden', 'currency'))
) with (fillfactor = 50);
comment on column buying.market_account.state is 'enabled; draining and disabled: nothing is bought with it';
comment on column buying.market_account.reserve_mills is 'what is not spent, thousandths of a US dollar, as the other amounts';
comment on column buying.market_account.balance_at is 'when the call that read the balance began';
comment on column buying.market_account.closed_because is
  'in_question: it was refused for lack of money, and its balance is being read; low: what may be spent does not cover what waits';
comment on column buying.market_account.opens_at_mills is
  'closed for lack of money: what must be there to be spent before it opens; null: it opens otherwise';
comment on column buying.market_account.refusals is
  'refusals for lack of money in a row, though the balance covered the price';
comment on column buying.market_account.spent_week_mills is
  'what the orders of the last seven days have cost that were not given back; null until it was counted';
insert into buying.market_account (market) values ('market_a'), ('market_b');

-- What may be spent of an account: its balance less the reserve, less the orders that are under way and those that
-- were placed since the balance was read. Null while no balance is known.
create function buying.spendable(market_ text) returns bigint
language sql stable as $$
  select (a.balance_mills - a.reserve_mills
    - coalesce((
        select sum(coalesce(o.paid_mills, i.sourcing_mills)) from buying.supplier_order o
          join buying.item i on i.id = o.item_id
        where o.market = a.market and o.sent_at > a.balance_at and o.state in ('placed', 'orphan')), 0)
    - coalesce((
        select sum(i.sourcing_mills) from buying.supplier_order o join buying.item i on i.id = o.item_id
        where o.market = a.market and o.state in ('placing', 'unknown')), 0))::bigint
  from buying.market_account a where a.market = market_ and a.name = 'main'
$$;

-- The most that one item may cost to be ordered now; 0 while the account is closed. One that is low goes on with
-- what it covers.
create function buying.most_placeable(market_ text) returns bigint
language sql stable as $$
  select coalesce((
    select case when a.state <> 'enabled' or a.closed_because <> 'low' then 0
      else greatest(buying.spendable(market_), 0) end
    from buying.market_account a
    where a.market = market_ and a.name = 'main' and (a.balance_mills is not null or a.closed_at is not null
      or a.state <> 'enabled')), 9223372036854775807)
$$;

-- As in 0009, and of the items that wait those alone that the account covers.
create or replace function buying.claim_placements(
  market_ text, limit_ integer, at_ timestamptz, lease_until_ timestamptz, placeable_since_ timestamptz)
  returns setof buying.item
language plpgsql as $$
declare
  nil constant uuid := '00000000-0000-0000-0000-000000000000';
  now_ double precision;
  most_ bigint := buying.most_placeable(market_);
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

-- As in 0009, and null as well when the account no longer covers the item. Orders of one account begin one after the
-- other: two cannot count on the same money.
create or replace function buying.begin_order(
  item_id_ uuid, claimed_until_ timestamptz, at_ timestamptz, lease_until_ timestamptz) returns text
language plpgsql as $$
declare
  market_ text;
  most_ bigint;
  custom_id_ text;
begin
  select i.market into market_ from buying.item i where i.id = item_id_;
  perform from buying.market_account a where a.market = market_ and a.name = 'main' for no key update;
  -- A statement of its own: it sees the orders that began before the lock was given.
  most_ := buying.most_placeable(market_);
  with claimed as (
    update buying.item i set work = 'follow', due_at = lease_until_
      where i.id = item_id_ and i.work = 'place' and i.due_at = claimed_until_ and i.market = market_
        and i.sourcing_mills <= most_
      returning i.id, i.market, i.attempt)
  insert into buying.supplier_order as o (item_id, market, custom_id, state, sent_at)
    select c.id, c.market, c.id::text || case when c.attempt > 1 then '-' || c.attempt else '' end, 'placing', at_
    from claimed c
    on conflict (item_id) do update set state = 'placing', sent_at = excluded.sent_at
    returning o.custom_id into custom_id_;
  return custom_id_;
end $$;

-- Puts the next cheapest listing within the terms of its quick-buy in the place of an item's, whose rows the caller
-- has locked. The money is exact: at another price the old hold is paid back whole and a new one taken. False: nothing
-- is left within the limit, or the wallet does not cover what is. PT423: see catalog.take_cheapest.
create function buying.swap_listing(
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
      sourcing_mills = listing_.price_mills, attempt = item_.attempt + 1, work = 'place', due_at = at_
    where i.id = item_id_;
  perform trades.replace_item(item_id_, listing_.description, price_, house_fee_, merchant_fee_, hold_id_, failure_code_, at_);
  return true;
exception when check_violation then
  get stacked diagnostics violated_ = constraint_name;
  if violated_ <> 'no_overdraft' then raise; end if;
  return false;
end $$;

-- As in 0009.
create or replace function buying.replace_listing(
  item_id_ uuid, failure_code_ text, detail_ text, at_ timestamptz, is_last_try_ boolean) returns text
language plpgsql as $$
declare
  item_ buying.item;
  is_swapped_ boolean;
begin
  select i.* into item_ from buying.item i where i.id = item_id_;
  if not exists (select from buying.quick_buy q where q.trade_id = item_.trade_id) then return 'other'; end if;
  perform from trades.lock_trade(item_.trade_id);
  select i.* into item_ from buying.item i where i.id = item_id_ and i.work = 'follow' for update;
  if item_.id is null
    or not exists (select from trades.items_by_id(array[item_id_]) i where i.status = 'initiated')
  then return 'other'; end if;
  perform from buying.supplier_order o where o.item_id = item_id_ and o.state = 'placing' for update;
  if not found then return 'other'; end if;
  is_swapped_ := buying.swap_listing(item_id_, failure_code_, detail_, at_, is_last_try_);
  -- Dearer: a buyer with a higher limit may have it. Gone means gone.
  if failure_code_ = 'PRICE_CHANGED' then perform catalog.release_listing(item_.listing_id); end if;
  return case when is_swapped_ then 'replaced' else 'none' end;
end $$;

-- Moves an item of a quick-buy that waits at a market whose account does not cover it to the next cheapest listing of
-- another. Nothing of it is at the supplier: begin_order and this exclude one another on the item's row, and a claim
-- that a worker has of it ends. False: it stays where it is. PT423: see catalog.take_cheapest.
create function buying.move_waiting(item_id_ uuid, at_ timestamptz, is_last_try_ boolean) returns boolean
language plpgsql as $$
declare
  item_ buying.item;
begin
  select i.* into item_ from buying.item i where i.id = item_id_;
  if not exists (select from buying.quick_buy q where q.trade_id = item_.trade_id) then return false; end if;
  perform from trades.lock_trade(item_.trade_id);
  select i.* into item_ from buying.item i where i.id = item_id_ and i.work = 'place' for update;
  if item_.id is null or item_.sourcing_mills <= buying.most_placeable(item_.market) then return false; end if;
  if not buying.swap_listing(item_id_, 'MARKET_UNAVAILABLE', 'the account there does not cover it', at_, is_last_try_)
  then return false; end if;
  perform catalog.release_listing(item_.listing_id);
  return true;
end $$;

-- The balance of a market that never stands still is known between two bounds: of a baseline, the lower one and how far
-- the upper one is above it.
alter table reconciliation.baseline
  add column baseline_span_mills bigint not null default 0,
  add column candidate_span_mills bigint not null default 0;
comment on column reconciliation.baseline.baseline_span_mills is 'how far above baseline_mills the baseline may be';
comment on column reconciliation.baseline.candidate_span_mills is 'how far above candidate_mills the candidate may be';
