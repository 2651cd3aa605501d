-- A withdrawal that an operator has to release counts against the limits of a day from its release: until then
-- nothing of it may leave, and counting it would hold the withdrawals after it for nothing.
comment on column payouts.withdrawal.held_reason is 'why an operator has to release it: over_transaction_limit, over_merchant_limit, over_day_limit, account_suspended: nothing has left yet; no_effect: it was mined and moved nothing';
comment on column payouts.withdrawal.approved_at is 'since when it may leave by itself: its approval, or its release by an operator';

create function payouts.may_leave(one_ payouts.withdrawal) returns boolean
language sql immutable as $$
  select one_.approved_at is not null and one_.status <> 'refunded'
    and coalesce(one_.held_reason, 'no_effect') = 'no_effect' $$;

-- A slot that is there no longer is not looked at either: a late refund changes nothing.
create or replace function payouts.sum_approved() returns trigger language plpgsql as $$
declare
  was_ bigint := 0;
  is_ bigint := 0;
  slot_ timestamptz := payouts.slot_of(new.approved_at);
begin
  if tg_op = 'UPDATE' and payouts.may_leave(old) then was_ := old.amount_cents; end if;
  if payouts.may_leave(new) then is_ := new.amount_cents; end if;
  if is_ > was_ then
    insert into payouts.approved_sum as s (tenant_id, slot, cents)
      values (null, slot_, is_ - was_), (new.tenant_id, slot_, is_ - was_)
      on conflict on constraint approved_sum_once do update set cents = s.cents + excluded.cents;
  elsif is_ < was_ then
    -- In the order in which an approval locks them.
    update payouts.approved_sum set cents = cents - was_ where tenant_id is null and slot = slot_;
    update payouts.approved_sum set cents = cents - was_ where tenant_id = new.tenant_id and slot = slot_;
  end if;
  return null;
end $$;
drop trigger approved_on_insert on payouts.withdrawal;
create trigger approved_on_insert after insert on payouts.withdrawal
  for each row when (payouts.may_leave(new)) execute function payouts.sum_approved();
drop trigger approved_on_update on payouts.withdrawal;
create trigger approved_on_update after update on payouts.withdrawal
  for each row when (payouts.may_leave(new) is distinct from payouts.may_leave(old))
  execute function payouts.sum_approved();

create or replace function payouts.lock_and_sum_approved(tenant_ids_ uuid[], since_ timestamptz)
returns table (tenant_id uuid, cents bigint) language plpgsql as $$
declare
  next_slot_ timestamptz := payouts.slot_of(since_) + interval '5 minutes';
begin
  perform from payouts.limiter for update;
  return query
    select t.id, (
        coalesce((select sum(s.cents) from payouts.approved_sum s
          where s.tenant_id is not distinct from t.id and s.slot >= next_slot_), 0)
        + coalesce((select sum(w.amount_cents) from payouts.withdrawal w
          where w.approved_at > since_ and w.approved_at < next_slot_ and payouts.may_leave(w)
            and (t.id is null or w.tenant_id = t.id)), 0))::bigint
    from unnest(tenant_ids_ || null::uuid) t (id);
end $$;

create or replace function payouts.audit() returns table (invariant text, detail text)
language sql stable as $$
  with open as (
    select owner_id, chain, token, sum(units + fee_units) units from payouts.withdrawal
    where source = 'custody' and status in ('pending_callback', 'queued', 'broadcast') group by 1, 2, 3),
  kept as (select min(slot) since from payouts.approved_sum)
  select 'what is in flight is the sum of the open withdrawals', format('%s %s %s: %s in flight, %s open',
      o.owner_id, o.chain, o.token, custody.balance_of('in_flight', o.owner_id, o.chain, o.token), o.units)
    from open o where custody.balance_of('in_flight', o.owner_id, o.chain, o.token) <> o.units
  union all
  select 'nothing is in flight without an open withdrawal', format('%s %s: %s', w.chain, w.token, custody.balance_of('in_flight', w.owner_id, w.chain, w.token))
    from (select distinct owner_id, chain, token from payouts.withdrawal where source = 'custody') w
    where not exists (select from open o where (o.owner_id, o.chain, o.token) = (w.owner_id, w.chain, w.token))
      and custody.balance_of('in_flight', w.owner_id, w.chain, w.token) <> 0
  union all
  select 'a withdrawal ends as its transaction does', format('%s is %s, its transaction %s', w.id, w.status, s.state)
    from payouts.withdrawal w cross join lateral outbound.state_of('payout', w.id) s (state)
    where (w.status = 'confirmed' and s.state is distinct from 'confirmed' and w.held_reason is null)
      or (w.status = 'refunded' and s.state in ('signing', 'signed', 'broadcast', 'confirmed', 'queued'))
      or (w.status in ('pending_callback', 'queued', 'broadcast') and s.state in ('confirmed', 'reverted', 'displaced', 'canceled'))
  union all
  select 'the sums of approvals are those of the withdrawals', format('%s from %s: %s summed, %s approved',
      coalesce(s.tenant_id, w.tenant_id)::text, coalesce(s.slot, w.slot), s.cents, w.cents)
    from (select tenant_id, slot, sum(cents) cents from (
        select w.tenant_id, payouts.slot_of(w.approved_at) slot, w.amount_cents cents
          from payouts.withdrawal w, kept where w.approved_at >= kept.since and payouts.may_leave(w)
        union all
        select null, payouts.slot_of(w.approved_at), w.amount_cents
          from payouts.withdrawal w, kept where w.approved_at >= kept.since and payouts.may_leave(w)) approved
      group by 1, 2) w
    full join payouts.approved_sum s
      on s.slot = w.slot and coalesce(s.tenant_id::text, '') = coalesce(w.tenant_id::text, '')
    where coalesce(s.cents, 0) <> coalesce(w.cents, 0)
$$;

-- What is held at this moment counted until now.
update payouts.approved_sum s set cents = s.cents - held.cents
  from (
    select tenant_id, slot, sum(cents) cents from (
      select w.tenant_id, payouts.slot_of(w.approved_at) slot, w.amount_cents cents from payouts.withdrawal w
        where w.held_reason in ('over_transaction_limit', 'over_merchant_limit', 'over_day_limit')
      union all
      select null, payouts.slot_of(w.approved_at), w.amount_cents from payouts.withdrawal w
        where w.held_reason in ('over_transaction_limit', 'over_merchant_limit', 'over_day_limit')) each_
    group by 1, 2) held
  where s.slot = held.slot and s.tenant_id is not distinct from held.tenant_id;
