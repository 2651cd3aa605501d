-- Trades: what one request bought or sold for one account, and where each item of it stands. What buys and
-- sells have in common is here once; schemas buying and selling keep the rest of their items.
create schema trades;

select ledger.add_journal_kind('buy', debit_entry_ => 'trade_payment');
select ledger.add_journal_kind('refund', credit_entry_ => 'trade_refund');
select ledger.add_journal_kind('settle', credit_entry_ => 'fee_credit');
select ledger.add_account_kind('penalty_income', false, false);

-- The order of this list is the state machine's: the least of an unfinished trade's items is its status,
-- and when all are terminal the first of completed, reverted, declined, canceled, failed that any has.
create type trades.status as enum
  ('initiated', 'pending', 'active', 'hold', 'completed', 'reverted', 'declined', 'canceled', 'failed');

-- The administrator's switch. One row.
create table trades.switch (
  only_row boolean not null default true,
  paused boolean not null default false,
  reason text,
  changed_at timestamptz not null default now(),
  constraint switch_pkey primary key (only_row),
  constraint switch_only_row check (only_row)
);
insert into trades.switch default values;

create table trades.trade (
  id uuid not null default uuidv7(),
  type text not null,
  tenant_id uuid not null,
  account_id uuid not null,
  platform_id text not null,
  trade_url text not null,
  external_id text,
  request_hash bytea not null,
  game text not null,
  currency ledger.currency not null,
  usd_per_eur_micros bigint,
  status trades.status not null,
  item_count smallint not null,
  total bigint not null,
  first_total bigint,
  earned bigint not null default 0,
  request_id uuid,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint trade_pkey primary key (id),
  constraint trade_type_known check (type in ('buy', 'sell')),
  constraint trade_total_positive check (total > 0),
  constraint trade_rate_locked check (currency = 'USD' or usd_per_eur_micros > 0)
) with (fillfactor = 80);
comment on column trades.trade.tenant_id is 'the merchant or partner that the account belongs to: its events, its earnings, its lists';
comment on column trades.trade.total is 'cents of the wallet''s currency: the sum of its items'' prices';
comment on column trades.trade.first_total is 'the total that the first answer showed, cents; null while total is the same';
comment on column trades.trade.earned is 'cents of the merchant''s earnings wallet: the sum of its items'' merchant_earned, so that figures read no items';
comment on column trades.trade.usd_per_eur_micros is 'US dollars for one euro in millionths, locked when the trade was made; null where no euro is involved';
comment on column trades.trade.request_hash is 'SHA-256 of the request: a replay under one external id must bring the same';
create unique index trade_replay on trades.trade (tenant_id, external_id, account_id) where external_id is not null;
create index trade_of_tenant on trades.trade (tenant_id, id);
create index trade_of_account on trades.trade (account_id, id);
create index trade_by_day on trades.trade (tenant_id, created_at);
-- Each page of a trade shows the platform account of its user: a search by it finds the trades.
create index trade_platform_account on trades.trade (platform_id, tenant_id, id);

create table trades.item (
  id uuid not null default uuidv7(),
  trade_id uuid not null,
  position smallint not null,
  external_id text,
  catalog_item_id text not null,
  description jsonb not null,
  price bigint not null,
  house_fee bigint not null,
  merchant_fee bigint not null,
  hold_id uuid,
  status trades.status not null default 'initiated',
  offer_id text,
  failure_code text,
  failure_detail text,
  reverted_by text,
  refunded bigint,
  penalty bigint,
  merchant_earned bigint,
  hold_ends_at timestamptz,
  settled_at timestamptz,
  status_at timestamptz not null,
  constraint item_pkey primary key (id),
  constraint item_trade foreign key (trade_id) references trades.trade (id),
  constraint item_amounts check (price > 0 and house_fee >= 0 and merchant_fee >= 0 and house_fee + merchant_fee <= price),
  constraint item_refund_adds_up check (refunded + penalty = price),
  constraint item_failure_explained check (failure_code is null or status in ('failed', 'declined')),
  constraint item_reverter_known check ((status = 'reverted') = (reverted_by is not null) and reverted_by in ('supplier', 'user')),
  constraint item_settled_when_completed check ((status = 'completed') = (settled_at is not null))
) with (fillfactor = 70);
comment on column trades.item.price is 'cents of the wallet''s currency, like house_fee, merchant_fee, refunded and penalty: what the buyer pays, or what the seller is quoted';
comment on column trades.item.house_fee is 'part of the price of a bought item; the rest, less merchant_fee, is what the supplier asks. 0 of a sold one';
comment on column trades.item.merchant_fee is 'part of the price that the merchant earns when the item is completed';
comment on column trades.item.hold_id is 'its hold in the ledger; null of a sold item, for which no money is put aside';
comment on column trades.item.merchant_earned is 'cents of the merchant''s earnings wallet, set when settled';
create index item_of_trade on trades.item (trade_id);
create index item_of_offer on trades.item (offer_id) where offer_id is not null;

-- Ids that a person has in hand lead to a trade by an index. A request's id needs none: it is a UUIDv7, so its
-- trade has an id of the same moment.
create index item_by_external_id on trades.item (external_id) where external_id is not null;

-- The only steps that exist. The same table stands in modules/trading/trades/trade.ts; a test compares them.
create table trades.transition (
  type text not null,
  from_status trades.status not null,
  to_status trades.status not null,
  constraint transition_pkey primary key (type, from_status, to_status)
);
insert into trades.transition
  select type, from_status::trades.status, to_status::trades.status
  from unnest(array['buy', 'sell']) type cross join (values
    ('initiated', 'pending'), ('initiated', 'failed'), ('initiated', 'canceled'),
    ('pending', 'active'), ('pending', 'failed'), ('pending', 'canceled'),
    ('active', 'hold'), ('active', 'declined'), ('active', 'failed'), ('active', 'canceled'),
    ('hold', 'completed'), ('hold', 'reverted')) step (from_status, to_status);

-- One row a step, in the statement that takes it. The beginning is not here: it is the trade's, and a buy
-- has no statement to spare.
create table trades.item_step (
  trade_id uuid not null,
  id bigint not null generated always as identity,
  item_id uuid not null,
  what text not null,
  status trades.status not null,
  at timestamptz not null,
  offer_id text,
  failure_code text,
  price bigint not null,
  constraint item_step_pkey primary key (trade_id, id),
  constraint item_step_what_known check (what in ('moved', 'cancel_requested', 'replaced'))
);
comment on column trades.item_step.status is 'where the item stood after it';
comment on column trades.item_step.price is 'cents of the wallet''s currency: the item''s price after it';

-- ---------------------------------------------------------------- figures

-- The figures of each tenant's days, kept when a day is over and all of its trades are placed; what a later
-- step of a trade changes in them is noted (trades.figure_change) and added. Days are those of UTC.
create table trades.day_figures (
  tenant_id uuid not null,
  day date not null,
  account_id uuid not null,
  status trades.status not null,
  trade_count integer not null,
  gmv_usd bigint not null,
  gmv_eur bigint not null,
  fees bigint not null,
  constraint day_figures_pkey primary key (tenant_id, day, account_id, status)
);
comment on column trades.day_figures.gmv_usd is 'cents, of completed trades, each at its own rate';
comment on column trades.day_figures.gmv_eur is 'cents; without trades that have no rate: a merchant in euros has none of those';
comment on column trades.day_figures.fees is 'cents of the merchant''s earnings wallet';

-- What the accounts of a tenant come to on a kept day, written with them.
create table trades.tenant_day_figures (
  tenant_id uuid not null,
  day date not null,
  status trades.status not null,
  trade_count bigint not null,
  gmv_usd bigint not null,
  gmv_eur bigint not null,
  fees bigint not null,
  constraint tenant_day_figures_pkey primary key (tenant_id, day, status)
);

create table trades.figures_mark (
  tenant_id uuid not null,
  until_day date not null,
  child_orders bigint not null default 0,
  child_volume_usd bigint not null default 0,
  child_fees bigint not null default 0,
  child_open_orders bigint not null default 0,
  child_open_volume_usd bigint not null default 0,
  child_due_fees bigint not null default 0,
  constraint figures_mark_pkey primary key (tenant_id)
);
comment on column trades.figures_mark.until_day is 'the first day that is not kept in day_figures';
comment on column trades.figures_mark.child_orders is 'completed trades of the kept days, of all accounts below the tenant';
comment on column trades.figures_mark.child_volume_usd is 'cents, of the same trades';
comment on column trades.figures_mark.child_fees is 'cents, of the same trades: what they brought the tenant';
comment on column trades.figures_mark.child_open_orders is 'trades of the kept days that have not ended, of the same accounts';
comment on column trades.figures_mark.child_open_volume_usd is 'cents, of the trades that have not ended';
comment on column trades.figures_mark.child_due_fees is 'cents: what they bring the tenant if all of their items complete';

-- What the kept days of an account add up to, so that its lists show their length without counting it.
create table trades.account_figures (
  account_id uuid not null,
  status trades.status not null,
  trade_count bigint not null,
  refund_count bigint not null,
  refunded_within interval not null,
  volume_usd bigint not null,
  fees bigint not null,
  due_fees bigint not null,
  constraint account_figures_pkey primary key (account_id, status)
);
comment on column trades.account_figures.refund_count is 'items of these trades whose price was given back, once the trade has ended';
comment on column trades.account_figures.refunded_within is 'the longest time from a trade to the refund of one of its items';
comment on column trades.account_figures.volume_usd is 'cents, of completed trades and of those that have not ended, each at its own rate';
comment on column trades.account_figures.fees is 'cents: what the trades brought the tenant';
comment on column trades.account_figures.due_fees is 'cents: what trades that have not ended bring the tenant if all of their items complete';

-- What is to be added to the figures of a day: the sums of the day when it is kept, and what a later step of one
-- of its trades changed. Readers add the changes of kept days to the kept figures, so that they are right at any
-- moment; trades.fold_changes brings them there. A step writes its change without a lock that others wait for.
create table trades.figure_change (
  id bigint not null generated always as identity,
  tenant_id uuid not null,
  day date not null,
  account_id uuid not null,
  status trades.status not null,
  trade_count bigint not null,
  gmv_usd bigint not null,
  gmv_eur bigint not null,
  fees bigint not null,
  volume_usd bigint not null,
  due_fees bigint not null,
  refund_count bigint not null,
  refunded_within interval not null,
  constraint figure_change_pkey primary key (id)
);
comment on column trades.figure_change.status is 'a step is two changes: less in the status that its trade leaves, more in that which it comes to';
create index figure_change_of_tenant on trades.figure_change (tenant_id, day);
create index figure_change_of_account on trades.figure_change (account_id);

-- The changes of kept days; those of later days count for nothing, because their trades are read themselves.
create view trades.change_of_kept_day as
  select c.* from trades.figure_change c join trades.figures_mark m on m.tenant_id = c.tenant_id and c.day < m.until_day;

create view trades.kept_day as
  select tenant_id, day, account_id, status, trade_count, gmv_usd, gmv_eur, fees from trades.day_figures
  union all
  select tenant_id, day, account_id, status, trade_count, gmv_usd, gmv_eur, fees from trades.change_of_kept_day;

create view trades.kept_tenant_day as
  select tenant_id, day, status, trade_count, gmv_usd, gmv_eur, fees from trades.tenant_day_figures
  union all
  select tenant_id, day, status, trade_count, gmv_usd, gmv_eur, fees from trades.change_of_kept_day;

create view trades.kept_account as
  select account_id, status, trade_count, refund_count, refunded_within, volume_usd, fees, due_fees
    from trades.account_figures
  union all
  select account_id, status, trade_count, refund_count, refunded_within, volume_usd, fees, due_fees
    from trades.change_of_kept_day;

-- Of all accounts below a tenant together.
create view trades.kept_children as
  select tenant_id, child_orders orders, child_volume_usd volume_usd, child_fees fees, child_open_orders open_orders,
    child_open_volume_usd open_volume_usd, child_due_fees due_fees
    from trades.figures_mark
  union all
  select c.tenant_id, case when c.status = 'completed' then c.trade_count else 0 end,
    case when c.status = 'completed' then c.volume_usd else 0 end, case when c.status = 'completed' then c.fees else 0 end,
    case when c.status < 'completed' then c.trade_count else 0 end,
    case when c.status < 'completed' then c.volume_usd else 0 end, c.due_fees
    from trades.change_of_kept_day c where c.account_id <> c.tenant_id;

-- No trade of this time or later has a lesser id: a trade is recorded within a day of its own time. The index of
-- an account's trades is in the order of their ids.
create function trades.first_id(at_ timestamptz) returns uuid language sql immutable as $$
  select case when at_ = '-infinity' then '00000000000000000000000000000000'
    else rpad(lpad(to_hex((extract(epoch from at_ - interval '24 hours') * 1000)::bigint), 12, '0'), 32, '0') end::uuid $$;

-- Which trades of a tenant no kept day counts: those made at `since` or later.
create function trades.not_kept(tenant_id_ uuid, out since timestamptz, out from_id uuid)
language sql stable as $$
  select mark.since, trades.first_id(mark.since) from (
    select coalesce(max(m.until_day)::timestamp at time zone 'UTC', '-infinity') since
    from trades.figures_mark m where m.tenant_id = tenant_id_) mark $$;

-- What a completed trade counts for in a currency, at its own rate; null when it has none.
create function trades.gmv(total_ bigint, currency_ ledger.currency, usd_per_eur_micros_ bigint, into_ ledger.currency)
  returns bigint language sql immutable as $$
  select case when currency_ = into_ then total_
    when currency_ = 'EUR' then trunc((2 * total_::numeric * usd_per_eur_micros_ + 1000000) / 2000000)
    else trunc((2 * total_::numeric * 1000000 + usd_per_eur_micros_) / (2 * usd_per_eur_micros_)) end::bigint $$;

-- Tenants with trades, from one index probe each.
create function trades.tenants() returns setof uuid language sql stable as $$
  with recursive tenant (id) as (
    (select t.tenant_id from trades.trade t order by t.tenant_id limit 1)
    union all
    select (select t.tenant_id from trades.trade t where t.tenant_id > tenant.id order by t.tenant_id limit 1)
    from tenant where tenant.id is not null)
  select tenant.id from tenant where tenant.id is not null $$;

-- What one trade adds to the figures of its day, in the status that it has.
create function trades.figures_of(t trades.trade) returns table (
  trade_count bigint, gmv_usd bigint, gmv_eur bigint, fees bigint, volume_usd bigint, due_fees bigint,
  refund_count bigint, refunded_within interval)
language sql stable as $$
  select 1::bigint,
    case when t.status = 'completed' then coalesce(trades.gmv(t.total, t.currency, t.usd_per_eur_micros, 'USD'), 0) else 0 end,
    case when t.status = 'completed' then coalesce(trades.gmv(t.total, t.currency, t.usd_per_eur_micros, 'EUR'), 0) else 0 end,
    t.earned,
    case when t.status <= 'completed' then coalesce(trades.gmv(t.total, t.currency, t.usd_per_eur_micros, 'USD'), 0) else 0 end,
    case when t.status < 'completed' then i.fees else 0 end,
    case when t.status > 'completed' then i.refunds else 0 end,
    case when t.status > 'completed' then i.refunded_within else '0'::interval end
  from (
    select coalesce(sum(item.merchant_fee), 0)::bigint fees, count(*) filter (where item.refunded > 0) refunds,
      coalesce(max(item.status_at - t.created_at) filter (where item.refunded > 0), '0') refunded_within
    from trades.item where item.trade_id = t.id) i $$;

-- Notes what a step changed in the figures of its trade's day.
create function trades.note_figure_change() returns trigger
language plpgsql as $$
begin
  insert into trades.figure_change (tenant_id, day, account_id, status, trade_count, gmv_usd, gmv_eur, fees,
      volume_usd, due_fees, refund_count, refunded_within)
    select new.tenant_id, (new.created_at at time zone 'UTC')::date, new.account_id, c.status, sum(c.sign * c.trade_count),
      sum(c.sign * c.gmv_usd), sum(c.sign * c.gmv_eur), sum(c.sign * c.fees), sum(c.sign * c.volume_usd),
      sum(c.sign * c.due_fees), sum(c.sign * c.refund_count), max(c.refunded_within)
    from (
      select old.status, -1 sign, f.* from trades.figures_of(old) f
      union all
      select new.status, 1, f.* from trades.figures_of(new) f) c
    group by c.status;
  return null;
end $$;

-- A day is kept when it has been over for 24 hours, by clocks that differ by much less than the other 12. What
-- changes the price of a trade notes that itself.
create trigger trade_figures_noted after update on trades.trade for each row
  when (new.updated_at >= new.created_at + interval '12 hours'
    and (old.status <> new.status or old.earned <> new.earned))
  execute function trades.note_figure_change();

-- Keeps the figures of a tenant's next day, if that day is before `before_`, in whatever status its trades are.
-- True when there may be another.
create function trades.keep_day(tenant_ uuid, before_ date) returns boolean
language plpgsql as $$
declare
  day_ date;
  from_ timestamptz;
begin
  insert into trades.figures_mark (tenant_id, until_day)
    select tenant_, (t.created_at at time zone 'UTC')::date from trades.trade t
      where t.tenant_id = tenant_ and not exists (select from trades.figures_mark m where m.tenant_id = tenant_)
      order by t.created_at limit 1
    on conflict do nothing;
  select m.until_day into day_ from trades.figures_mark m where m.tenant_id = tenant_ for update skip locked;
  if day_ is null or day_ >= before_ then return false; end if;
  from_ := day_::timestamp at time zone 'UTC';
  -- One statement, so one moment: steps of before it are in the sums, and their changes are dropped; those of
  -- after it bring changes that stay.
  with dropped as (
    delete from trades.figure_change c where c.tenant_id = tenant_ and c.day = day_)
  insert into trades.figure_change (tenant_id, day, account_id, status, trade_count, gmv_usd, gmv_eur, fees,
      volume_usd, due_fees, refund_count, refunded_within)
    select tenant_, day_, t.account_id, t.status, sum(f.trade_count), sum(f.gmv_usd), sum(f.gmv_eur), sum(f.fees),
      sum(f.volume_usd), sum(f.due_fees), sum(f.refund_count), max(f.refunded_within)
    from trades.trade t cross join lateral trades.figures_of(t) f
    where t.tenant_id = tenant_ and t.created_at >= from_ and t.created_at < from_ + interval '24 hours'
    group by t.account_id, t.status;
  -- Days without trades are passed over.
  update trades.figures_mark m set until_day = least(before_,
      (select min(t.created_at at time zone 'UTC')::date from trades.trade t
       where t.tenant_id = tenant_ and t.created_at >= from_ + interval '24 hours'))
    where m.tenant_id = tenant_;
  return true;
end $$;

-- Adds the oldest changes of a tenant's kept days to their figures, at most `limit_`. True when there may be more.
create function trades.fold_changes(tenant_ uuid, limit_ integer) returns boolean
language plpgsql as $$
declare
  count_ integer;
  days_ date[];
begin
  -- One worker at a time: two of them would wait for each other's rows in a ring.
  perform from trades.figures_mark m where m.tenant_id = tenant_ for update skip locked;
  if not found then return false; end if;
  with folded as (
      delete from trades.figure_change c where c.id in (
        select k.id from trades.change_of_kept_day k where k.tenant_id = tenant_ order by k.id limit limit_)
      returning c.*),
    by_day as (
      insert into trades.day_figures as d (tenant_id, day, account_id, status, trade_count, gmv_usd, gmv_eur, fees)
      select tenant_, f.day, f.account_id, f.status, sum(f.trade_count), sum(f.gmv_usd), sum(f.gmv_eur), sum(f.fees)
      from folded f group by f.day, f.account_id, f.status
      on conflict (tenant_id, day, account_id, status) do update set
        trade_count = d.trade_count + excluded.trade_count, gmv_usd = d.gmv_usd + excluded.gmv_usd,
        gmv_eur = d.gmv_eur + excluded.gmv_eur, fees = d.fees + excluded.fees),
    by_tenant_day as (
      insert into trades.tenant_day_figures as d (tenant_id, day, status, trade_count, gmv_usd, gmv_eur, fees)
      select tenant_, f.day, f.status, sum(f.trade_count), sum(f.gmv_usd), sum(f.gmv_eur), sum(f.fees)
      from folded f group by f.day, f.status
      on conflict (tenant_id, day, status) do update set
        trade_count = d.trade_count + excluded.trade_count, gmv_usd = d.gmv_usd + excluded.gmv_usd,
        gmv_eur = d.gmv_eur + excluded.gmv_eur, fees = d.fees + excluded.fees),
    by_account as (
      insert into trades.account_figures as a
        (account_id, status, trade_count, refund_count, refunded_within, volume_usd, fees, due_fees)
      select f.account_id, f.status, sum(f.trade_count), sum(f.refund_count), max(f.refunded_within), sum(f.volume_usd),
        sum(f.fees), sum(f.due_fees)
      from folded f group by f.account_id, f.status
      on conflict (account_id, status) do update set
        trade_count = a.trade_count + excluded.trade_count, refund_count = a.refund_count + excluded.refund_count,
        refunded_within = greatest(a.refunded_within, excluded.refunded_within),
        volume_usd = a.volume_usd + excluded.volume_usd, fees = a.fees + excluded.fees,
        due_fees = a.due_fees + excluded.due_fees),
    child as (
      select coalesce(sum(f.trade_count) filter (where f.status = 'completed'), 0) orders,
        coalesce(sum(f.volume_usd) filter (where f.status = 'completed'), 0) volume,
        coalesce(sum(f.fees) filter (where f.status = 'completed'), 0) fees,
        coalesce(sum(f.trade_count) filter (where f.status < 'completed'), 0) open_orders,
        coalesce(sum(f.volume_usd) filter (where f.status < 'completed'), 0) open_volume,
        coalesce(sum(f.due_fees), 0) due_fees
      from folded f where f.account_id <> tenant_),
    marked as (
      update trades.figures_mark m set child_orders = m.child_orders + child.orders,
        child_volume_usd = m.child_volume_usd + child.volume, child_fees = m.child_fees + child.fees,
        child_open_orders = m.child_open_orders + child.open_orders,
        child_open_volume_usd = m.child_open_volume_usd + child.open_volume,
        child_due_fees = m.child_due_fees + child.due_fees
      from child where m.tenant_id = tenant_)
    select count(*), array_agg(distinct f.day) into count_, days_ from folded f;
  -- What a day had in a status that all of its trades have left.
  delete from trades.day_figures d where d.tenant_id = tenant_ and d.day = any (days_) and d.trade_count = 0;
  delete from trades.tenant_day_figures d where d.tenant_id = tenant_ and d.day = any (days_) and d.trade_count = 0;
  return count_ = limit_;
end $$;

-- ---------------------------------------------------------------- how a trade begins

-- Begins a trade with its first event, or returns the receipt of the one that this external id has begun.
-- Buys, quick-buys and sells all begin here. Refusals are raised, so that nothing remains:
--   PT503 trading is paused · PT409 external id reused with another request
--   account_exists, account_is_active: the account was deleted or suspended meanwhile
create function trades.begin_or_replay(
  type_ text, tenant_id_ uuid, account_id_ uuid, platform_id_ text, trade_url_ text, external_id_ text,
  request_hash_ bytea, game_ text, currency_ ledger.currency, usd_per_eur_micros_ bigint, request_id_ uuid,
  at_ timestamptz, item_count_ integer, total_ bigint,
  out trade_id uuid, out replayed boolean, out item_count smallint, out total bigint, out created_at timestamptz)
language plpgsql as $$
declare first_hash bytea;
begin
  if (select paused from trades.switch) then
    raise exception 'trading is paused' using errcode = 'PT503';
  end if;
  replayed := false;
  item_count := item_count_;
  total := total_;
  created_at := at_;
  insert into trades.trade as t (type, tenant_id, account_id, platform_id, trade_url, external_id,
      request_hash, game, currency, usd_per_eur_micros, status, item_count, total, request_id, created_at, updated_at)
    values (type_, tenant_id_, account_id_, platform_id_, trade_url_, external_id_, request_hash_, game_,
      currency_, usd_per_eur_micros_, 'initiated', item_count_, total_, request_id_, at_, at_)
    on conflict (tenant_id, external_id, account_id) where external_id is not null do nothing
    returning t.id into trade_id;
  if trade_id is null then
    select t.id, t.request_hash, t.item_count, coalesce(t.first_total, t.total), t.created_at
      into strict trade_id, first_hash, item_count, total, created_at
      from trades.trade t
      where t.tenant_id = tenant_id_ and t.external_id = external_id_ and t.account_id = account_id_;
    if first_hash <> request_hash_ then
      raise exception 'external id reused with another request' using errcode = 'PT409';
    end if;
    replayed := true;
    return;
  end if;
  -- A buy of a tenant for itself is held against its closing by the debit of its wallet; a sell debits nothing.
  if account_id_ <> tenant_id_ or type_ = 'sell' then perform identity.lock_active_account(account_id_); end if;
  perform outbox.add('trade.initiated', 'trade', tenant_id_, account_id_, trade_id, '{}', trade_id, at_);
end $$;

-- Adds the items of a trade that has just begun, and returns their ids in order. What is held has a hold of
-- its own id.
create function trades.add_items(
  trade_id_ uuid, at_ timestamptz, external_ids_ text[], catalog_item_ids_ text[], descriptions_ jsonb[],
  prices_ bigint[], house_fees_ bigint[], merchant_fees_ bigint[], is_held_ boolean) returns uuid[]
language sql as $$
  with item as (
    insert into trades.item (id, trade_id, position, external_id, catalog_item_id, description, price, house_fee,
        merchant_fee, hold_id, status_at)
      select i.id, trade_id_, i.position, i.external_id, i.catalog_item_id, i.description, i.price, i.house_fee,
        i.merchant_fee, case when is_held_ then i.id end, at_
      from (
        select uuidv7() id, u.* from unnest(external_ids_, catalog_item_ids_, descriptions_, prices_, house_fees_,
            merchant_fees_) with ordinality
          u (external_id, catalog_item_id, description, price, house_fee, merchant_fee, position)) i
      returning id, position)
  select array_agg(id order by position) from item $$;

-- What a trade that began before its items were known has become.
create function trades.set_total(trade_id_ uuid, item_count_ integer, total_ bigint) returns void
language sql as $$
  update trades.trade set item_count = item_count_, total = total_ where id = trade_id_ $$;

-- ---------------------------------------------------------------- steps

-- Locks a trade: every step of it is taken under its row lock, so its events are in order of their ids.
create function trades.lock_trade(trade_id_ uuid)
  returns table (tenant_id uuid, account_id uuid, external_id text, currency ledger.currency, usd_per_eur_micros bigint)
language sql as $$
  select t.tenant_id, t.account_id, t.external_id, t.currency, t.usd_per_eur_micros
  from trades.trade t where t.id = trade_id_ for no key update $$;

-- One step of items of one trade: state, refunds and events in one commit. `moved` has those that stood in
-- `from_`, in their order; null when there were none, because another transaction has moved them. A caller
-- whose step pays out does that in the same transaction.
create function trades.move_items(
  trade_id_ uuid, item_ids_ uuid[], from_ trades.status, to_ trades.status, at_ timestamptz, offer_id_ text,
  hold_ends_at_ timestamptz, failure_code_ text, failure_detail_ text, reverted_by_ text, penalty_ bigint,
  out moved uuid[], out tenant_id uuid, out account_id uuid, out external_id text, out currency ledger.currency,
  out usd_per_eur_micros bigint)
language plpgsql as $$
declare
  trade_ trades.trade;
  item_ trades.item;
  status_ trades.status;
  is_over_ boolean := to_ in ('failed', 'canceled', 'declined', 'reverted');
begin
  select t.* into trade_ from trades.trade t where t.id = trade_id_ for no key update;
  if trade_.id is null then return; end if;
  if not exists (select from trades.transition where type = trade_.type and from_status = from_ and to_status = to_) then
    raise exception 'there is no step of a % from % to %', trade_.type, from_, to_ using errcode = 'PT500';
  end if;
  with step as (
    update trades.item i set
        status = to_, status_at = at_,
        offer_id = coalesce(offer_id_, i.offer_id),
        hold_ends_at = coalesce(hold_ends_at_, i.hold_ends_at),
        failure_code = failure_code_, failure_detail = failure_detail_, reverted_by = reverted_by_,
        penalty = case when is_over_ and i.hold_id is not null then penalty_ end,
        refunded = case when is_over_ and i.hold_id is not null then i.price - penalty_ end,
        settled_at = case when to_ = 'completed' then at_ end
      where i.trade_id = trade_id_ and i.id = any (item_ids_) and i.status = from_
      returning i.id, i.position, i.offer_id, i.price),
  noted as (
    insert into trades.item_step (trade_id, item_id, what, status, at, offer_id, failure_code, price)
      select trade_id_, step.id, 'moved', to_, at_, step.offer_id, failure_code_, step.price
      from step order by step.position)
  select array_agg(step.id order by step.position) into moved from step;
  if moved is null then return; end if;
  tenant_id := trade_.tenant_id; account_id := trade_.account_id; external_id := trade_.external_id;
  currency := trade_.currency; usd_per_eur_micros := trade_.usd_per_eur_micros;

  if is_over_ then
    for item_ in select i.* from trades.item i where i.id = any (moved) and i.hold_id is not null order by i.position loop
      perform trades.refund(trade_, item_, at_);
    end loop;
  end if;
  select min(i.status) into status_ from trades.item i where i.trade_id = trade_id_;
  update trades.trade set status = status_, updated_at = at_ where id = trade_id_;
  if status_ <> trade_.status then perform trades.emit(trade_, status_, at_); end if;
  if is_over_ then
    for item_ in select i.* from trades.item i where i.id = any (moved) and i.hold_id is not null order by i.position loop
      perform outbox.add('trade.refunded', 'trade', tenant_id, account_id, trade_id_,
        jsonb_build_object('itemId', item_.id, 'externalId', item_.external_id,
          'buyerFault', to_ = 'declined' or coalesce(reverted_by_ = 'user', false),
          'refundedUsdCents', pricing.convert_half_up(item_.refunded, currency, 'USD', usd_per_eur_micros),
          'penaltyUsdCents', pricing.convert_half_up(item_.penalty, currency, 'USD', usd_per_eur_micros)),
        item_.id, at_);
    end loop;
  end if;
end $$;

-- The escrow of an item that will not come goes back, less the penalty.
create function trades.refund(trade_ trades.trade, item_ trades.item, at_ timestamptz) returns void
language plpgsql as $$
declare
  journal_id uuid;
  escrow_ bigint := ledger.account_of(trade_.account_id, 'escrow');
  debits bigint[] := '{}';
  credits bigint[] := '{}';
  amounts bigint[] := '{}';
begin
  if item_.refunded > 0 then
    debits := debits || escrow_; credits := credits || ledger.account_of(trade_.account_id, 'spot');
    amounts := amounts || item_.refunded;
  end if;
  if item_.penalty > 0 then
    debits := debits || escrow_; credits := credits || ledger.house('penalty_income', trade_.currency);
    amounts := amounts || item_.penalty;
  end if;
  journal_id := (ledger.post('refund', item_.id, trade_.account_id, 'refund:' || item_.id, uuid_send(item_.id), at_,
    array_fill(trade_.currency, array[cardinality(debits)]), debits, credits, amounts, trade_.external_id)).journal_id;
  perform ledger.resolve_holds(journal_id, array[item_.hold_id], array[0::bigint], array[item_.refunded],
    array[item_.penalty]);
end $$;

-- The event of a trade's new status; a completed trade brings its settlement.
create function trades.emit(trade_ trades.trade, status_ trades.status, at_ timestamptz) returns void
language plpgsql as $$
declare settlement_ jsonb := '{}';
begin
  if status_ = 'completed' then
    select jsonb_build_object('houseFeeCents', sum(house_fee), 'merchantFeeCents', sum(merchant_fee)) into settlement_
      from trades.item where trade_id = trade_.id and status = 'completed';
  end if;
  perform outbox.add('trade.' || status_, 'trade', trade_.tenant_id, trade_.account_id, trade_.id, settlement_,
    trade_.id, at_);
  if status_ = 'completed' then
    perform outbox.add('trade.settled', 'trade', trade_.tenant_id, trade_.account_id, trade_.id, settlement_,
      trade_.id, at_);
  end if;
end $$;

-- ---------------------------------------------------------------- what settling an item needs

-- The postings that bring a merchant's or partner's fee from an account of the trade's currency to its
-- earnings, converted at the trade's rate and rounded down: the rest stays in the exchange account. `earned`
-- is in cents of the earnings wallet.
create function trades.fee_postings(
  tenant_id_ uuid, fee_ bigint, from_account_ bigint, currency_ ledger.currency, usd_per_eur_micros_ bigint,
  out earned bigint, out currencies ledger.currency[], out debits bigint[], out credits bigint[], out amounts bigint[])
language plpgsql as $$
declare earnings_ record;
begin
  earned := 0; currencies := '{}'; debits := '{}'; credits := '{}'; amounts := '{}';
  if fee_ = 0 then return; end if;
  select id, currency into strict earnings_ from ledger.earnings_of(tenant_id_);
  if earnings_.currency = currency_ then
    earned := fee_;
    currencies := array[currency_]; debits := array[from_account_]; credits := array[earnings_.id]; amounts := array[fee_];
    return;
  end if;
  earned := pricing.convert_rounded_down(fee_, currency_, earnings_.currency, usd_per_eur_micros_);
  currencies := array[currency_]; debits := array[from_account_];
  credits := array[ledger.house('exchange', currency_)]; amounts := array[fee_];
  if earned > 0 then
    currencies := currencies || earnings_.currency; debits := debits || ledger.house('exchange', earnings_.currency);
    credits := credits || earnings_.id; amounts := amounts || earned;
  end if;
end $$;

create function trades.set_earned(item_id_ uuid, earned_ bigint) returns void
language sql as $$
  with item as (
    update trades.item set merchant_earned = earned_ where id = item_id_ returning trade_id)
  update trades.trade t set earned = t.earned + earned_ from item where t.id = item.trade_id and earned_ > 0 $$;

-- ---------------------------------------------------------------- what buying and selling note and read

-- Another listing takes the place of an item's, at its price: the step, the trade's new total, and what that
-- changes in the figures of its day, which may be kept already.
create function trades.replace_item(
  item_id_ uuid, description_ jsonb, price_ bigint, house_fee_ bigint, merchant_fee_ bigint, hold_id_ uuid,
  failure_code_ text, at_ timestamptz) returns void
language sql as $$
  with old as (select i.id, i.trade_id, i.price, i.merchant_fee from trades.item i where i.id = item_id_),
  item as (
    update trades.item i set description = description_, price = price_, house_fee = house_fee_,
        merchant_fee = merchant_fee_, hold_id = hold_id_, status_at = at_
      from old where i.id = old.id),
  trade as (
    update trades.trade t set first_total = coalesce(t.first_total, t.total), total = t.total - old.price + price_,
        updated_at = at_
      from old where t.id = old.trade_id
      returning t.tenant_id, t.account_id, t.status, t.created_at, merchant_fee_ - old.merchant_fee due_fees,
        trades.gmv(t.total, t.currency, t.usd_per_eur_micros, 'USD')
          - trades.gmv(t.total - price_ + old.price, t.currency, t.usd_per_eur_micros, 'USD') volume_usd),
  noted as (
    insert into trades.figure_change (tenant_id, day, account_id, status, trade_count, gmv_usd, gmv_eur, fees,
        volume_usd, due_fees, refund_count, refunded_within)
      select t.tenant_id, (t.created_at at time zone 'UTC')::date, t.account_id, t.status, 0, 0, 0, 0,
        coalesce(t.volume_usd, 0), t.due_fees, 0, '0'
      from trade t where at_ >= t.created_at + interval '12 hours')
  insert into trades.item_step (trade_id, item_id, what, status, at, failure_code, price)
    select old.trade_id, item_id_, 'replaced', 'initiated', at_, failure_code_, price_ from old $$;

create function trades.note_cancel_requests(item_ids_ uuid[], at_ timestamptz) returns void
language sql as $$
  insert into trades.item_step (trade_id, item_id, what, status, at, offer_id, price)
    select i.trade_id, i.id, 'cancel_requested', i.status, at_, i.offer_id, i.price
    from trades.item i where i.id = any (item_ids_) $$;

-- Items with what their trade says of them, for the workers of buys and sells.
create function trades.items_by_id(item_ids_ uuid[])
  returns table (
    id uuid, trade_id uuid, "position" smallint, external_id text, catalog_item_id text, market_hash_name text,
    price bigint, house_fee bigint, merchant_fee bigint, hold_id uuid, status trades.status, status_at timestamptz,
    offer_id text, reverted_by text, hold_ends_at timestamptz, account_id uuid, platform_id text, trade_url text,
    request_id uuid, currency ledger.currency, usd_per_eur_micros bigint)
language sql stable as $$
  select i.id, i.trade_id, i.position, i.external_id, i.catalog_item_id, i.description ->> 'marketHashName', i.price,
    i.house_fee, i.merchant_fee, i.hold_id, i.status, i.status_at, i.offer_id, i.reverted_by, i.hold_ends_at,
    t.account_id, t.platform_id, t.trade_url, t.request_id, t.currency, t.usd_per_eur_micros
  from trades.item i join trades.trade t on t.id = i.trade_id where i.id = any (item_ids_) $$;

create function trades.items_of(trade_id_ uuid)
  returns table (id uuid, "position" smallint, external_id text, price bigint, status trades.status, status_at timestamptz)
language sql stable as $$
  select i.id, i.position, i.external_id, i.price, i.status, i.status_at from trades.item i where i.trade_id = trade_id_ $$;

create function trades.described_items(trade_id_ uuid)
  returns table (id uuid, "position" smallint, catalog_item_id text, description jsonb)
language sql stable as $$
  select i.id, i.position, i.catalog_item_id, i.description from trades.item i where i.trade_id = trade_id_ $$;

create function trades.platform_of(trade_id_ uuid) returns text
language sql stable as $$ select platform_id from trades.trade where id = trade_id_ $$;

-- For the auditors of buys and sells.
create function trades.items_of_type(type_ text, after_ uuid, up_to_ uuid)
  returns table (
    id uuid, trade_id uuid, account_id uuid, currency ledger.currency, price bigint, house_fee bigint,
    merchant_fee bigint, status trades.status, offer_id text)
language sql stable as $$
  select i.id, i.trade_id, t.account_id, t.currency, i.price, i.house_fee, i.merchant_fee, i.status, i.offer_id
  from trades.item i join trades.trade t on t.id = i.trade_id
  where t.type = type_ and t.id > after_ and t.id <= up_to_ $$;

-- The auditor of trades: a row for each broken promise. All promises are of one trade, so a range of ids is
-- audited in one statement; ids are in the order of creation. Without bounds: all trades.
create function trades.audit(
  after_ uuid default '00000000-0000-0000-0000-000000000000',
  up_to_ uuid default 'ffffffff-ffff-ffff-ffff-ffffffffffff') returns table (invariant text, detail text)
language sql stable as $$
  select 'a trade''s total is the sum of its items', t.id::text
    from trades.trade t left join trades.item i on i.trade_id = t.id
    where t.id > after_ and t.id <= up_to_
    group by t.id having coalesce(sum(i.price), 0) <> t.total or count(i.id) <> t.item_count
  union all
  select 'what a trade earned is the sum of what its items did', t.id::text
    from trades.trade t join trades.item i on i.trade_id = t.id
    where t.id > after_ and t.id <= up_to_
    group by t.id having coalesce(sum(i.merchant_earned), 0) <> t.earned
  union all
  select 'a trade''s status follows from its items', t.id::text
    from trades.trade t join trades.item i on i.trade_id = t.id
    where t.id > after_ and t.id <= up_to_
    group by t.id having min(i.status) <> t.status
  union all
  select 'an item of a buy has a hold, an item of a sell has none', i.id::text
    from trades.item i join trades.trade t on t.id = i.trade_id
    where t.id > after_ and t.id <= up_to_
      and (t.type = 'buy') <> (i.hold_id is not null)
  union all
  select 'an item has one hold of its price, resolved when and only when it is terminal', i.id::text
    from trades.item i left join ledger.hold_of(i.hold_id) h on true
    where i.trade_id > after_ and i.trade_id <= up_to_
      and i.hold_id is not null and (h.amount is distinct from i.price or h.resolved <> (i.status >= 'completed'))
  union all
  select 'a refunded item''s resolution says what the item says', i.id::text
    from trades.item i left join ledger.hold_of(i.hold_id) h on true
    where i.trade_id > after_ and i.trade_id <= up_to_
      and i.hold_id is not null and h.resolved
      and (coalesce(i.refunded, 0) <> h.refunded or coalesce(i.penalty, 0) <> h.penalty)
  union all
  select 'a deleted account has no money and no trade under way', a.id::text
    from identity.deleted_accounts() a (id)
    -- Of an audit of everything at once; one in slices has a part of its own for deleted accounts.
    where after_ = '00000000-0000-0000-0000-000000000000' and up_to_ = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
      and (ledger.has_money(a.id)
        or exists (select from trades.trade t where t.account_id = a.id and t.status < 'completed'))
  union all
  select 'a trade has the event of its beginning', t.id::text
    from trades.trade t where t.id > after_ and t.id <= up_to_
      and not outbox.has_event('trade.initiated', t.id)
  union all
  select 'an ended trade has the event of its end', t.id::text
    from trades.trade t where t.id > after_ and t.id <= up_to_
      and t.status >= 'completed' and not outbox.has_event('trade.' || t.status, t.id)
$$;
