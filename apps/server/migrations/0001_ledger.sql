-- The books. One posting = one debit and one credit of the same amount and currency, so unbalanced books
-- cannot be written down. A balance moves only by inserting a posting, and inserting a posting always
-- moves it. Design and measurements: docs/decisions/0002-ledger.md.
create schema ledger;

create type ledger.currency as enum ('USD', 'EUR');

-- What accounts there are. A module adds its kinds in its own migration, with ledger.add_account_kind.
-- Tracked accounts have a balance row, which every posting locks; the others are appended to and summed by
-- audits, so no posting waits for them. Owned accounts are opened for an owner, the others once for each currency.
create table ledger.account_kind (
  name text not null,
  is_tracked boolean not null,
  is_owned boolean not null,
  floor bigint not null default 0,
  constraint account_kind_pkey primary key (name),
  constraint account_kind_traits unique (name, is_tracked, is_owned),
  constraint account_kind_owned_is_tracked check (is_tracked or not is_owned)
);
comment on column ledger.account_kind.floor is 'cents; the balance of such an account never falls below it';

-- What journals there are, and how each side of a posting reads in the ledger of a wallet's owner.
create table ledger.journal_kind (
  name text not null,
  debit_entry text not null,
  credit_entry text not null,
  constraint journal_kind_pkey primary key (name)
);

-- Positive ids are tracked, negative ones are not.
create table ledger.account (
  id bigint not null,
  public_id uuid not null default uuidv7(),
  kind text not null,
  owner_id uuid,
  currency ledger.currency not null,
  is_tracked boolean generated always as (id > 0) stored,
  is_owned boolean generated always as (owner_id is not null) stored,
  created_at timestamptz not null default now(),
  constraint account_pkey primary key (id),
  constraint account_public_id_key unique (public_id),
  constraint account_has_traits_of_its_kind foreign key (kind, is_tracked, is_owned)
    references ledger.account_kind (name, is_tracked, is_owned)
);
-- One wallet of a kind for each owner: a second one in another currency does not exist.
create unique index account_owner_kind on ledger.account (owner_id, kind) where owner_id is not null;
create unique index account_house_kind on ledger.account (kind, currency) where owner_id is null;
create index account_debts on ledger.account (id) where kind = 'deposit_debt';

create sequence ledger.account_id as bigint;
create sequence ledger.house_account_id as bigint increment -1 maxvalue -1 minvalue -9223372036854775808;

-- fillfactor 50 and no secondary index: every update is heap-only.
create table ledger.balance (
  account_id bigint not null,
  currency ledger.currency not null,
  posted bigint not null default 0,
  seq bigint not null default 0,
  floor bigint not null default 0,
  constraint balance_pkey primary key (account_id),
  constraint balance_account foreign key (account_id) references ledger.account (id),
  constraint no_overdraft check (posted >= floor)
) with (fillfactor = 50);
comment on column ledger.balance.posted is 'cents';
comment on column ledger.balance.seq is 'number of postings on this account, gapless';
comment on column ledger.balance.floor is 'cents; the balance never falls below it';

-- One entry of the books: what happened, under which idempotency key. Its id is what ledgers show.
create table ledger.journal (
  id uuid not null default uuidv7(),
  kind text not null,
  ref_id uuid,
  scope_id uuid not null,
  idempotency_key text not null,
  request_hash bytea not null,
  reverses_id uuid,
  created_at timestamptz not null,
  constraint journal_pkey primary key (id),
  constraint journal_once unique (scope_id, idempotency_key),
  constraint journal_reversed_once unique (reverses_id),
  constraint journal_reverses foreign key (reverses_id) references ledger.journal (id)
);
-- Instead of a foreign key, whose check locks the row of the kind: all buys of a moment would share that lock.
-- Kinds are never taken back, so a look is enough.
create function ledger.journal_kind_known() returns trigger language plpgsql as $$
begin
  if not exists (select from ledger.journal_kind where name = new.kind) then
    raise exception 'there is no journal of kind %', new.kind using errcode = '23503', constraint = 'journal_kind_known';
  end if;
  return new;
end $$;
create trigger journal_kind_known before insert on ledger.journal
  for each row execute function ledger.journal_kind_known();
create index journal_ref on ledger.journal (ref_id) where ref_id is not null;

create table ledger.posting (
  id bigint generated always as identity,
  journal_id uuid not null,
  kind text not null,
  currency ledger.currency not null,
  debit_account_id bigint not null,
  credit_account_id bigint not null,
  amount bigint not null,
  debit_seq bigint,
  debit_after bigint,
  credit_seq bigint,
  credit_after bigint,
  external_ref text,
  created_at timestamptz not null,
  xid xid8 not null default pg_current_xact_id(),
  constraint posting_pkey primary key (id),
  constraint posting_journal foreign key (journal_id) references ledger.journal (id),
  constraint posting_amount_positive check (amount > 0),
  constraint posting_two_accounts check (debit_account_id <> credit_account_id)
);
comment on column ledger.posting.amount is 'cents';
comment on column ledger.posting.kind is 'the kind of its journal, repeated so that a ledger can be filtered by type';
comment on column ledger.posting.debit_after is 'balance after this posting, cents; written by the trigger only';
create unique index posting_debit on ledger.posting (debit_account_id, debit_seq) where debit_seq is not null;
create unique index posting_credit on ledger.posting (credit_account_id, credit_seq) where credit_seq is not null;
create index posting_journal_id on ledger.posting (journal_id);
-- House accounts are summed from what came after the last roll-up.
create index posting_house_debit on ledger.posting (debit_account_id, id) where debit_account_id < 0;
create index posting_house_credit on ledger.posting (credit_account_id, id) where credit_account_id < 0;

create function ledger.posting_apply() returns trigger
language plpgsql security definer set search_path = ledger, pg_temp as $$
begin
  new.debit_seq := null; new.debit_after := null; new.credit_seq := null; new.credit_after := null;
  new.xid := pg_current_xact_id();
  -- Balance rows are always locked in the order of their account ids, so two opposite transfers
  -- wait for each other instead of deadlocking.
  if new.debit_account_id < new.credit_account_id then
    if new.debit_account_id > 0 then
      update balance set posted = posted - new.amount, seq = seq + 1
        where account_id = new.debit_account_id and currency = new.currency
        returning seq, posted into new.debit_seq, new.debit_after;
    end if;
    if new.credit_account_id > 0 then
      update balance set posted = posted + new.amount, seq = seq + 1
        where account_id = new.credit_account_id and currency = new.currency
        returning seq, posted into new.credit_seq, new.credit_after;
    end if;
  else
    if new.credit_account_id > 0 then
      update balance set posted = posted + new.amount, seq = seq + 1
        where account_id = new.credit_account_id and currency = new.currency
        returning seq, posted into new.credit_seq, new.credit_after;
    end if;
    if new.debit_account_id > 0 then
      update balance set posted = posted - new.amount, seq = seq + 1
        where account_id = new.debit_account_id and currency = new.currency
        returning seq, posted into new.debit_seq, new.debit_after;
    end if;
  end if;
  if (new.debit_seq is null and not exists (select from account
        where id = new.debit_account_id and id < 0 and currency = new.currency))
  or (new.credit_seq is null and not exists (select from account
        where id = new.credit_account_id and id < 0 and currency = new.currency)) then
    raise exception 'no such account in %: % -> %', new.currency, new.debit_account_id, new.credit_account_id
      using errcode = '23503', constraint = 'posting_accounts_exist';
  end if;
  return new;
end $$;
create trigger posting_apply before insert on ledger.posting
  for each row execute function ledger.posting_apply();

create function ledger.deny() returns trigger language plpgsql as $$
begin
  raise exception '% on %.% is forbidden: the books are append-only', tg_op, tg_table_schema, tg_table_name
    using errcode = '42501';
end $$;
create trigger posting_append_only before update or delete or truncate on ledger.posting
  for each statement execute function ledger.deny();
create trigger journal_append_only before update or delete or truncate on ledger.journal
  for each statement execute function ledger.deny();
create trigger account_append_only before update or delete or truncate on ledger.account
  for each statement execute function ledger.deny();
create trigger balance_kept before delete or truncate on ledger.balance
  for each statement execute function ledger.deny();
create trigger account_kind_append_only before update or delete or truncate on ledger.account_kind
  for each statement execute function ledger.deny();
create trigger journal_kind_append_only before update or delete or truncate on ledger.journal_kind
  for each statement execute function ledger.deny();

create function ledger.balance_guard() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' and new.posted = 0 and new.seq = 0 and new.floor = (
       select k.floor from ledger.account a join ledger.account_kind k on k.name = a.kind where a.id = new.account_id)
     then return new; end if;
  -- Depth 2 = this trigger inside posting_apply: the only road to a balance.
  if tg_op = 'UPDATE' and pg_trigger_depth() >= 2 and new.floor = old.floor
     and new.account_id = old.account_id and new.currency = old.currency then return new; end if;
  raise exception 'a balance changes only through a posting' using errcode = '42501';
end $$;
create trigger balance_guard before insert or update on ledger.balance
  for each row execute function ledger.balance_guard();

-- Escrow: what a buy item has put aside, resolved once: captured + refunded + penalty = amount.
create table ledger.hold (
  id uuid not null,
  owner_id uuid not null,
  journal_id uuid not null,
  amount bigint not null,
  constraint hold_pkey primary key (id),
  constraint hold_amount_positive check (amount > 0)
);
comment on table ledger.hold is 'id = the trade item it belongs to; amount in cents of the owner''s wallet';
create table ledger.hold_resolution (
  hold_id uuid not null,
  amount bigint not null,
  captured bigint not null,
  refunded bigint not null,
  penalty bigint not null,
  journal_id uuid not null,
  constraint hold_resolved_once primary key (hold_id),
  constraint hold_resolution_hold foreign key (hold_id) references ledger.hold (id),
  constraint hold_resolution_not_negative check (captured >= 0 and refunded >= 0 and penalty >= 0),
  constraint hold_resolution_adds_up check (captured + refunded + penalty = amount)
);
create trigger hold_append_only before update or delete or truncate on ledger.hold
  for each statement execute function ledger.deny();
create trigger hold_resolution_append_only before update or delete or truncate on ledger.hold_resolution
  for each statement execute function ledger.deny();

-- Opens an owner's account of a kind with a zero balance; the one that is there is returned as it is.
create function ledger.open_account(owner_id_ uuid, kind_ text, currency_ ledger.currency) returns bigint
language plpgsql as $$
declare id_ bigint;
begin
  insert into ledger.account (id, kind, owner_id, currency)
    values (nextval('ledger.account_id'), kind_, owner_id_, currency_)
    on conflict (owner_id, kind) where owner_id is not null do nothing
    returning id into id_;
  if id_ is null then
    select id into strict id_ from ledger.account where owner_id = owner_id_ and kind = kind_;
    return id_;
  end if;
  insert into ledger.balance (account_id, currency, floor)
    select id_, currency_, k.floor from ledger.account_kind k where k.name = kind_;
  return id_;
end $$;

-- Adds a kind of account. One that belongs to no owner is opened in every currency.
create function ledger.add_account_kind(
  name_ text, is_tracked_ boolean, is_owned_ boolean, floor_ bigint default 0) returns void
language plpgsql as $$
begin
  insert into ledger.account_kind (name, is_tracked, is_owned, floor) values (name_, is_tracked_, is_owned_, floor_);
  if is_owned_ then return; end if;
  insert into ledger.account (id, kind, currency)
    select case when is_tracked_ then nextval('ledger.account_id') else nextval('ledger.house_account_id') end, name_, currency
    from unnest(enum_range(null::ledger.currency)) currency;
  insert into ledger.balance (account_id, currency, floor)
    select a.id, a.currency, floor_ from ledger.account a where a.kind = name_ and is_tracked_;
end $$;

-- Adds a kind of journal. A side that never touches a wallet reads as an adjustment.
create function ledger.add_journal_kind(
  name_ text, debit_entry_ text default 'adjustment', credit_entry_ text default 'adjustment') returns void
language sql as $$
  insert into ledger.journal_kind (name, debit_entry, credit_entry) values (name_, debit_entry_, credit_entry_) $$;

create function ledger.account_of(owner_id_ uuid, kind_ text) returns bigint
language sql stable as $$ select id from ledger.account where owner_id = owner_id_ and kind = kind_ $$;

create function ledger.house(kind_ text, currency_ ledger.currency) returns bigint
language sql stable as $$
  select id from ledger.account where owner_id is null and kind = kind_ and currency = currency_ $$;

-- An owner's account, or without an owner the one of the kind and currency.
create function ledger.find_account(owner_id_ uuid, kind_ text, currency_ ledger.currency) returns bigint
language sql stable as $$
  select case when owner_id_ is null then ledger.house(kind_, currency_) else ledger.account_of(owner_id_, kind_) end $$;

-- Where the fees that an owner earns are credited: its earnings wallet, or the spot wallet of one that has none.
create function ledger.earnings_of(owner_id_ uuid) returns table (id bigint, currency ledger.currency)
language sql stable as $$
  select id, currency from ledger.account where owner_id = owner_id_ and kind in ('earnings', 'spot')
  order by kind limit 1 $$;

create function ledger.hold_of(hold_id_ uuid)
  returns table (amount bigint, resolved boolean, captured bigint, refunded bigint, penalty bigint)
language sql stable as $$
  select h.amount, r.hold_id is not null, r.captured, r.refunded, r.penalty
  from ledger.hold h left join ledger.hold_resolution r on r.hold_id = h.id where h.id = hold_id_ $$;

-- ---------------------------------------------------------------- the door for other modules
-- Other modules move money through these functions alone: `post` (and `reverse`) for postings, `place_holds`
-- and `resolve_holds` for escrow. All take arrays, so that a basket costs one call.

-- Writes one journal with its postings. Under a known (scope, key) it writes nothing and answers the
-- first journal; under a known key with another request it refuses (PT409).
create function ledger.post(
  kind_ text, ref_id_ uuid, scope_id_ uuid, idempotency_key_ text, request_hash_ bytea, at_ timestamptz,
  currencies ledger.currency[], debits bigint[], credits bigint[], amounts bigint[],
  external_ref_ text default null, reverses_id_ uuid default null,
  out journal_id uuid, out replayed boolean)
language plpgsql as $$
declare first_hash bytea;
begin
  replayed := false;
  insert into ledger.journal (kind, ref_id, scope_id, idempotency_key, request_hash, reverses_id, created_at)
    values (kind_, ref_id_, scope_id_, idempotency_key_, request_hash_, reverses_id_, at_)
    on conflict (scope_id, idempotency_key) do nothing
    returning id into journal_id;
  if journal_id is null then
    select id, request_hash into strict journal_id, first_hash from ledger.journal
      where scope_id = scope_id_ and idempotency_key = idempotency_key_;
    if first_hash <> request_hash_ then
      raise exception 'idempotency key reused with another request' using errcode = 'PT409';
    end if;
    replayed := true;
    return;
  end if;
  if cardinality(debits) > 1 then
    perform from ledger.balance where account_id = any (debits || credits) order by account_id for no key update;
  end if;
  insert into ledger.posting
      (journal_id, kind, currency, debit_account_id, credit_account_id, amount, external_ref, created_at)
    select post.journal_id, kind_, leg.currency, leg.debit, leg.credit, leg.amount, external_ref_, at_
    from unnest(currencies, debits, credits, amounts) leg (currency, debit, credit, amount);
end $$;

-- One posting of a journal that is to be written.
create type ledger.leg as (journal_id uuid, currency ledger.currency, debit bigint, credit bigint, amount bigint);

-- Writes several new journals of a kind under ids of the caller, with their postings. A key that is known is a
-- unique violation: nothing is written, and nothing is answered for it.
create function ledger.post_new(
  kind_ text, journal_ids_ uuid[], ref_ids_ uuid[], scope_ids_ uuid[], idempotency_keys_ text[], request_hashes_ bytea[],
  ats_ timestamptz[], external_refs_ text[], legs_ ledger.leg[]) returns void
language plpgsql as $$
begin
  insert into ledger.journal (id, kind, ref_id, scope_id, idempotency_key, request_hash, created_at)
    select j.id, kind_, j.ref_id, j.scope_id, j.idempotency_key, j.request_hash, j.at
    from unnest(journal_ids_, ref_ids_, scope_ids_, idempotency_keys_, request_hashes_, ats_)
      j (id, ref_id, scope_id, idempotency_key, request_hash, at);
  perform ledger.lock_accounts(array(select unnest(array[leg.debit, leg.credit]) from unnest(legs_) leg));
  insert into ledger.posting
      (journal_id, kind, currency, debit_account_id, credit_account_id, amount, external_ref, created_at)
    select leg.journal_id, kind_, leg.currency, leg.debit, leg.credit, leg.amount, j.external_ref, j.at
    from unnest(legs_) with ordinality leg
      join unnest(journal_ids_, external_refs_, ats_) j (id, external_ref, at) on j.id = leg.journal_id
    order by leg.ordinality;
end $$;

-- Puts amounts aside for one owner, a hold for each id; `journal_id_` is the journal that moved their sum to
-- the owner's escrow.
create function ledger.place_holds(journal_id_ uuid, owner_id_ uuid, hold_ids_ uuid[], amounts_ bigint[]) returns void
language plpgsql as $$
begin
  insert into ledger.hold (id, owner_id, journal_id, amount)
    select h.id, owner_id_, journal_id_, h.amount from unnest(hold_ids_, amounts_) h (id, amount);
end $$;

-- Resolves holds, each once: what was captured, refunded and kept as a penalty adds up to what the hold put
-- aside. `journal_id_` is the journal that moved it out of escrow.
create function ledger.resolve_holds(
  journal_id_ uuid, hold_ids_ uuid[], captured_ bigint[], refunded_ bigint[], penalties_ bigint[]) returns void
language plpgsql as $$
declare resolved integer;
begin
  insert into ledger.hold_resolution (hold_id, amount, captured, refunded, penalty, journal_id)
    select h.id, h.amount, r.captured, r.refunded, r.penalty, journal_id_
    from unnest(hold_ids_, captured_, refunded_, penalties_) r (id, captured, refunded, penalty)
      join ledger.hold h on h.id = r.id;
  get diagnostics resolved = row_count;
  if resolved <> cardinality(hold_ids_) then
    raise exception '% of % holds exist', resolved, cardinality(hold_ids_)
      using errcode = '23503', constraint = 'hold_resolution_hold';
  end if;
end $$;

-- The mirror image of a journal, at most once for each.
create function ledger.reverse(
  journal_id_ uuid, scope_id_ uuid, idempotency_key_ text, at_ timestamptz) returns uuid
language plpgsql as $$
declare legs record;
begin
  select array_agg(currency order by id) currencies, array_agg(credit_account_id order by id) debits,
         array_agg(debit_account_id order by id) credits, array_agg(amount order by id) amounts
    into strict legs from ledger.posting where journal_id = journal_id_;
  return (ledger.post('reversal', null, scope_id_, idempotency_key_, uuid_send(journal_id_), at_,
    legs.currencies, legs.debits, legs.credits, legs.amounts, null, journal_id_)).journal_id;
end $$;

-- Takes the locks that several journals of one transaction will need, in the order of all others.
create function ledger.lock_accounts(account_ids bigint[]) returns void
language plpgsql as $$
begin
  perform from ledger.balance where account_id = any (account_ids) order by account_id for no key update;
end $$;

-- What an untracked account holds, summed from its postings: for audits, not for requests. The account is
-- looked up once: in one statement with the sum it would be looked up for every posting.
create function ledger.house_balance(kind_ text, currency_ ledger.currency) returns bigint
language plpgsql stable as $$
declare id_ bigint := ledger.house(kind_, currency_);
begin
  return coalesce((select sum(amount) from ledger.posting where credit_account_id = id_ and credit_account_id < 0), 0)
    - coalesce((select sum(amount) from ledger.posting where debit_account_id = id_ and debit_account_id < 0), 0);
end $$;

-- Where the audit of everything stands: it runs in slices, and goes on where a stopped process left it.
create table ledger.audit_run (
  only_row boolean not null default true,
  part text,
  position text,
  finished_at timestamptz,
  constraint audit_run_pkey primary key (only_row),
  constraint audit_run_only_row check (only_row)
);
comment on column ledger.audit_run.part is 'the part under way; null between two runs';
comment on column ledger.audit_run.position is 'the end of its last audited slice; null before the first';
comment on column ledger.audit_run.finished_at is 'the end of the last complete run';
insert into ledger.audit_run default values;

select ledger.add_account_kind('spot', true, true);
select ledger.add_account_kind('escrow', true, true);
select ledger.add_account_kind('earnings', true, true);
select ledger.add_account_kind('clearing_demo', false, false);
select ledger.add_account_kind('adjustment', false, false);
-- What stands between two currencies. Tracked, because its exposure is looked at with every conversion of a
-- fund or defund; it may be negative without end, because the limit is the conversion's and not a trade's.
select ledger.add_account_kind('exchange', true, false, -1000000000000000000);

select ledger.add_journal_kind('deposit', credit_entry_ => 'deposit_credit');
select ledger.add_journal_kind('fund', 'fund_out', 'fund_in');
select ledger.add_journal_kind('defund', 'fund_out', 'fund_in');
select ledger.add_journal_kind('earnings_transfer', 'transfer_out', 'transfer_in');
select ledger.add_journal_kind('adjustment');
-- Reads as what it reverses.
select ledger.add_journal_kind('reversal');

-- The balance of an account under its row lock; 0 for an account that was never opened.
create function ledger.lock_balance(account_id_ bigint) returns bigint
language plpgsql as $$
declare posted_ bigint;
begin
  select b.posted into posted_ from ledger.balance b where b.account_id = account_id_ for no key update;
  return coalesce(posted_, 0);
end $$;
-- What an account is below zero for, the oldest first: its debits, less what was paid since.
create function ledger.open_debts(account_id_ bigint)
  returns table (external_ref text, created_at timestamptz, amount bigint)
language sql stable as $$
  select d.external_ref, d.created_at, least(d.amount, -b.posted - d.newer)
  from ledger.balance b cross join lateral (
    select p.external_ref, p.created_at, p.amount, p.debit_seq,
      (sum(p.amount) over (order by p.debit_seq desc))::bigint - p.amount newer
    from ledger.posting p where p.debit_account_id = b.account_id and p.debit_seq is not null) d
  where b.account_id = account_id_ and d.newer < -b.posted
  order by d.debit_seq $$;

-- Owners who are below zero on an account of a kind since before a moment.
create function ledger.owners_below_zero(kind_ text, before_ timestamptz) returns setof uuid
language sql stable as $$
  select a.owner_id from ledger.account a join ledger.balance b on b.account_id = a.id and b.posted < 0
  where a.kind = kind_ and exists (select from ledger.open_debts(a.id) d where d.created_at < before_) order by a.id $$;
-- Whether a balance of an owner is not zero. Balances are not added up: what one account holds, or holds in one
-- currency, is not what another one owes.
create function ledger.has_money(owner_id_ uuid) returns boolean
language sql stable as $$
  select exists (select from ledger.account a join ledger.balance b on b.account_id = a.id
    where a.owner_id = owner_id_ and b.posted <> 0) $$;

-- What the journal under a key took from, or gave to, a house account; 0 when there is no such journal.
create function ledger.taken_under(
  scope_id_ uuid, idempotency_key_ text, house_kind_ text, currency_ ledger.currency) returns bigint
language sql stable as $$
  select coalesce(sum(p.amount), 0)::bigint
  from ledger.journal j join ledger.posting p on p.journal_id = j.id
  where j.scope_id = scope_id_ and j.idempotency_key = idempotency_key_
    and p.debit_account_id = ledger.house(house_kind_, currency_) $$;

create function ledger.given_under(
  scope_id_ uuid, idempotency_key_ text, house_kind_ text, currency_ ledger.currency) returns bigint
language sql stable as $$
  select coalesce(sum(p.amount), 0)::bigint
  from ledger.journal j join ledger.posting p on p.journal_id = j.id
  where j.scope_id = scope_id_ and j.idempotency_key = idempotency_key_
    and p.credit_account_id = ledger.house(house_kind_, currency_) $$;

-- All that lock a debt hold its wallet, which was opened before it: nothing waits for a debt, and locks keep
-- their order. A repayment is a journal of its own, which names the deposit that is owed.
create function ledger.repay_debts() returns trigger language plpgsql as $$
declare
  owner_ record;
  debt_ record;
  amount_ bigint;
  key_ text;
begin
  select w.owner_id, w.currency, d.id debt into owner_
    from ledger.account w
      join ledger.account d on d.owner_id = w.owner_id and d.kind = 'deposit_debt'
      join ledger.balance b on b.account_id = d.id and b.posted < 0
    where w.id = new.credit_account_id and w.kind = 'spot';
  if not found then return null; end if;
  for debt_ in select * from ledger.open_debts(owner_.debt) loop
    amount_ := least(debt_.amount, ledger.lock_balance(new.credit_account_id));
    exit when amount_ <= 0;
    key_ := 'deposit_debt:' || uuidv7();
    perform ledger.post('deposit_debt_repayment', null, owner_.owner_id, key_, convert_to(key_, 'UTF8'),
      new.created_at, array[owner_.currency], array[new.credit_account_id], array[owner_.debt], array[amount_],
      debt_.external_ref);
  end loop;
  return null;
end $$;
create trigger repay_debts after insert on ledger.posting
  for each row when (new.credit_account_id > 0) execute function ledger.repay_debts();

-- What an owner has on its account of a kind; 0 for one that was never opened.
create function ledger.balance_of(owner_id_ uuid, kind_ text) returns bigint
language sql stable as $$
  select coalesce((select b.posted from ledger.balance b where b.account_id = ledger.account_of(owner_id_, kind_)), 0) $$;

-- The auditor of the books in one statement: a row for each broken promise, none when all is well. For small
-- books and the command line; the service audits in slices (modules/money/ledger/audit.ts).
create function ledger.audit() returns table (invariant text, detail text)
language sql stable as $$
  with leg as (
    select debit_account_id account_id, debit_seq seq, debit_after after, -amount change from ledger.posting
    union all
    select credit_account_id, credit_seq, credit_after, amount from ledger.posting)
  select 'balance is the sum of its postings',
      format('account %s: %s posted, %s summed, seq %s of %s', b.account_id, b.posted, coalesce(t.sum, 0), b.seq, coalesce(t.count, 0))
    from ledger.balance b
    left join (select account_id, sum(change) sum, count(*) count from leg where account_id > 0 group by 1) t using (account_id)
    where b.posted <> coalesce(t.sum, 0) or b.seq <> coalesce(t.count, 0)
  union all
  select 'no balance below its floor', format('account %s: %s', account_id, posted)
    from ledger.balance where posted < floor
  union all
  select 'an account''s postings form a gapless chain', format('account %s at seq %s', account_id, seq)
    from (select account_id, seq, after, change,
            lag(after, 1, 0::bigint) over chain previous, lag(seq, 1, 0::bigint) over chain previous_seq
          from leg where account_id > 0 window chain as (partition by account_id order by seq)) chained
    where after <> previous + change or seq <> previous_seq + 1
  union all
  select 'all accounts of a currency sum to zero', format('%s: %s', currency, sum)
    from (select currency, sum(posted) sum from (
            select currency, posted from ledger.balance
            union all
            select currency, case when credit_account_id < 0 then amount else 0 end
                           - case when debit_account_id < 0 then amount else 0 end from ledger.posting) every
          group by currency) total
    where sum <> 0
  union all
  select 'escrow is the sum of the open holds', format('owner %s: %s in escrow, %s held', coalesce(e.owner_id, h.owner_id), coalesce(e.posted, 0), coalesce(h.amount, 0))
    from (select a.owner_id, b.posted from ledger.account a join ledger.balance b on b.account_id = a.id where a.kind = 'escrow') e
    full join (select owner_id, sum(amount) amount from ledger.hold
               where not exists (select from ledger.hold_resolution r where r.hold_id = hold.id) group by 1) h using (owner_id)
    where coalesce(e.posted, 0) <> coalesce(h.amount, 0)
  union all
  select 'a resolved hold adds up', r.hold_id::text
    from ledger.hold_resolution r join ledger.hold h on h.id = r.hold_id
    where r.amount <> h.amount or r.captured + r.refunded + r.penalty <> h.amount
  union all
  select 'every journal has a posting', j.id::text from ledger.journal j
    where not exists (select from ledger.posting p where p.journal_id = j.id)
  union all
  select 'a posting names accounts of its currency', p.id::text from ledger.posting p
    left join ledger.account d on d.id = p.debit_account_id left join ledger.account c on c.id = p.credit_account_id
    where d.currency is distinct from p.currency or c.currency is distinct from p.currency
$$;
