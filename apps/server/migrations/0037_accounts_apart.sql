-- bears: previous
-- The key of `main` can be rotated as those of the other accounts: from then on it is the one in the database that
-- holds. A process of the release before knows the one in the settings alone, and begins no order with it any more.
alter table buying.market_account
  add column pace integer,
  add column key_hashes text[] not null default '{}',
  drop constraint market_account_has_a_key,
  add constraint market_account_has_a_key check (name = 'main' or sealed_key is not null or state = 'disabled'),
  add constraint market_account_pace_positive check (pace > 0);
comment on column buying.market_account.pace is
  'of its calls, in the unit of its market''s setting: milliseconds between two, or calls in a minute; null: as the setting says';
comment on column buying.market_account.key_hashes is
  'of `main`: SHA-256 of the keys that it has had and has. Another key in the settings is refused at a start';
comment on column buying.market_account.sealed_key is
  'null: of `main`, that the key is in the settings; of another, that a restore has lost it: then only its name is known, by what was sent with it';

-- A gate that is closed opens for one account after the other, as each one's statement is compared. What waited when it
-- was closed stays behind it until all were: any of them may have bought it.
create table reconciliation.gate_opening (
  market text not null,
  account text not null,
  closed_at timestamptz not null,
  constraint gate_opening_pkey primary key (market, account)
);
comment on table reconciliation.gate_opening is 'accounts that place again what has come since their market''s gate was closed';
comment on column reconciliation.gate_opening.closed_at is 'of the closing that it is about: of no meaning after another one';

-- What its seller sends by hand takes longer and fails more often: of a tenant's turns it has those after what is sent
-- at once.
alter table buying.item add column by_hand boolean not null default false;
comment on column buying.item.by_hand is
  'its seller sends it by hand: ordered after what of the same account is sent at once; false of rows from before';

-- How many turns a tenant has for each of a standard one.
create function buying.turn_weight(tenant_id_ uuid) returns integer
language sql stable as $$
  select case identity.tier_of(tenant_id_) when 'enterprise' then 4 when 'premium' then 2 else 1 end $$;

-- As before, with who sends it.
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
      due_at, created_at, by_hand)
    select i.id, trade_id_, tenant_id_, account_id_, i.listing_id, i.market, i.raw_listing_id, i.mills, at_, at_,
      i.description ->> 'delivery' is not distinct from 'standard'
    from unnest(item_ids_, listing_ids_, markets_, raw_listing_ids_, sourcing_mills_, descriptions_)
      i (id, listing_id, market, raw_listing_id, mills, description);
  perform ledger.place_holds(journal_id_, account_id_, item_ids_, prices_);
  perform buying.check_waiting(tenant_id_, account_id_, markets_);
end $$;

-- As before, with who sends what took its place, and within the limits of the account and of the key.
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
      sourcing_mills = listing_.price_mills, attempt = item_.attempt + 1, work = 'place', due_at = at_,
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

-- As before, and of one account what is sent at once first.
create or replace function buying.claim_placements(
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
      select i.id, i.tenant_id, i.account_id, i.created_at, i.by_hand,
        row_number() over (partition by i.account_id order by i.by_hand, i.created_at, i.id) nth
      from buying.item i
      where i.market = market_ and i.work = 'place' and i.due_at <= at_ and i.created_at > placeable_since_
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

-- As before, with shares that weigh by tier, as turns do. What tenants below their shares may add to a full queue is
-- four minutes of it in all, because what has waited for fifteen fails: each may take half of what the others leave of
-- that, so that those who come one after the other never use it up.
create or replace function buying.crowded_markets(tenant_id_ uuid, markets_ text[], more_ integer)
  returns table (market text, retry_after_seconds integer)
language sql stable as $$
  select m.market,
    least(900, greatest(1, ceil(60 * greatest(q.waiting, w.of_all) / greatest(q.placed_per_minute, 0.1)) - 600))::integer
  from (select market, count(*) * more_ more from unnest(markets_) market group by market) m
    join buying.market_queue q on q.market = m.market and 2 * (q.waiting + m.more) >= q.placeable
    cross join lateral (
      select count(*) of_all from (
        select from buying.item i where i.market = m.market and i.work = 'place' limit q.placeable + 1) waiting) w
    cross join lateral (
      select coalesce(sum(t.count) filter (where t.tenant_id = tenant_id_), 0) + m.more own,
        coalesce(sum(t.count) filter (where t.tenant_id <> tenant_id_), 0) of_others,
        coalesce(sum(buying.turn_weight(t.tenant_id)) filter (where t.tenant_id <> tenant_id_), 0) weight_of_others
      from (
        select i.tenant_id, count(*) from buying.item i
        where i.market = m.market and i.work = 'place' and w.of_all + m.more > q.placeable group by i.tenant_id) t) s
  where w.of_all + m.more > q.placeable and (
    s.own * (s.weight_of_others + buying.turn_weight(tenant_id_)) > q.placeable * buying.turn_weight(tenant_id_)
    or 2 * s.own > 1.4 * q.placeable - s.of_others)
  order by m.market $$;
