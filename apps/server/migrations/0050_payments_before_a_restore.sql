-- A withdrawal that an operator recorded as paid has a hash and no nonce: the transaction was made by a part of the
-- database that is lost. One that was mined without its transfer, and that an operator decided was paid, keeps the
-- state of its transaction.

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
      and ((w.status = 'confirmed' and w.nonce is not null and coalesce(s.state, 'none') not in ('confirmed', 'no_effect'))
        or (w.status = 'confirmed' and w.nonce is null and coalesce(s.state, 'canceled') <> 'canceled')
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

comment on column payouts.withdrawal.nonce is 'of the transaction that paid it; null: none yet, or one that an operator named after a restore';
comment on column reconciliation.placing_gate.market is 'a market, `bots` or `payments`';
