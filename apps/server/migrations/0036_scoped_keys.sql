-- bears: previous
-- What narrows an API key: what it may do, for whom, until when, and how much it may spend. Null is no bound.

create table identity.spend_limit (
  id uuid not null,
  cents bigint not null,
  period text not null,
  constraint spend_limit_pkey primary key (id),
  constraint spend_limit_not_negative check (cents >= 0),
  constraint spend_limit_period_known check (period in ('day', 'month'))
);
comment on table identity.spend_limit is 'of a key and those that it was rotated to';
comment on column identity.spend_limit.cents is 'US cents that may be spent in a period of the UTC calendar';

-- The period of a limit in parts, so that those who spend under one limit do not wait for each other: each takes from
-- a part that no other holds. When no such part is enough, all are locked, summed and divided anew, so that
-- exactly what the limit covers is spent. What is given back is a row of its own without room, until that happens.
create table identity.spend_part (
  id bigint not null generated always as identity,
  limit_id uuid not null,
  begins date not null,
  spent bigint not null,
  room bigint not null,
  is_return boolean not null default false,
  constraint spend_part_pkey primary key (id),
  constraint spend_part_limit foreign key (limit_id) references identity.spend_limit (id),
  constraint spend_part_room_not_negative check (room >= 0),
  constraint spend_part_return_has_no_room check (not is_return or room = 0)
) with (fillfactor = 50);
comment on column identity.spend_part.begins is 'the first day of the period that it is a part of';
comment on column identity.spend_part.spent is 'US cents; the sum over the parts of a period is what was spent in it';
comment on column identity.spend_part.room is 'US cents that may be spent out of this part';
comment on column identity.spend_part.is_return is 'what was given back since the division: written once, and no part';
create index spend_part_of_limit on identity.spend_part (limit_id, is_return);

-- What each trade, funding or withdrawal counts for under a limit.
create table identity.spend (
  ref_id uuid not null,
  limit_id uuid not null,
  day date not null,
  cents bigint not null,
  constraint spend_pkey primary key (ref_id),
  constraint spend_limit foreign key (limit_id) references identity.spend_limit (id),
  constraint spend_not_negative check (cents >= 0)
);
comment on column identity.spend.cents is 'US cents, less what was given back';
create index spend_by_day on identity.spend (day, limit_id);

alter table identity.api_key
  add column scopes text[],
  add column accounts uuid[],
  add column ends_at timestamptz,
  add column spend_limit_id uuid,
  add constraint api_key_scopes_known check (scopes <@ array['read', 'live', 'buy', 'sell', 'deposit', 'users', 'funds', 'payout']),
  add constraint api_key_accounts_are_sub_users check (accounts is null or (kind = 'merchant' and cardinality(accounts) between 1 and 100)),
  add constraint api_key_spend_limit foreign key (spend_limit_id) references identity.spend_limit (id);
comment on column identity.api_key.accounts is 'the sub-users that it may act for; null: all, and the merchant itself';
comment on column identity.api_key.ends_at is 'from then on it opens nothing; valid_until is the end of a rotation''s overlap';

create or replace trigger api_key_changed after update of status, allowlist, valid_until, scopes, accounts, ends_at on identity.api_key
  for each row when ((new.status, new.allowlist, new.valid_until, new.scopes, new.accounts, new.ends_at)
    is distinct from (old.status, old.allowlist, old.valid_until, old.scopes, old.accounts, old.ends_at))
  execute function identity.notify_key_changed();

-- No row has a limit yet, so that none need be looked at.
alter table identity.account
  add column limit_per_trade bigint,
  add column limit_per_day bigint,
  add column limit_open_trades integer,
  add constraint account_limits_are_a_sub_users check (kind = 'sub_user'
    or num_nonnulls(limit_per_trade, limit_per_day, limit_open_trades) = 0) not valid,
  add constraint account_limits_not_negative check (limit_per_trade >= 0 and limit_per_day >= 0 and limit_open_trades >= 0) not valid;
comment on column identity.account.limit_per_trade is 'cents of the wallet''s currency, like limit_per_day: what one buy may cost';
comment on column identity.account.limit_per_day is 'what the buys of a UTC day may cost together, less what was given back of them';
comment on column identity.account.limit_open_trades is 'how many buys may be open at once';

create function identity.limits_of(account_id_ uuid)
  returns table (per_trade bigint, per_day bigint, open_trades integer)
language sql stable as $$
  select a.limit_per_trade, a.limit_per_day, a.limit_open_trades from identity.account a
  where a.id = account_id_ and num_nonnulls(a.limit_per_trade, a.limit_per_day, a.limit_open_trades) > 0 $$;

create function identity.refuse_beyond_limit(facts_ jsonb) returns void
language plpgsql as $$
begin
  raise exception 'a limit of spending is reached' using errcode = 'PT403', detail = facts_::text;
end $$;

-- ---------------------------------------------------------------- spend limits of keys

create function identity.period_of(period_ text, at_ timestamptz) returns date
language sql immutable as $$ select date_trunc(period_, at_ at time zone 'UTC')::date $$;

-- When the period that begins then is over, as JSON shows times.
create function identity.reset_after(period_ text, begins_ date) returns text
language sql immutable as $$
  select to_char(begins_ + ('1 ' || period_)::interval, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') $$;

-- Divides what a limit leaves of a period among its parts, all of which the caller has locked with the limit. A part that
-- has less than `unit_` is of no use to the next who spends as much.
create function identity.divide_limit(limit_ identity.spend_limit, begins_ date, spent_ bigint, unit_ bigint) returns void
language plpgsql as $$
declare
  most_parts constant integer := 16;
  room_ bigint := greatest(0, limit_.cents - spent_);
  parts_ bigint := greatest(1, least(most_parts, room_ / greatest(1, unit_)));
begin
  insert into identity.spend_part (limit_id, begins, spent, room)
    select limit_.id, begins_, 0, 0 from generate_series(1, most_parts - (
      select count(*) from identity.spend_part p where p.limit_id = limit_.id and not p.is_return));
  with numbered as (
    select p.id, row_number() over (order by p.id) number from identity.spend_part p
    where p.limit_id = limit_.id and not p.is_return)
  update identity.spend_part p set begins = begins_, spent = case when n.number = 1 then spent_ else 0 end,
      room = case when n.number > parts_ then 0 else room_ / parts_ + (n.number <= room_ % parts_)::integer end
    from numbered n where p.id = n.id;
end $$;

-- Takes so much out of a limit. Raises PT403 (DETAIL: the facts, JSON) when the limit does not cover it. It is to be
-- the last lock of a transaction but for one that all tenants share, so that what waits for it waits for a commit only,
-- and it is taken once.
create function identity.take_room(limit_id_ uuid, cents_ bigint, at_ timestamptz) returns void
language plpgsql as $$
declare
  limit_ identity.spend_limit;
  begins_ date;
  spent_ bigint;
begin
  update identity.spend_part p set spent = p.spent + cents_, room = p.room - cents_
    where p.id = (
      select c.id from identity.spend_part c join identity.spend_limit l on l.id = c.limit_id
      where c.limit_id = limit_id_ and not c.is_return and c.room >= cents_ and c.begins >= identity.period_of(l.period, at_)
      order by c.id limit 1 for update of c skip locked);
  if found then return; end if;
  select l.* into strict limit_ from identity.spend_limit l where l.id = limit_id_ for no key update;
  perform from identity.spend_part p where p.limit_id = limit_id_ and not p.is_return order by p.id for update;
  -- A clock that is late counts in the period that others have begun.
  select greatest(identity.period_of(limit_.period, at_), max(p.begins)) into begins_
    from identity.spend_part p where p.limit_id = limit_id_;
  -- In one statement: what is given back meanwhile is in neither, and stays.
  with returned as (
    delete from identity.spend_part p where p.limit_id = limit_id_ and p.is_return returning p.begins, p.spent),
  counted as (
    select p.begins, p.spent from identity.spend_part p where p.limit_id = limit_id_ and not p.is_return
    union all select * from returned)
  select coalesce(sum(c.spent), 0) into spent_ from counted c where c.begins = begins_;
  if spent_ + cents_ > limit_.cents then
    perform identity.refuse_beyond_limit(jsonb_build_object('limit', 'key', 'limitCents', limit_.cents,
      'spentCents', spent_, 'resetsAt', identity.reset_after(limit_.period, begins_)));
  end if;
  perform identity.divide_limit(limit_, begins_, spent_ + cents_, cents_);
end $$;

create function identity.has_spend_limit(key_id_ uuid) returns boolean
language sql stable as $$
  select exists (select from identity.api_key k where k.id = key_id_ and k.spend_limit_id is not null) $$;

-- Counts what keys spend, in US cents, each under the id of a trade, a funding or a withdrawal. Keys without a limit, and
-- ids that are no key's, count nothing. Raises what take_room does.
create function identity.count_spends(key_ids_ uuid[], ref_ids_ uuid[], cents_ bigint[], at_ timestamptz) returns void
language plpgsql as $$
declare one_ record;
begin
  insert into identity.spend (ref_id, limit_id, day, cents)
    select s.ref_id, k.spend_limit_id, (at_ at time zone 'UTC')::date, s.cents
    from unnest(key_ids_, ref_ids_, cents_) s (key_id, ref_id, cents) join identity.api_key k on k.id = s.key_id
    where k.spend_limit_id is not null;
  -- In the order of their ids: two transactions with the same limits cannot wait for each other in a ring.
  for one_ in
    select s.limit_id, sum(s.cents)::bigint cents from identity.spend s where s.ref_id = any (ref_ids_)
    group by s.limit_id order by s.limit_id
  loop
    perform identity.take_room(one_.limit_id, one_.cents, at_);
  end loop;
end $$;

-- Counts more for what has been counted, while its period lasts.
create function identity.count_more(ref_id_ uuid, cents_ bigint, at_ timestamptz) returns void
language plpgsql as $$
declare limit_id_ uuid;
begin
  update identity.spend s set cents = s.cents + cents_ from identity.spend_limit l
    where s.ref_id = ref_id_ and l.id = s.limit_id
      and identity.period_of(l.period, s.day::timestamp at time zone 'UTC') = identity.period_of(l.period, at_)
    returning s.limit_id into limit_id_;
  if limit_id_ is not null then perform identity.take_room(limit_id_, cents_, at_); end if;
end $$;

-- Gives back what was counted, as far as it was, and while its period lasts. It takes no lock that others hold.
create function identity.give_back(ref_id_ uuid, cents_ bigint, at_ timestamptz) returns void
language sql as $$
  with given as (
    update identity.spend s set cents = s.cents - least(s.cents, cents_) where s.ref_id = ref_id_
      returning s.limit_id, s.day, old.cents - new.cents cents)
  insert into identity.spend_part (limit_id, begins, spent, room, is_return)
    select g.limit_id, identity.period_of(l.period, at_), -g.cents, 0, true
    from given g join identity.spend_limit l on l.id = g.limit_id
    where g.cents > 0 and identity.period_of(l.period, g.day::timestamp at time zone 'UTC') = identity.period_of(l.period, at_) $$;

-- What may be spent under a limit, a new one or another amount or period of one: what was spent is kept.
create function identity.set_spend_limit(limit_id_ uuid, cents_ bigint, period_ text, at_ timestamptz) returns void
language plpgsql as $$
declare
  limit_ identity.spend_limit;
  begins_ date := identity.period_of(period_, at_);
  spent_ bigint;
begin
  insert into identity.spend_limit as l (id, cents, period) values (limit_id_, cents_, period_)
    on conflict (id) do update set cents = excluded.cents, period = excluded.period returning l.* into limit_;
  perform from identity.spend_part p where p.limit_id = limit_id_ and not p.is_return order by p.id for update;
  -- In one statement: what the sum has less is what is deleted.
  with returned as (delete from identity.spend_part p where p.limit_id = limit_id_ and p.is_return)
  select coalesce(sum(s.cents), 0) into spent_ from identity.spend s where s.limit_id = limit_id_ and s.day >= begins_;
  perform identity.divide_limit(limit_, begins_, spent_, 1);
end $$;

-- US cents that were spent under a limit in its period.
create function identity.spent_under(limit_id_ uuid, at_ timestamptz) returns bigint
language sql stable as $$
  select coalesce(sum(p.spent), 0)::bigint from identity.spend_part p join identity.spend_limit l on l.id = p.limit_id
  where l.id = limit_id_ and p.begins >= identity.period_of(l.period, at_) $$;

-- Whether the limit of a key covers so many US cents no more.
create function identity.would_reach_limit(key_id_ uuid, cents_ bigint, at_ timestamptz) returns boolean
language sql stable as $$
  select exists (
    select from identity.api_key k join identity.spend_limit l on l.id = k.spend_limit_id
    where k.id = key_id_ and identity.spent_under(l.id, at_) + cents_ > l.cents) $$;

-- ---------------------------------------------------------------- what a buy counts for

-- What the buys of an account since the beginning of a day cost, less what was given back of them; cents of its wallet.
create function trades.spent_on(account_id_ uuid, day_ date) returns bigint
language sql stable as $$
  select coalesce(sum(i.price - coalesce(i.refunded, 0)), 0)::bigint
  from trades.trade t join trades.item i on i.trade_id = t.id
  where t.account_id = account_id_ and t.type = 'buy' and t.id >= trades.first_id(day_::timestamp at time zone 'UTC')
    and t.created_at >= day_::timestamp at time zone 'UTC' $$;

create function trades.open_buys(account_id_ uuid) returns bigint
language sql stable as $$
  select count(*) from trades.trade t where t.account_id = account_id_ and t.type = 'buy' and t.status < 'completed' $$;

-- Refuses (PT403) a buy over a limit of its account. Buys of an account that has limits are counted one after the other:
-- the debit of its wallet comes before.
create function trades.check_limits(trade_ trades.trade, is_new_ boolean, at_ timestamptz) returns void
language plpgsql as $$
declare
  limits_ record;
  begins_ date := identity.period_of('day', at_);
  spent_ bigint;
  open_ bigint;
begin
  select l.* into limits_ from identity.limits_of(trade_.account_id) l;
  if limits_ is null then return; end if;
  if trade_.total > limits_.per_trade then
    perform identity.refuse_beyond_limit(jsonb_build_object('limit', 'perTrade', 'limitCents', limits_.per_trade,
      'requiredCents', trade_.total));
  end if;
  if limits_.per_day is not null then
    spent_ := trades.spent_on(trade_.account_id, begins_);
    if spent_ > limits_.per_day then
      perform identity.refuse_beyond_limit(jsonb_build_object('limit', 'perDay', 'limitCents', limits_.per_day,
        'spentCents', greatest(0, spent_ - trade_.total), 'resetsAt', identity.reset_after('day', begins_)));
    end if;
  end if;
  if is_new_ and limits_.open_trades is not null then
    open_ := trades.open_buys(trade_.account_id);
    if open_ > limits_.open_trades then
      perform identity.refuse_beyond_limit(jsonb_build_object('limit', 'openTrades', 'limitTrades', limits_.open_trades,
        'openTrades', open_ - 1));
    end if;
  end if;
end $$;

-- Counts a buy that was just placed with a key under the limits of its account and of the key; a replay counts nothing.
-- PT403: see identity.take_room and trades.check_limits.
create function trades.count_buy(trade_id_ uuid, replayed_ boolean, key_id_ uuid, at_ timestamptz) returns void
language plpgsql as $$
declare trade_ trades.trade;
begin
  if replayed_ then return; end if;
  select t.* into strict trade_ from trades.trade t where t.id = trade_id_;
  if trade_.account_id <> trade_.tenant_id then perform trades.check_limits(trade_, true, at_); end if;
  if identity.has_spend_limit(key_id_) then
    perform identity.count_spends(array[key_id_], array[trade_id_], array[(
      select sum(pricing.convert_half_up(i.price, trade_.currency, 'USD', trade_.usd_per_eur_micros))::bigint
      from trades.item i where i.trade_id = trade_id_)], at_);
  end if;
end $$;

-- Whether a buy of items at these prices would go over a limit of its account or of the key.
create function trades.would_reach_limit(
  account_id_ uuid, key_id_ uuid, prices_ bigint[], currency_ ledger.currency, usd_per_eur_micros_ bigint,
  at_ timestamptz) returns boolean
language sql stable as $$
  select exists (
    select from identity.limits_of(account_id_) l cross join (select sum(p)::bigint total from unnest(prices_) p) b
    where b.total > l.per_trade
      or b.total + trades.spent_on(account_id_, identity.period_of('day', at_)) > l.per_day
      or trades.open_buys(account_id_) + 1 > l.open_trades)
  or identity.would_reach_limit(key_id_, (
    select sum(pricing.convert_half_up(p, currency_, 'USD', usd_per_eur_micros_))::bigint from unnest(prices_) p), at_) $$;

-- An item of a buy costs another price since: the difference counts too.
create function trades.count_change(trade_id_ uuid, from_ bigint, to_ bigint, at_ timestamptz) returns void
language plpgsql as $$
declare
  trade_ trades.trade;
  usd_ bigint;
begin
  select t.* into strict trade_ from trades.trade t where t.id = trade_id_;
  usd_ := pricing.convert_half_up(to_, trade_.currency, 'USD', trade_.usd_per_eur_micros)
    - pricing.convert_half_up(from_, trade_.currency, 'USD', trade_.usd_per_eur_micros);
  if to_ > from_ and trade_.account_id <> trade_.tenant_id then perform trades.check_limits(trade_, false, at_); end if;
  if usd_ > 0 then perform identity.count_more(trade_id_, usd_, at_); end if;
  if usd_ < 0 then perform identity.give_back(trade_id_, -usd_, at_); end if;
end $$;

-- As before, and that what comes back no longer counts as spent.
create or replace function trades.refund(trade_ trades.trade, item_ trades.item, at_ timestamptz) returns void
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
  perform identity.give_back(trade_.id,
    pricing.convert_half_up(item_.refunded, trade_.currency, 'USD', trade_.usd_per_eur_micros), at_);
end $$;
