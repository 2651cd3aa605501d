-- bears: previous
-- Statements of a month. To which month a posting belongs is decided when a month is closed: its last row in the chain
-- of each account is recorded, and what is posted later under a time of that month belongs to the first open month. So
-- the months of an account follow one another without gaps, and a closed one never changes.
create table ledger.statement (
  owner_id uuid not null,
  month date not null,
  ordinal integer not null,
  house_fees bigint not null,
  merchant_fees bigint not null,
  constraint statement_pkey primary key (owner_id, month),
  constraint statement_numbered_once unique (owner_id, ordinal),
  constraint statement_ordinal_positive check (ordinal > 0),
  constraint statement_fees_not_negative check (house_fees >= 0 and merchant_fees >= 0)
);
comment on table ledger.statement is 'a closed month of an owner';
comment on column ledger.statement.month is 'its first day, UTC';
comment on column ledger.statement.ordinal is '1 for the first month of the owner, without gaps';
comment on column ledger.statement.house_fees is 'cents of the owner''s spot wallet, as merchant_fees';

create table ledger.statement_account (
  account_id bigint not null,
  month date not null,
  last_seq bigint not null,
  opening bigint not null,
  closing bigint not null,
  constraint statement_account_pkey primary key (account_id, month),
  constraint statement_account_account foreign key (account_id) references ledger.account (id)
);
comment on column ledger.statement_account.last_seq is 'number of the month''s last posting in the account''s chain';
comment on column ledger.statement_account.opening is 'cents, as closing';

create table ledger.statement_row (
  account_id bigint not null,
  month date not null,
  entry_type text not null,
  entries bigint not null,
  credit bigint not null,
  debit bigint not null,
  constraint statement_row_pkey primary key (account_id, month, entry_type),
  constraint statement_row_account foreign key (account_id, month)
    references ledger.statement_account (account_id, month),
  constraint statement_row_not_negative check (entries > 0 and credit >= 0 and debit >= 0)
);
comment on column ledger.statement_row.credit is 'cents, as debit';

create trigger statement_append_only before update or delete or truncate on ledger.statement
  for each statement execute function ledger.deny();
create trigger statement_account_append_only before update or delete or truncate on ledger.statement_account
  for each statement execute function ledger.deny();
create trigger statement_row_append_only before update or delete or truncate on ledger.statement_row
  for each statement execute function ledger.deny();

-- The first month of an owner: that of its oldest wallet, or of a wallet's first posting where that is earlier.
create function ledger.first_month(owner_id_ uuid) returns date
language sql stable as $$
  select date_trunc('month', min(least(a.created_at, first.created_at)) at time zone 'UTC')::date
  from ledger.account a left join lateral (
    select p.created_at from ledger.posting p where p.debit_account_id = a.id and p.debit_seq = 1
    union all
    select p.created_at from ledger.posting p where p.credit_account_id = a.id and p.credit_seq = 1) first on true
  where a.owner_id = owner_id_ and a.kind in ('spot', 'earnings') $$;

-- Rows of an account after one number of its chain and through another, by the type that its owner reads. A reversal
-- reads as what it reverses, on the other side.
create function ledger.sum_entries(account_id_ bigint, after_seq_ bigint, through_seq_ bigint)
  returns table (entry_type text, entries bigint, credit bigint, debit bigint)
language sql stable as $$
  with entry as (
    select p.journal_id, p.kind, true is_debit, p.amount from ledger.posting p
      where p.debit_account_id = account_id_ and p.debit_seq > after_seq_ and p.debit_seq <= through_seq_
    union all
    select p.journal_id, p.kind, false, p.amount from ledger.posting p
      where p.credit_account_id = account_id_ and p.credit_seq > after_seq_ and p.credit_seq <= through_seq_)
  select case when e.is_debit = (original.id is null) then k.debit_entry else k.credit_entry end,
    count(*), coalesce(sum(e.amount) filter (where not e.is_debit), 0)::bigint,
    coalesce(sum(e.amount) filter (where e.is_debit), 0)::bigint
  from entry e
    left join ledger.journal own on e.kind = 'reversal' and own.id = e.journal_id
    left join ledger.journal original on original.id = own.reverses_id
    join ledger.journal_kind k on k.name = coalesce(original.kind, e.kind)
  group by 1 $$;

-- The balance of an account after a number of its chain.
create function ledger.balance_after(account_id_ bigint, seq_ bigint) returns bigint
language sql stable as $$
  select coalesce(
    (select p.debit_after from ledger.posting p where p.debit_account_id = account_id_ and p.debit_seq = seq_),
    (select p.credit_after from ledger.posting p where p.credit_account_id = account_id_ and p.credit_seq = seq_), 0) $$;

-- The number before the first posting that follows `after_seq_` and is not before `end_`; the newest where there is none.
create function ledger.last_seq_before(account_id_ bigint, after_seq_ bigint, end_ timestamptz) returns bigint
language sql stable as $$
  select coalesce(
    least(
      (select p.debit_seq from ledger.posting p
       where p.debit_account_id = account_id_ and p.debit_seq > after_seq_ and p.created_at >= end_
       order by p.debit_seq limit 1),
      (select p.credit_seq from ledger.posting p
       where p.credit_account_id = account_id_ and p.credit_seq > after_seq_ and p.created_at >= end_
       order by p.credit_seq limit 1)) - 1,
    (select b.seq from ledger.balance b where b.account_id = account_id_)) $$;

-- What of an account's chain is in no closed month.
create type ledger.open_chain as (
  account_id bigint, kind text, after_seq bigint, through_seq bigint, opening bigint, closing bigint);

-- The open chains of an owner's wallets and of its escrow, up to a moment; all of them without one.
create function ledger.open_chains(owner_id_ uuid, end_ timestamptz) returns setof ledger.open_chain
language sql stable as $$
  select a.id, a.kind, coalesce(closed.last_seq, 0), through.seq, coalesce(closed.closing, 0),
    ledger.balance_after(a.id, through.seq)
  from ledger.account a
    join ledger.balance b on b.account_id = a.id
    left join lateral (
      select s.last_seq, s.closing from ledger.statement_account s
      where s.account_id = a.id order by s.month desc limit 1) closed on true
    cross join lateral (
      select case when end_ is null then b.seq
        else ledger.last_seq_before(a.id, coalesce(closed.last_seq, 0), end_) end seq) through
  where a.owner_id = owner_id_ and a.kind in ('spot', 'earnings', 'escrow') $$;

-- Fees of what settled within the chains of an owner, in cents of its spot wallet: of buys what its escrow gave to
-- others than suppliers, of sells what went to the merchant beside the proceeds.
create function ledger.sum_fees(chains_ ledger.open_chain[], out house bigint, out merchant bigint)
language sql stable as $$
  with fee as (
    select p.amount, c.kind = 'house_revenue' is_house
    from unnest(chains_) e
      join ledger.posting p on p.debit_account_id = e.account_id and p.debit_seq > e.after_seq and p.debit_seq <= e.through_seq
      join ledger.account c on c.id = p.credit_account_id
    where e.kind = 'escrow' and p.kind = 'settle' and c.kind <> 'supplier_prefund'
    union all
    select f.amount, false
    from unnest(chains_) s
      join ledger.posting p on p.credit_account_id = s.account_id and p.credit_seq > s.after_seq and p.credit_seq <= s.through_seq
      join ledger.journal own on own.id = p.journal_id
      join ledger.journal settled on settled.scope_id = own.scope_id and settled.idempotency_key = 'settle:' || own.ref_id
      join ledger.posting f on f.journal_id = settled.id
      join ledger.account d on d.id = f.debit_account_id and d.kind = 'inventory'
    where s.kind = 'spot' and p.kind = 'proceeds')
  select coalesce(sum(amount) filter (where is_house), 0)::bigint,
    coalesce(sum(amount) filter (where not is_house), 0)::bigint
  from fee $$;

-- Closes the first open month of an owner where it is before `before_`, and answers it; null where there is none. One
-- caller after the other, so the next sees what the one before closed. Nothing that moves money waits for it.
create function ledger.close_month(owner_id_ uuid, before_ date) returns date
language plpgsql as $$
declare
  last_ record;
  month_ date;
  chains_ ledger.open_chain[];
  fees_ record;
begin
  if exists (select from ledger.statement s where s.owner_id = owner_id_ and s.month >= before_ - interval '1 month') then
    return null;
  end if;
  perform from ledger.account where owner_id = owner_id_ and kind = 'spot' for no key update;
  select s.month, s.ordinal into last_ from ledger.statement s
    where s.owner_id = owner_id_ order by s.month desc limit 1;
  month_ := coalesce((last_.month + interval '1 month')::date, ledger.first_month(owner_id_));
  if month_ is null or month_ >= before_ then return null; end if;
  chains_ := array(
    select c from ledger.open_chains(owner_id_, (month_ + interval '1 month') at time zone 'UTC') c);
  select f.house, f.merchant into fees_ from ledger.sum_fees(chains_) f;
  insert into ledger.statement (owner_id, month, ordinal, house_fees, merchant_fees)
    values (owner_id_, month_, coalesce(last_.ordinal, 0) + 1, fees_.house, fees_.merchant);
  insert into ledger.statement_account (account_id, month, last_seq, opening, closing)
    select c.account_id, month_, c.through_seq, c.opening, c.closing from unnest(chains_) c;
  insert into ledger.statement_row (account_id, month, entry_type, entries, credit, debit)
    select c.account_id, month_, e.entry_type, e.entries, e.credit, e.debit
    from unnest(chains_) c cross join lateral ledger.sum_entries(c.account_id, c.after_seq, c.through_seq) e
    where c.kind <> 'escrow';
  return month_;
end $$;
