-- Payouts: withdrawals of crypto, from a merchant's payout custody (held in kind) or from a wallet in cents.
create schema payouts;

-- What a merchant has set; without a row: the webhook endpoint is the callback, and any destination is allowed.
create table payouts.merchant (
  id uuid not null,
  callback_url text,
  callback_secret_sealed text,
  only_known_destinations boolean not null default false,
  proven_at timestamptz,
  changed_at timestamptz not null,
  callback_previous_secret_sealed text,
  callback_previous_secret_until timestamptz,
  endpoint_confirmed boolean not null default true,
  constraint merchant_pkey primary key (id),
  constraint merchant_callback_has_secret check ((callback_url is null) = (callback_secret_sealed is null)),
  constraint merchant_previous_secret_ends check ((callback_previous_secret_sealed is null) = (callback_previous_secret_until is null))
);
comment on column payouts.merchant.proven_at is 'when an approval was answered for the first time; null: its callback is unproven';
comment on column payouts.merchant.callback_secret_sealed is 'signs approvals at callback_url';
comment on column payouts.merchant.callback_previous_secret_until is 'until then the secret before signs beside the present one';
comment on column payouts.merchant.endpoint_confirmed is 'false: the webhook endpoint has its address from a member who may not move money, and approves nothing';

create table payouts.destination (
  merchant_id uuid not null,
  address text not null,
  usable_from timestamptz not null,
  created_at timestamptz not null,
  constraint destination_pkey primary key (merchant_id, address),
  constraint destination_form check (address ~ '^0x[0-9a-f]{40}$')
);
comment on column payouts.destination.usable_from is 'a day after it was added';

-- Deposits into payout custody. The transfers themselves and their postings belong to chains.
create table payouts.deposit (
  id uuid not null,
  merchant_id uuid not null,
  user_id uuid,
  chain text not null,
  token text not null,
  units numeric(78, 0) not null,
  decimals smallint not null,
  address text not null,
  tx_hash text not null,
  status text not null default 'pending',
  confirmations integer not null default 0,
  reason text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  completed_at timestamptz,
  is_unclaimed boolean not null default false,
  constraint deposit_pkey primary key (id),
  constraint deposit_status_known check (status in ('pending', 'completed', 'failed')),
  constraint deposit_completed_at_known check (status <> 'completed' or completed_at is not null),
  constraint deposit_failed_for_a_reason check ((status = 'failed') = (reason is not null)),
  constraint deposit_units_positive check (units > 0)
);
comment on column payouts.deposit.id is 'the id of the transfer in chains';
comment on column payouts.deposit.user_id is 'the sub-user whose address was paid: attribution only';
comment on column payouts.deposit.is_unclaimed is 'its merchant was deleted when it was credited: the units are in the account unclaimed of custody, and there is no event';
create index deposit_of_merchant on payouts.deposit (merchant_id, id);

create table payouts.withdrawal (
  id uuid not null,
  source text not null,
  owner_id uuid not null,
  tenant_id uuid not null,
  external_id text not null,
  request_hash bytea not null,
  for_user_id uuid,
  for_user_external_id text,
  chain text not null,
  token text not null,
  token_address text,
  decimals smallint not null,
  destination text not null,
  amount_cents bigint not null,
  fee_cents bigint not null,
  site_fee_cents bigint not null default 0,
  units numeric(78, 0) not null,
  fee_units numeric(78, 0) not null,
  usd_e8 numeric(40, 0) not null,
  was_covered boolean not null default true,
  status text not null,
  held_reason text,
  approval_id uuid not null default uuidv7(),
  callback_attempts integer not null default 0,
  callback_failures integer not null default 0,
  due_at timestamptz,
  tx_hash text,
  nonce bigint,
  failure_reason text,
  journal_id uuid,
  created_at timestamptz not null,
  approved_at timestamptz,
  broadcast_at timestamptz,
  confirmed_at timestamptz,
  refunded_at timestamptz,
  constraint withdrawal_pkey primary key (id),
  constraint withdrawal_once unique (owner_id, external_id),
  constraint withdrawal_source_known check (source in ('custody', 'wallet')),
  constraint withdrawal_status_known check (status in ('pending_callback', 'queued', 'broadcast', 'confirmed', 'refunded')),
  constraint withdrawal_callback_is_for_custody check (source = 'custody' or status <> 'pending_callback'),
  constraint withdrawal_due_while_pending check ((status = 'pending_callback') = (due_at is not null)),
  constraint withdrawal_held_while_queued check (held_reason is null or status in ('queued', 'broadcast')),
  constraint withdrawal_times_known check ((status <> 'broadcast' or broadcast_at is not null)
    and ((status = 'confirmed') = (confirmed_at is not null)) and ((status = 'refunded') = (refunded_at is not null))),
  constraint withdrawal_refunded_for_a_reason check ((status = 'refunded') = (failure_reason is not null)),
  constraint withdrawal_amounts_positive check (amount_cents > 0 and fee_cents >= 0 and site_fee_cents >= 0 and units > 0 and fee_units >= 0),
  constraint withdrawal_wallet_has_journal check ((source = 'wallet') = (journal_id is not null)),
  constraint withdrawal_destination_form check (destination ~ '^0[xX][0-9a-fA-F]{40}$')
) with (fillfactor = 80);
comment on column payouts.withdrawal.source is 'custody: the owner is a merchant, units and fee_units come from its custody; wallet: amount, network and site fee come from a wallet in cents';
comment on column payouts.withdrawal.tenant_id is 'the merchant or partner whose daily limit it counts against';
comment on column payouts.withdrawal.was_covered is 'the hot wallet could pay it when it was submitted';
comment on column payouts.withdrawal.units is 'base units that the destination gets; fixed at the rate of the request';
comment on column payouts.withdrawal.fee_units is 'base units of the same token for the network fee, on top; 0 for a wallet';
comment on column payouts.withdrawal.usd_e8 is 'US dollars for one token at the request, in 1e-8';
comment on column payouts.withdrawal.held_reason is 'why an operator has to release it: over_transaction_limit, over_merchant_limit, over_day_limit, account_suspended: nothing has left yet; no_effect: it was mined and moved nothing';
comment on column payouts.withdrawal.callback_attempts is 'POSTs that were begun';
comment on column payouts.withdrawal.callback_failures is 'POSTs that ended without an answer of 2xx or 4xx';
comment on column payouts.withdrawal.due_at is 'when the next POST is due; while one is under way, when its lease ends';
comment on column payouts.withdrawal.approved_at is 'since when it may leave by itself: its approval, or its release by an operator';
comment on column payouts.withdrawal.nonce is 'of the transaction that paid it; null: none yet, or one that an operator named after a restore';
create index withdrawal_due on payouts.withdrawal (owner_id, due_at) where status = 'pending_callback';
create index withdrawal_of_owner on payouts.withdrawal (owner_id, id);
create index withdrawal_held on payouts.withdrawal (id) where held_reason is not null;
create index withdrawal_open on payouts.withdrawal (owner_id) where status in ('pending_callback', 'queued', 'broadcast');
create index withdrawal_recent on payouts.withdrawal (approved_at) where approved_at is not null;
-- Search finds a withdrawal by its external id alone over all owners.
create index withdrawal_named on payouts.withdrawal (external_id);
-- A partner lists the withdrawals of all of its children together.
create index withdrawal_of_tenant on payouts.withdrawal (tenant_id, id);

-- One row for each POST of an approval, written before it.
create table payouts.approval_attempt (
  withdrawal_id uuid not null,
  number integer not null,
  started_at timestamptz not null,
  ended_at timestamptz,
  result text,
  sent text,
  answer bytea,
  constraint approval_attempt_pkey primary key (withdrawal_id, number),
  constraint approval_attempt_withdrawal foreign key (withdrawal_id) references payouts.withdrawal (id),
  constraint approval_attempt_ended_with_result check ((ended_at is null) = (result is null))
);
comment on column payouts.approval_attempt.sent is 'the body as it was posted; kept for 30 days, as the answer is';
comment on column payouts.approval_attempt.answer is 'the first 16 KiB of the answer''s body';
create index approval_attempt_kept on payouts.approval_attempt (started_at) where sent is not null;

-- Takes withdrawals whose approval is due until `lease_until_`, and writes an attempt for each. How many of whom is
-- the room that infra/jobs/slots.ts describes: of an owner `per_owner_`, or `per_doubtful_` when its callback is slow or was
-- never answered; `slow_room_` and `unproven_room_` of all of these; none of the busy ones. Owners take turns, those
-- that hold less first: an older backlog alone wins nothing. It goes from owner to owner by the index, so that what
-- one has waiting costs the others nothing. The settings restrict the planner to the indexes: a plan that was made
-- while nothing waited read the table as a whole for each owner, 6 s for one claim when 20,000 had come.
create function payouts.claim_approvals(
  at_ timestamptz, lease_until_ timestamptz, limit_ integer, per_owner_ integer, per_doubtful_ integer,
  slow_room_ integer, unproven_room_ integer, held_ jsonb, slow_ uuid[], busy_ uuid[])
  returns setof payouts.withdrawal
language plpgsql
set enable_seqscan = off set enable_sort = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off as $$
begin
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
      case when owner.id = any (slow_) then 'slow' when m.proven_at is null then 'unproven' else 'proven' end class
    from owner left join payouts.merchant m on m.id = owner.id
    where owner.id is not null and owner.id <> all (busy_)),
  due as (
    select one.id, one.due_at, p.room, p.class, p.held + row_number() over (partition by p.id order by one.due_at) place
    from party p cross join lateral (
      select w.id, w.due_at from payouts.withdrawal w
      where w.status = 'pending_callback' and w.owner_id = p.id and w.due_at <= at_
      order by w.owner_id, w.due_at
      limit case when p.room is null then per_owner_ else least(p.room, per_doubtful_) end
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

-- What was approved in each five minutes and not refunded, of each tenant and (without one) of all: a day is the sum
-- of its slots, however many withdrawals it had. Slots that no limit looks at any more are removed.
create table payouts.approved_sum (
  tenant_id uuid,
  slot timestamptz not null,
  cents bigint not null,
  constraint approved_sum_once unique nulls not distinct (tenant_id, slot),
  constraint approved_sum_not_negative check (cents >= 0)
) with (fillfactor = 50);
comment on column payouts.approved_sum.slot is 'when its five minutes begin';

create function payouts.slot_of(at_ timestamptz) returns timestamptz
language sql immutable as $$ select date_bin('5 minutes', at_, '2000-01-01 00:00+00') $$;

create function payouts.may_leave(one_ payouts.withdrawal) returns boolean
language sql immutable as $$
  select one_.approved_at is not null and one_.status <> 'refunded'
    and coalesce(one_.held_reason, 'no_effect') = 'no_effect' $$;

-- A slot that is there no longer is not looked at either: a late refund changes nothing.
create function payouts.sum_approved() returns trigger language plpgsql as $$
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
create trigger approved_on_insert after insert on payouts.withdrawal
  for each row when (payouts.may_leave(new)) execute function payouts.sum_approved();
create trigger approved_on_update after update on payouts.withdrawal
  for each row when (payouts.may_leave(new) is distinct from payouts.may_leave(old))
  execute function payouts.sum_approved();

-- One row: approvals are summed under its lock, so that two of them cannot both fit under a limit.
create table payouts.limiter (
  only_row boolean not null default true,
  constraint limiter_pkey primary key (only_row),
  constraint limiter_only_row check (only_row)
);
insert into payouts.limiter default values;

-- Waits for the lock, and only then sums: what another transaction approved before it is seen. A row for each
-- tenant, and one without a tenant for all. The slot in which the time begins is summed from its withdrawals.
create function payouts.lock_and_sum_approved(tenant_ids_ uuid[], since_ timestamptz)
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

-- The only ways between states, each once; the end stays the end.
create function payouts.withdrawal_guard() returns trigger language plpgsql as $$
begin
  if (new.id, new.source, new.owner_id, new.external_id, new.units, new.fee_units, new.amount_cents, new.destination, new.chain, new.token)
    is distinct from (old.id, old.source, old.owner_id, old.external_id, old.units, old.fee_units, old.amount_cents, old.destination, old.chain, old.token) then
    raise exception 'withdrawal % stays as it was requested', old.id using errcode = '42501';
  end if;
  if new.status <> old.status and (old.status, new.status) not in (
      ('pending_callback', 'queued'), ('pending_callback', 'refunded'), ('queued', 'broadcast'), ('queued', 'refunded'),
      ('broadcast', 'confirmed'), ('broadcast', 'refunded')) then
    raise exception 'withdrawal % does not go from % to %', old.id, old.status, new.status
      using errcode = '23514', constraint = 'withdrawal_goes_forward';
  end if;
  return new;
end $$;
create trigger withdrawal_guard before update on payouts.withdrawal
  for each row execute function payouts.withdrawal_guard();
create function payouts.deny() returns trigger language plpgsql as $$
begin
  raise exception '% on %.% is forbidden', tg_op, tg_table_schema, tg_table_name using errcode = '42501';
end $$;
create trigger withdrawal_kept before delete or truncate on payouts.withdrawal
  for each statement execute function payouts.deny();
create trigger deposit_kept before delete or truncate on payouts.deposit
  for each statement execute function payouts.deny();

create function payouts.notify_due() returns trigger language plpgsql as $$
begin
  perform pg_notify('payout_due', '');
  return null;
end $$;
create trigger withdrawal_submitted after insert on payouts.withdrawal
  for each statement execute function payouts.notify_due();

-- The kinds of journals of wallets.
select ledger.add_account_kind('withdrawal_fees', false, false);
select ledger.add_journal_kind('withdrawal', 'withdrawal_debit');
create trigger account_is_open before insert on payouts.merchant
  for each row execute function identity.refuse_below_deleted('id');
create trigger account_is_open before insert on payouts.destination
  for each row execute function identity.refuse_below_deleted('merchant_id');

-- The auditor: a row for each broken promise.
create function payouts.audit() returns table (invariant text, detail text)
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

-- The auditor of the withdrawals of a slice (invariants I2 and I7): confirmed or refunded, never both.
create function payouts.audit_withdrawals(
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

-- The same for the deposits into custody of a slice of transfers.
create function payouts.audit_deposits(
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
