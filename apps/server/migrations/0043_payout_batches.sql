-- bears: previous
-- Withdrawals that are asked for together, and quotes that are kept for as long as they are valid.

create table payouts.batch (
  id uuid not null,
  owner_id uuid not null,
  external_id text not null,
  request_hash bytea not null,
  total integer not null,
  created_at timestamptz not null,
  constraint batch_pkey primary key (id),
  constraint batch_once unique (owner_id, external_id),
  constraint batch_total_in_bounds check (total between 1 and 500)
);
create index batch_of_owner on payouts.batch (owner_id, id);
create trigger batch_append_only before update or delete or truncate on payouts.batch
  for each statement execute function payouts.deny();

create table payouts.batch_withdrawal (
  batch_id uuid not null,
  position integer not null,
  withdrawal_id uuid not null,
  constraint batch_withdrawal_pkey primary key (batch_id, position),
  constraint batch_withdrawal_once unique (withdrawal_id),
  constraint batch_withdrawal_batch foreign key (batch_id) references payouts.batch (id),
  constraint batch_withdrawal_withdrawal foreign key (withdrawal_id) references payouts.withdrawal (id)
);
comment on column payouts.batch_withdrawal.position is 'from 0, in the order of the request';
create trigger batch_withdrawal_append_only before update or delete or truncate on payouts.batch_withdrawal
  for each statement execute function payouts.deny();

create table payouts.quote (
  merchant_id uuid not null,
  chain text not null,
  token text not null,
  amount_cents bigint not null,
  usd_e8 numeric(40, 0) not null,
  fee_cents bigint not null,
  valid_until timestamptz not null,
  constraint quote_pkey primary key (merchant_id, chain, token, amount_cents),
  constraint quote_amounts_positive check (amount_cents > 0 and usd_e8 > 0 and fee_cents >= 0)
);
comment on table payouts.quote is 'not append-only: a quote is replaced once it has ended, and removed later';
comment on column payouts.quote.usd_e8 is 'US dollars for one token, in 1e-8';
create index quote_ended on payouts.quote (valid_until);

-- Locks what an owner holds of these pairs of chain and token in the order in which postings do, and answers it in base
-- units: no posting changes it until the transaction ends. A pair that was never opened has no row.
create function custody.lock_balances(owner_id_ uuid, chains_ text[], tokens_ text[])
  returns table (chain text, token text, units numeric)
language plpgsql as $$
begin
  perform from custody.account a join custody.balance b on b.account_id = a.id
    where a.owner_id = owner_id_ and a.role in ('merchant', 'in_flight')
      and (a.chain, a.token) in (select p.chain, p.token from unnest(chains_, tokens_) p (chain, token))
    order by a.chain, a.token, a.id for no key update of b;
  return query select a.chain, a.token, b.units
    from custody.account a join custody.balance b on b.account_id = a.id
    where a.owner_id = owner_id_ and a.role = 'merchant'
      and (a.chain, a.token) in (select p.chain, p.token from unnest(chains_, tokens_) p (chain, token));
end $$;

-- As before, and at most five POSTs of an owner are under way at once, whichever processes make them. Claims take turns,
-- so that each sees what the one before it took. A POST ends within five seconds of its claim, whose lease then has more
-- than the rest to run; what is tried again is due earlier than that (`CALLBACK_DEADLINE_MS`, `CALLBACK_RETRY_MS`).
create or replace function payouts.claim_approvals(
  at_ timestamptz, lease_until_ timestamptz, limit_ integer, per_owner_ integer, per_doubtful_ integer,
  slow_room_ integer, unproven_room_ integer, held_ jsonb, slow_ uuid[], busy_ uuid[])
  returns setof payouts.withdrawal
language plpgsql
set enable_seqscan = off set enable_sort = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off as $$
declare at_once constant integer := 5;
begin
  perform pg_advisory_xact_lock(hashtextextended('payouts.claim_approvals', 0));
  return query
  with recursive owner as (
    (select w.owner_id id from payouts.withdrawal w where w.status = 'pending_callback' order by w.owner_id limit 1)
    union all
    select (select w.owner_id from payouts.withdrawal w
      where w.status = 'pending_callback' and w.owner_id > owner.id order by w.owner_id limit 1)
    from owner where owner.id is not null),
  party as (
    select owner.id, coalesce((held_ ->> owner.id::text)::integer, 0) held,
      case when owner.id = any (slow_) then slow_room_ when m.proven_at is null then unproven_room_ end room,
      case when owner.id = any (slow_) then 'slow' when m.proven_at is null then 'unproven' else 'proven' end class,
      at_once - (select count(*) from (
        select from payouts.withdrawal w where w.status = 'pending_callback' and w.owner_id = owner.id
          and w.due_at > lease_until_ - interval '5 seconds'
        limit at_once) under_way) free
    from owner left join payouts.merchant m on m.id = owner.id
    where owner.id is not null and owner.id <> all (busy_)),
  due as (
    select one.id, one.due_at, p.room, p.class, p.held + row_number() over (partition by p.id order by one.due_at) place
    from party p cross join lateral (
      select w.id, w.due_at from payouts.withdrawal w
      where w.status = 'pending_callback' and w.owner_id = p.id and w.due_at <= at_
      order by w.owner_id, w.due_at
      limit least(p.free, case when p.room is null then per_owner_ else least(p.room, per_doubtful_) end)
      for update skip locked) one),
  fair as (
    select due.*, row_number() over (partition by due.class order by due.place, due.due_at) nth_of_class from due),
  chosen as (
    select fair.id from fair where fair.room is null or fair.nth_of_class <= fair.room
    order by fair.place, fair.due_at limit limit_),
  claimed as (
    update payouts.withdrawal w set callback_attempts = w.callback_attempts + 1, due_at = lease_until_
    where w.id = any (array(select chosen.id from chosen)) returning w.*),
  attempt as (
    insert into payouts.approval_attempt (withdrawal_id, number, started_at)
    select c.id, c.callback_attempts, at_ from claimed c)
  select * from claimed;
end $$;
