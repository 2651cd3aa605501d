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

create index posting_open_debit on custody.posting (debit_account_id, id) include (units) where debit_seq is null;
create index posting_open_credit on custody.posting (credit_account_id, id) include (units) where credit_seq is null;
drop index custody.posting_summed_debit;
drop index custody.posting_summed_credit;

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

create or replace function custody.balance_of(role_ text, owner_id_ uuid, chain_ text, token_ text) returns numeric
language sql stable as $$
  select coalesce((
    select case when a.is_tracked then (select b.units from custody.balance b where b.account_id = a.id)
      else coalesce(closed.units, 0) + custody.summed(a.id, coalesce(closed.posting_id, 0), 9223372036854775807) end
    from custody.account a
      left join lateral (select c.posting_id, c.units from custody.closing c
        where c.account_id = a.id order by c.posting_id desc limit 1) closed on true
    where a.role = role_ and a.owner_id is not distinct from owner_id_ and a.chain = chain_ and a.token = token_), 0) $$;

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
