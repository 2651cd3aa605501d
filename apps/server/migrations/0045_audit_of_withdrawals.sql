-- What is proven of every withdrawal is proven slice by slice, so that no statement of the audit grows with them.
-- payouts.audit keeps what is bounded by the open withdrawals and by the sums of the last days.

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

create or replace function payouts.audit_withdrawals(
  after_ uuid default '00000000-0000-0000-0000-000000000000',
  up_to_ uuid default 'ffffffff-ffff-ffff-ffff-ffffffffffff') returns table (invariant text, detail text)
language sql stable as $$
  select 'a withdrawal is posted as it ended', w.id::text
    from payouts.withdrawal w
    where w.id > after_ and w.id <= up_to_
      and (custody.posted('withdrawal:' || w.id || ':paid') <> case w.status when 'confirmed' then w.units else 0 end
        or custody.posted('withdrawal:' || w.id || ':refund')
          <> case when w.status = 'refunded' and w.source = 'custody' then w.units + w.fee_units else 0 end)
  union all
  select 'a withdrawal from custody has the event of its status, and of no other end', w.id::text
    from payouts.withdrawal w
    where w.id > after_ and w.id <= up_to_ and w.source = 'custody'
      and (outbox.has_event('payout.crypto.withdraw.confirmed', w.id) <> (w.status = 'confirmed')
        or outbox.has_event('payout.crypto.withdraw.refunded', w.id) <> (w.status = 'refunded')
        or (w.status in ('broadcast', 'confirmed') and not outbox.has_event('payout.crypto.withdraw.broadcast', w.id)))
  union all
  select 'a withdrawal ends as its transaction does', format('%s is %s, its transaction %s', w.id, w.status, s.state)
    from payouts.withdrawal w cross join lateral outbound.state_of('payout', w.id) s (state)
    where w.id > after_ and w.id <= up_to_
      and ((w.status = 'confirmed' and s.state is distinct from 'confirmed' and w.held_reason is null)
        or (w.status = 'refunded' and s.state in ('signing', 'signed', 'broadcast', 'confirmed', 'queued'))
        or (w.status in ('pending_callback', 'queued', 'broadcast') and s.state in ('confirmed', 'reverted', 'displaced', 'canceled')))
  union all
  -- Of each account that the slice names; whether something of it is open is answered by the index of what is open.
  select 'nothing is in flight without an open withdrawal', format('%s %s %s: %s', k.owner_id, k.chain, k.token, f.units)
    from (select distinct w.owner_id, w.chain, w.token from payouts.withdrawal w
        where w.id > after_ and w.id <= up_to_ and w.source = 'custody') k
      cross join lateral custody.balance_of('in_flight', k.owner_id, k.chain, k.token) f (units)
    where f.units <> 0 and not exists (select from payouts.withdrawal o
      where o.owner_id = k.owner_id and o.source = 'custody' and o.status in ('pending_callback', 'queued', 'broadcast')
        and (o.chain, o.token) = (k.chain, k.token))
$$;
