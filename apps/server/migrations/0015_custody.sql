-- Custody: the books in kind. What we hold on chains, and for whom, in base units of each token on each chain,
-- in double entry: a posting is one debit and one credit of the same chain and token. The cents of wallets are
-- in `ledger`; the two meet in the account `ledger_clearing`.
create schema custody;

-- An asset or expense grows by a debit, a liability or income by a credit: the normal side.
create table custody.role (
  name text not null,
  normal_side text not null,
  is_tracked boolean not null,
  is_owned boolean not null,
  constraint role_pkey primary key (name),
  constraint role_normal_side_known check (normal_side in ('debit', 'credit')),
  constraint role_traits unique (name, is_tracked, is_owned)
);
comment on column custody.role.is_tracked is 'has a balance row, which every posting locks and which is never negative; the others are summed';

insert into custody.role (name, normal_side, is_tracked, is_owned) values
  -- What we hold.
  ('deposit_address', 'debit', false, false),
  ('treasury', 'debit', false, false),
  ('hot_wallet', 'debit', false, false),
  ('gas_station', 'debit', false, false),
  -- What we owe in kind.
  ('merchant', 'credit', true, true),
  ('in_flight', 'credit', true, true),
  -- What we owe in cents: the counterpart of the wallets in `ledger`.
  ('ledger_clearing', 'credit', false, false),
  -- Our own funds, what they earn and cost, and differences that nothing explains yet.
  ('capital', 'credit', false, false),
  ('fee_income', 'credit', false, false),
  ('network_fees', 'debit', false, false),
  ('unexplained', 'credit', false, false),
  ('unclaimed', 'credit', true, true);

create table custody.account (
  id bigint generated always as identity,
  role text not null,
  owner_id uuid,
  chain text not null,
  token text not null,
  is_tracked boolean not null,
  is_owned boolean generated always as (owner_id is not null) stored,
  created_at timestamptz not null default now(),
  constraint account_pkey primary key (id),
  constraint account_once unique nulls not distinct (role, owner_id, chain, token),
  constraint account_has_traits_of_its_role foreign key (role, is_tracked, is_owned)
    references custody.role (name, is_tracked, is_owned),
  constraint account_chain_form check (chain ~ '^[a-z][a-z0-9-]{1,31}$'),
  constraint account_token_form check (token ~ '^[A-Z0-9]{2,12}$')
);
comment on column custody.account.token is 'symbol, unique on a chain; NATIVE for the coin of the chain';
create index account_of_owner on custody.account (owner_id) where owner_id is not null;
create index account_owed on custody.account (chain, token) where is_tracked;

create table custody.balance (
  account_id bigint not null,
  units numeric(78, 0) not null default 0,
  seq bigint not null default 0,
  constraint balance_pkey primary key (account_id),
  constraint balance_account foreign key (account_id) references custody.account (id),
  constraint no_overdraft check (units >= 0)
) with (fillfactor = 50);
comment on column custody.balance.units is 'base units on the normal side of the account';
comment on column custody.balance.seq is 'number of postings on this account, gapless';

create table custody.posting (
  id bigint generated always as identity,
  debit_account_id bigint not null,
  credit_account_id bigint not null,
  units numeric(78, 0) not null,
  reason text not null,
  ref_id uuid,
  idempotency_key text not null,
  debit_seq bigint,
  debit_after numeric(78, 0),
  credit_seq bigint,
  credit_after numeric(78, 0),
  created_at timestamptz not null,
  constraint posting_pkey primary key (id),
  constraint posting_once unique (idempotency_key),
  constraint posting_debit_account foreign key (debit_account_id) references custody.account (id),
  constraint posting_credit_account foreign key (credit_account_id) references custody.account (id),
  constraint posting_units_positive check (units > 0),
  constraint posting_two_accounts check (debit_account_id <> credit_account_id),
  constraint posting_reason_form check (reason ~ '^[a-z_]{3,40}$'),
  constraint posting_key_form check (idempotency_key ~ '^[a-z_]+:.{1,200}$')
);
comment on column custody.posting.units is 'base units';
comment on column custody.posting.ref_id is 'what the posting is about: a transfer, a withdrawal, a transaction';
comment on column custody.posting.idempotency_key is '<what>:<id of what>[:<part>]';
comment on column custody.posting.debit_after is 'balance after this posting; written by the trigger only';
create unique index posting_debit on custody.posting (debit_account_id, debit_seq) where debit_seq is not null;
create unique index posting_credit on custody.posting (credit_account_id, credit_seq) where credit_seq is not null;
create index posting_ref on custody.posting (ref_id) where ref_id is not null;
create index posting_open_debit on custody.posting (debit_account_id, id) include (units) where debit_seq is null;
create index posting_open_credit on custody.posting (credit_account_id, id) include (units) where credit_seq is null;

-- The same road to a balance as in the ledger: a posting moves the balances of its two accounts, and nothing
-- else does. Both balances are locked in the order of the account ids.
create function custody.posting_apply() returns trigger
language plpgsql security definer set search_path = custody, pg_temp as $$
declare
  d record;
  c record;
  debit_change numeric;
  credit_change numeric;
begin
  new.debit_seq := null; new.debit_after := null; new.credit_seq := null; new.credit_after := null;
  select a.chain, a.token, a.is_tracked, r.normal_side into d
    from account a join role r on r.name = a.role where a.id = new.debit_account_id;
  select a.chain, a.token, a.is_tracked, r.normal_side into c
    from account a join role r on r.name = a.role where a.id = new.credit_account_id;
  if d.chain is null or c.chain is null or (d.chain, d.token) <> (c.chain, c.token) then
    raise exception 'accounts % and % are not of one chain and token', new.debit_account_id, new.credit_account_id
      using errcode = '23514', constraint = 'posting_one_chain_and_token';
  end if;
  debit_change := case d.normal_side when 'debit' then new.units else -new.units end;
  credit_change := case c.normal_side when 'credit' then new.units else -new.units end;
  perform from balance where account_id in (new.debit_account_id, new.credit_account_id)
    order by account_id for no key update;
  if d.is_tracked then
    update balance set units = units + debit_change, seq = seq + 1 where account_id = new.debit_account_id
      returning seq, units into strict new.debit_seq, new.debit_after;
  end if;
  if c.is_tracked then
    update balance set units = units + credit_change, seq = seq + 1 where account_id = new.credit_account_id
      returning seq, units into strict new.credit_seq, new.credit_after;
  end if;
  return new;
end $$;
create trigger posting_apply before insert on custody.posting
  for each row execute function custody.posting_apply();

create function custody.deny() returns trigger language plpgsql as $$
begin
  raise exception '% on %.% is forbidden: the books are append-only', tg_op, tg_table_schema, tg_table_name
    using errcode = '42501';
end $$;
create trigger posting_append_only before update or delete or truncate on custody.posting
  for each statement execute function custody.deny();
create trigger account_append_only before update or delete or truncate on custody.account
  for each statement execute function custody.deny();
create trigger role_append_only before update or delete or truncate on custody.role
  for each statement execute function custody.deny();
create trigger balance_kept before delete or truncate on custody.balance
  for each statement execute function custody.deny();

create function custody.balance_guard() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' and new.units = 0 and new.seq = 0 then return new; end if;
  -- Depth 2 = this trigger inside posting_apply: the only road to a balance.
  if tg_op = 'UPDATE' and pg_trigger_depth() >= 2 and new.account_id = old.account_id then return new; end if;
  raise exception 'a balance changes only through a posting' using errcode = '42501';
end $$;
create trigger balance_guard before insert or update on custody.balance
  for each row execute function custody.balance_guard();

-- ---------------------------------------------------------------- the functions for other modules

-- The account of a role, owner, chain and token; it is opened with a zero balance when it is not there.
create function custody.open_account(role_ text, owner_id_ uuid, chain_ text, token_ text) returns bigint
language plpgsql as $$
declare id_ bigint;
begin
  select id into id_ from custody.account
    where role = role_ and owner_id is not distinct from owner_id_ and chain = chain_ and token = token_;
  if id_ is not null then return id_; end if;
  insert into custody.account (role, owner_id, chain, token, is_tracked)
    values (role_, owner_id_, chain_, token_, coalesce((select is_tracked from custody.role where name = role_), false))
    on conflict on constraint account_once do nothing
    returning id into id_;
  if id_ is null then
    select id into strict id_ from custody.account
      where role = role_ and owner_id is not distinct from owner_id_ and chain = chain_ and token = token_;
    return id_;
  end if;
  insert into custody.balance (account_id)
    select id_ from custody.role where name = role_ and is_tracked;
  return id_;
end $$;

-- Writes postings, each once for its key. A key that is known with the same content is left as it is; with
-- other content it raises PT409. An overdraft of a tracked account violates `no_overdraft`. Answers how many
-- postings were new.
create function custody.post(
  keys_ text[], reasons_ text[], ref_ids_ uuid[], chains_ text[], tokens_ text[],
  debit_roles_ text[], debit_owners_ uuid[], credit_roles_ text[], credit_owners_ uuid[],
  units_ numeric[], at_ timestamptz) returns integer
language plpgsql as $$
declare
  leg record;
  first record;
  debit_id bigint;
  credit_id bigint;
  written integer := 0;
begin
  for leg in
    select * from unnest(keys_, reasons_, ref_ids_, chains_, tokens_, debit_roles_, debit_owners_, credit_roles_,
        credit_owners_, units_) with ordinality
      l (key, reason, ref_id, chain, token, debit_role, debit_owner, credit_role, credit_owner, units, position)
    -- One order for all callers, so that two of them wait for each other instead of deadlocking.
    order by l.chain, l.token, least(l.debit_role, l.credit_role), l.debit_owner, l.credit_owner, l.position
  loop
    debit_id := custody.open_account(leg.debit_role, leg.debit_owner, leg.chain, leg.token);
    credit_id := custody.open_account(leg.credit_role, leg.credit_owner, leg.chain, leg.token);
    insert into custody.posting (debit_account_id, credit_account_id, units, reason, ref_id, idempotency_key, created_at)
      select debit_id, credit_id, leg.units, leg.reason, leg.ref_id, leg.key, at_
      where not exists (select from custody.posting p where p.idempotency_key = leg.key);
    if found then
      written := written + 1;
      continue;
    end if;
    select p.debit_account_id, p.credit_account_id, p.units into strict first
      from custody.posting p where p.idempotency_key = leg.key;
    if first.debit_account_id <> debit_id or first.credit_account_id <> credit_id or first.units <> leg.units then
      raise exception 'custody posting % exists with other content', leg.key using errcode = 'PT409';
    end if;
  end loop;
  return written;
end $$;
-- Closings: what the postings of an account without a balance row come to, up to one of them. A balance is the
-- newest closing and the postings above it, so that it costs the same however long the books are.
create table custody.closing (
  id bigint generated always as identity,
  account_id bigint not null,
  posting_id bigint not null,
  units numeric(78, 0) not null,
  closed_at timestamptz not null default now(),
  constraint closing_pkey primary key (id),
  constraint closing_once unique (account_id, posting_id),
  constraint closing_account foreign key (account_id) references custody.account (id),
  constraint closing_posting foreign key (posting_id) references custody.posting (id)
);
comment on column custody.closing.posting_id is 'the last posting that is in it: all of the account with this id or a lesser one are';
comment on column custody.closing.units is 'base units on the normal side of the account; written by the trigger only';

-- Base units on the normal side of an account without a balance row, of its postings after one up to another.
create function custody.summed(account_id_ bigint, after_ bigint, up_to_ bigint) returns numeric
language sql stable as $$
  select case r.normal_side when 'debit' then 1 else -1 end * (
      coalesce((select sum(p.units) from custody.posting p
        where p.debit_account_id = a.id and p.debit_seq is null and p.id > after_ and p.id <= up_to_), 0)
      - coalesce((select sum(p.units) from custody.posting p
        where p.credit_account_id = a.id and p.credit_seq is null and p.id > after_ and p.id <= up_to_), 0))
    from custody.account a join custody.role r on r.name = a.role where a.id = account_id_ $$;

-- A posting has its id before it commits. No transaction has one that is not committed while the table is locked
-- in this mode, so none can come below the closing later. The sums are read after the lock, in a new snapshot.
create function custody.closing_apply() returns trigger
language plpgsql set lock_timeout = '100ms' as $$
declare previous custody.closing;
begin
  lock table custody.posting in share mode;
  select * into previous from custody.closing c
    where c.account_id = new.account_id and c.posting_id < new.posting_id order by c.posting_id desc limit 1;
  new.units := coalesce(previous.units, 0)
    + custody.summed(new.account_id, coalesce(previous.posting_id, 0), new.posting_id);
  return new;
end $$;
create trigger closing_apply before insert on custody.closing
  for each row execute function custody.closing_apply();
create trigger closing_append_only before update or delete or truncate on custody.closing
  for each statement execute function custody.deny();

-- Base units on the normal side of an account; 0 for one that was never opened.
create function custody.balance_of(role_ text, owner_id_ uuid, chain_ text, token_ text) returns numeric
language sql stable as $$
  select coalesce((
    select case when a.is_tracked then (select b.units from custody.balance b where b.account_id = a.id)
      else coalesce(closed.units, 0) + custody.summed(a.id, coalesce(closed.posting_id, 0), 9223372036854775807) end
    from custody.account a
      left join lateral (select c.posting_id, c.units from custody.closing c
        where c.account_id = a.id order by c.posting_id desc limit 1) closed on true
    where a.role = role_ and a.owner_id is not distinct from owner_id_ and a.chain = chain_ and a.token = token_), 0) $$;

-- Base units of the posting under a key; 0 when there is none.
create function custody.posted(key_ text) returns numeric
language sql stable as $$
  select coalesce((select units from custody.posting where idempotency_key = key_), 0) $$;

-- Every account with its balance, of one owner or (null) of none: what the service itself holds.
create function custody.balances(owner_id_ uuid)
  returns table (role text, chain text, token text, units numeric)
language sql stable as $$
  select a.role, a.chain, a.token, custody.balance_of(a.role, a.owner_id, a.chain, a.token)
  from custody.account a where a.owner_id is not distinct from owner_id_ order by a.chain, a.token, a.role $$;

-- What all owners together have on a tracked role: the liabilities by chain and token.
create function custody.owed() returns table (role text, chain text, token text, units numeric)
language sql stable as $$
  select a.role, a.chain, a.token, sum(b.units)
  from custody.account a join custody.balance b on b.account_id = a.id
  group by a.role, a.chain, a.token order by a.chain, a.token, a.role $$;

-- Base units that our addresses on a chain hold by the books, less what is owed to owners in kind.
create function custody.own_funds(chain_ text, tokens_ text[]) returns table (token text, units numeric)
language sql stable as $$
  select t.token,
    (select sum(custody.balance_of(held.role, null, chain_, t.token))
     from unnest('{deposit_address,treasury,hot_wallet,gas_station}'::text[]) held (role))
    - (select coalesce(sum(b.units), 0) from custody.account a join custody.balance b on b.account_id = a.id
       where a.is_tracked and a.chain = chain_ and a.token = t.token)
  from unnest(tokens_) t (token) $$;

-- The role that a posting has credited; null when there is no posting under the key.
create function custody.credited_role(key_ text) returns text
language sql stable as $$
  select a.role from custody.posting p join custody.account a on a.id = p.credit_account_id
  where p.idempotency_key = key_ $$;

-- The auditor: a row for each broken promise, none when all is well.
create function custody.audit() returns table (invariant text, detail text)
language sql stable as $$
  with leg as (
    select p.debit_account_id account_id, p.debit_seq seq, p.debit_after after,
        case r.normal_side when 'debit' then p.units else -p.units end change
      from custody.posting p join custody.account a on a.id = p.debit_account_id join custody.role r on r.name = a.role
    union all
    select p.credit_account_id, p.credit_seq, p.credit_after,
        case r.normal_side when 'credit' then p.units else -p.units end
      from custody.posting p join custody.account a on a.id = p.credit_account_id join custody.role r on r.name = a.role)
  select 'a custody balance is the sum of its postings',
      format('account %s: %s posted, %s summed, seq %s of %s', b.account_id, b.units, coalesce(t.sum, 0), b.seq, coalesce(t.count, 0))
    from custody.balance b
    left join (select account_id, sum(change) sum, count(*) count from leg group by 1) t using (account_id)
    where b.units <> coalesce(t.sum, 0) or b.seq <> coalesce(t.count, 0)
  union all
  select 'no custody balance is negative', format('account %s: %s', account_id, units)
    from custody.balance where units < 0
  union all
  select 'the custody postings of an account form a gapless chain', format('account %s at seq %s', account_id, seq)
    from (select account_id, seq, after, change,
            lag(after, 1, 0::numeric) over chain previous, lag(seq, 1, 0::bigint) over chain previous_seq
          from leg where seq is not null window chain as (partition by account_id order by seq)) chained
    where after <> previous + change or seq <> previous_seq + 1
  union all
  select 'a custody posting is of one chain and token', p.id::text
    from custody.posting p join custody.account d on d.id = p.debit_account_id
      join custody.account c on c.id = p.credit_account_id
    where (d.chain, d.token) is distinct from (c.chain, c.token)
$$;

-- The auditor of the closings after one up to another: each is the one before it and the postings between.
create function custody.audit_closings(after_ bigint default 0, up_to_ bigint default 9223372036854775807)
  returns table (invariant text, detail text)
language sql stable as $$
  select 'a custody closing is the sum of its postings', format('account %s up to posting %s: %s', c.account_id, c.posting_id, c.units)
    from custody.closing c
    left join lateral (select e.posting_id, e.units from custody.closing e
      where e.account_id = c.account_id and e.posting_id < c.posting_id order by e.posting_id desc limit 1) previous on true
    where c.id > after_ and c.id <= up_to_
      and c.units <> coalesce(previous.units, 0)
        + custody.summed(c.account_id, coalesce(previous.posting_id, 0), c.posting_id) $$;
-- Of the postings after one up to another: each continues the chain of its accounts.
create function custody.audit_postings(after_ bigint, up_to_ bigint) returns table (invariant text, detail text)
language sql stable as $$
  with slice as materialized (
    select p.* from custody.posting p where p.id > after_ and p.id <= up_to_),
  leg as (
    select p.debit_account_id account_id, p.debit_seq seq, p.debit_after after,
        case r.normal_side when 'debit' then p.units else -p.units end change
      from slice p join custody.account a on a.id = p.debit_account_id join custody.role r on r.name = a.role
      where a.is_tracked
    union all
    select p.credit_account_id, p.credit_seq, p.credit_after,
        case r.normal_side when 'credit' then p.units else -p.units end
      from slice p join custody.account a on a.id = p.credit_account_id join custody.role r on r.name = a.role
      where a.is_tracked)
  select 'the custody postings of an account form a gapless chain', format('account %s at seq %s', leg.account_id, leg.seq)
    from leg
    left join lateral (
      select p.debit_after after from custody.posting p
        where p.debit_account_id = leg.account_id and p.debit_seq = leg.seq - 1
      union all
      select p.credit_after from custody.posting p
        where p.credit_account_id = leg.account_id and p.credit_seq = leg.seq - 1) previous on true
    where leg.seq is null
      or leg.after is distinct from case leg.seq when 1 then leg.change else previous.after + leg.change end
  union all
  select 'a custody posting is of one chain and token', p.id::text
    from slice p join custody.account d on d.id = p.debit_account_id join custody.account c on c.id = p.credit_account_id
    where (d.chain, d.token) is distinct from (c.chain, c.token) $$;

-- Of the balances of the accounts after one up to another: each is the end of its chain.
create function custody.audit_balances(after_ bigint, up_to_ bigint) returns table (invariant text, detail text)
language sql stable as $$
  select 'a custody balance is the sum of its postings',
      format('account %s: %s posted, %s in the chain at seq %s', b.account_id, b.units, coalesce(last.after, 0), b.seq)
    from custody.balance b
    left join lateral (
      select p.debit_after after from custody.posting p where p.debit_account_id = b.account_id and p.debit_seq = b.seq
      union all
      select p.credit_after from custody.posting p where p.credit_account_id = b.account_id and p.credit_seq = b.seq) last
      on true
    where b.account_id > after_ and b.account_id <= up_to_
      and (b.units is distinct from case b.seq when 0 then 0 else last.after end
        or exists (select from custody.posting p where p.debit_account_id = b.account_id and p.debit_seq > b.seq)
        or exists (select from custody.posting p where p.credit_account_id = b.account_id and p.credit_seq > b.seq))
  union all
  select 'no custody balance is negative', format('account %s: %s', b.account_id, b.units)
    from custody.balance b where b.account_id > after_ and b.account_id <= up_to_ and b.units < 0 $$;
