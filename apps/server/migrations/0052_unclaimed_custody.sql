-- What arrives in kind for a deleted account is put aside for an operator: the account has no balance any more, and
-- the service's own it is not yet.
insert into custody.role (name, normal_side, is_tracked, is_owned) values ('unclaimed', 'credit', true, true);

alter table payouts.deposit add column is_unclaimed boolean not null default false;
comment on column payouts.deposit.is_unclaimed is 'its merchant was deleted when it was credited: the units are in the account unclaimed of custody, and there is no event';

-- The role that a posting has credited; null when there is no posting under the key.
create function custody.credited_role(key_ text) returns text
language sql stable as $$
  select a.role from custody.posting p join custody.account a on a.id = p.credit_account_id
  where p.idempotency_key = key_ $$;

create or replace function payouts.audit_deposits(
  after_ uuid default '00000000-0000-0000-0000-000000000000',
  up_to_ uuid default 'ffffffff-ffff-ffff-ffff-ffffffffffff') returns table (invariant text, detail text)
language sql stable as $$
  select 'a deposit into custody has its event when it was completed', d.id::text
  from payouts.deposit d
  where d.id > after_ and d.id <= up_to_
    and (d.status = 'completed' and outbox.has_event('payout.crypto.deposit.completed', d.id) = d.is_unclaimed
      or d.status = 'pending' and outbox.has_event('payout.crypto.deposit.completed', d.id))
  union all
  select 'a deposit into custody is with its merchant, or put aside', d.id::text
  from payouts.deposit d
  where d.id > after_ and d.id <= up_to_ and d.status = 'completed'
    and custody.credited_role('transfer:' || d.id) <> case when d.is_unclaimed then 'unclaimed' else 'merchant' end
$$;
