-- Outbound: transactions that we sign and send. A transaction takes one nonce of one wallet; every signed form of
-- it (an attempt: the payment, its replacements with higher fees, a filler that cancels it) has that nonce, so
-- the chain takes one of them at most.
create schema outbound;

create table outbound.wallet (
  chain text not null,
  key_ref text not null,
  address text not null,
  next_nonce bigint not null,
  state text not null default 'open',
  halted_reason text,
  foreign_hashes text[] not null default '{}',
  changed_at timestamptz not null,
  constraint wallet_pkey primary key (chain, key_ref),
  constraint wallet_address_once unique (chain, address),
  constraint wallet_state_known check (state in ('open', 'halted', 'reopening')),
  constraint wallet_halted_for_a_reason check ((state = 'open') = (halted_reason is null)),
  constraint wallet_nonce_not_negative check (next_nonce >= 0),
  constraint wallet_key_form check (key_ref ~ '^(hot|gas|deposit/(0|[1-9][0-9]{0,9}))$'),
  constraint wallet_address_form check (address ~ '^0x[0-9a-fA-F]{40}$')
);
comment on column outbound.wallet.next_nonce is 'the nonce of the next transaction that is signed';
comment on column outbound.wallet.state is 'halted: nothing is signed or sent; reopening: an operator asked to open it, which a worker does after it has looked at the chain';
comment on column outbound.wallet.foreign_hashes is 'transactions that an operator named when asking to open it: those that took nonces of ours';

create table outbound.transaction (
  id uuid not null,
  sequence bigint generated always as identity,
  chain text not null,
  key_ref text not null,
  deposit_index integer,
  purpose text not null,
  ref_id uuid not null,
  token text not null,
  token_address text,
  recipient text not null,
  units numeric(78, 0) not null,
  state text not null default 'queued',
  hold_reason text,
  due_at timestamptz not null,
  wanted text,
  nonce bigint,
  signing jsonb,
  signing_claim uuid,
  accepted_at timestamptz,
  mined_hash text,
  mined_block bigint,
  silent_since timestamptz,
  silent_since_block bigint,
  foreign_since_block bigint,
  fee_paid numeric(78, 0),
  created_at timestamptz not null,
  finished_at timestamptz,
  needs_capital boolean not null default false,
  constraint transaction_pkey primary key (id),
  constraint transaction_nonce_once unique (chain, key_ref, nonce),
  constraint transaction_once unique (purpose, ref_id),
  constraint transaction_purpose_known check (purpose in ('payout', 'sweep', 'gas')),
  constraint transaction_state_known check (state in
    ('queued', 'signing', 'signed', 'broadcast', 'confirmed', 'reverted', 'displaced', 'no_effect', 'canceled')),
  constraint transaction_wanted_known check (wanted in ('resend', 'replacement', 'filler')),
  constraint transaction_has_nonce_from_signing_on check ((nonce is null) = (state in ('queued', 'canceled'))),
  constraint transaction_finished_at_known check ((finished_at is not null) =
    (state in ('confirmed', 'reverted', 'displaced', 'no_effect', 'canceled'))),
  constraint transaction_accepted_at_known check (state not in ('broadcast', 'confirmed', 'reverted', 'no_effect') or accepted_at is not null),
  constraint transaction_silent_both check ((silent_since is null) = (silent_since_block is null)),
  constraint transaction_mined_both check ((mined_hash is null) = (mined_block is null)),
  constraint transaction_units_positive check (units > 0),
  constraint transaction_recipient_form check (recipient ~ '^0x[0-9a-fA-F]{40}$'),
  constraint transaction_token_address_form check (token_address ~ '^0x[0-9a-fA-F]{40}$'),
  constraint transaction_native_has_no_contract check ((token = 'NATIVE') = (token_address is null))
) with (fillfactor = 80);
comment on column outbound.transaction.units is 'base units of the token that the recipient gets';
comment on column outbound.transaction.hold_reason is 'why a queued transaction waits: hot_wallet_low or capital_low for its token, gas_low or gas_capital_low for the native coin, or the rule of the signer that refused it; fee_cap: a signed one is not replaced, because the fees would be too high';
comment on column outbound.transaction.wanted is 'what a worker is to do with a signed one: send it again, replace it with higher fees, or fill its nonce';
comment on column outbound.transaction.signing is 'the unsigned form that the signer was asked for: the same is asked for again after a crash';
comment on column outbound.transaction.silent_since is 'since when its newest attempt was sent and is in no block';
comment on column outbound.transaction.silent_since_block is 'head at that time';
comment on column outbound.transaction.foreign_since_block is 'head when its nonce was first seen used by a transaction that is none of its attempts';
comment on column outbound.transaction.needs_capital is 'pays out what is owed in cents: the service''s own funds have to cover it and its gas';
create index transaction_queued on outbound.transaction (chain, key_ref, due_at, sequence) where state = 'queued';
create index transaction_mined on outbound.transaction (chain, mined_block) where mined_block is not null;
create index transaction_open on outbound.transaction (chain, key_ref, nonce) where state in ('signing', 'signed', 'broadcast');

-- Nonces that a wallet lost to transactions that are not ours; an operator reopened it afterwards.
create table outbound.skipped_nonce (
  chain text not null,
  key_ref text not null,
  nonce bigint not null,
  at timestamptz not null,
  constraint skipped_nonce_pkey primary key (chain, key_ref, nonce)
);

create table outbound.attempt (
  id bigint generated always as identity,
  transaction_id uuid not null,
  number smallint not null,
  kind text not null,
  hash text not null,
  raw text not null,
  max_fee_per_gas numeric(78, 0) not null,
  max_priority_fee_per_gas numeric(78, 0) not null,
  gas numeric(78, 0) not null,
  signed_at timestamptz not null,
  sent_at timestamptz,
  answer text,
  constraint attempt_pkey primary key (id),
  constraint attempt_transaction foreign key (transaction_id) references outbound.transaction (id),
  constraint attempt_numbered unique (transaction_id, number),
  constraint attempt_hash_once unique (hash),
  constraint attempt_kind_known check (kind in ('payment', 'filler')),
  constraint attempt_hash_form check (hash ~ '^0x[0-9a-f]{64}$')
);
comment on column outbound.attempt.raw is 'what was signed: written before anything is sent';
comment on column outbound.attempt.answer is 'the newest answer of a node to it';

-- A finished transaction stays as it is, and one with an attempt never goes back to a state in which it counts
-- as never signed: a refund follows from these states.
create function outbound.transaction_guard() returns trigger language plpgsql as $$
declare was_signed boolean;
begin
  if old.finished_at is not null then
    raise exception 'transaction % is finished', old.id using errcode = '23514', constraint = 'transaction_finished_once';
  end if;
  if new.state in ('queued', 'canceled') and old.state <> 'queued' then
    select exists (select from outbound.attempt where transaction_id = old.id) into was_signed;
    if was_signed or old.state <> 'signing' or new.state = 'canceled' then
      raise exception 'transaction % was signed', old.id using errcode = '23514', constraint = 'transaction_signed_stays_signed';
    end if;
  end if;
  if old.nonce is not null and new.nonce is not null and new.nonce <> old.nonce then
    raise exception 'transaction % keeps its nonce', old.id using errcode = '23514', constraint = 'transaction_keeps_its_nonce';
  end if;
  return new;
end $$;
create trigger transaction_guard before update on outbound.transaction
  for each row execute function outbound.transaction_guard();

create function outbound.deny() returns trigger language plpgsql as $$
begin
  raise exception '% on %.% is forbidden', tg_op, tg_table_schema, tg_table_name using errcode = '42501';
end $$;
create trigger transaction_kept before delete or truncate on outbound.transaction
  for each statement execute function outbound.deny();
create trigger attempt_kept before delete or truncate on outbound.attempt
  for each statement execute function outbound.deny();
create trigger wallet_kept before delete or truncate on outbound.wallet
  for each statement execute function outbound.deny();
create function outbound.attempt_guard() returns trigger language plpgsql as $$
begin
  if (new.transaction_id, new.number, new.kind, new.hash, new.raw) is distinct from
     (old.transaction_id, old.number, old.kind, old.hash, old.raw) then
    raise exception 'what was signed stays as it is' using errcode = '42501';
  end if;
  return new;
end $$;
create trigger attempt_guard before update on outbound.attempt
  for each row execute function outbound.attempt_guard();

create function outbound.notify_work() returns trigger language plpgsql as $$
begin
  perform pg_notify('outbound_work', '');
  return null;
end $$;
create trigger transaction_queued after insert on outbound.transaction
  for each statement execute function outbound.notify_work();

-- Where the transaction of a purpose and reference stands; null when there is none.
create function outbound.state_of(purpose_ text, ref_id_ uuid) returns text
language sql stable as $$ select state from outbound.transaction where purpose = purpose_ and ref_id = ref_id_ $$;
-- A transaction of ours that has become final is looked at once more after that commit, because its block may have
-- been replaced just before; one that left its chain is sent again until it is final there. A row goes when the
-- transaction was seen in a final block.
create table outbound.final_watch (
  transaction_id uuid not null,
  missing_at timestamptz,
  foreign_since_block bigint,
  displaced_at timestamptz,
  settled_at timestamptz,
  constraint final_watch_pkey primary key (transaction_id),
  constraint final_watch_transaction foreign key (transaction_id) references outbound.transaction (id),
  constraint final_watch_settled_when_displaced check (settled_at is null or displaced_at is not null)
);
comment on table outbound.final_watch is 'final transactions that have to be seen in a final block once more';
comment on column outbound.final_watch.missing_at is 'when it was last in no block; null: not yet looked at again';
comment on column outbound.final_watch.foreign_since_block is 'head when its nonce was first seen used for good by a transaction that did not do the same';
comment on column outbound.final_watch.displaced_at is 'since when it is proven that another transaction has its nonce for good: it will never be mined again';
comment on column outbound.final_watch.settled_at is 'when an operator recorded what was done about a displaced payment; the audit log has the reason';

-- The auditor: a row for each broken promise.
create function outbound.audit(
  after_ uuid default '00000000-0000-0000-0000-000000000000',
  up_to_ uuid default 'ffffffff-ffff-ffff-ffff-ffffffffffff') returns table (invariant text, detail text)
language sql stable as $$
  select 'the nonces of a wallet are contiguous',
      format('%s %s: %s after %s, next %s', t.chain, t.key_ref, t.nonce, coalesce(previous.nonce::text, 'none'), w.next_nonce)
    from outbound.transaction t
      left join outbound.wallet w on w.chain = t.chain and w.key_ref = t.key_ref
      left join lateral (
        select p.nonce from outbound.transaction p
        where p.chain = t.chain and p.key_ref = t.key_ref and p.nonce < t.nonce
        order by p.nonce desc limit 1) previous on true
    where t.id > after_ and t.id <= up_to_ and t.nonce is not null
      and (w.next_nonce is null or t.nonce >= w.next_nonce
        -- All between were skipped, and its own was not.
        or t.nonce - coalesce(previous.nonce, t.nonce - 1) - 1 <> (select count(*) from outbound.skipped_nonce s
          where s.chain = t.chain and s.key_ref = t.key_ref
            and s.nonce > coalesce(previous.nonce, t.nonce - 1) and s.nonce <= t.nonce))
  union all
  select 'what a node was given was signed before', t.id::text from outbound.transaction t
    where t.id > after_ and t.id <= up_to_
      and t.state in ('signed', 'broadcast', 'confirmed', 'reverted', 'no_effect')
      and not exists (select from outbound.attempt a where a.transaction_id = t.id)
  union all
  select 'a transaction that counts as never signed has no attempt', t.id::text from outbound.transaction t
    where t.id > after_ and t.id <= up_to_
      and t.state in ('queued', 'canceled') and exists (select from outbound.attempt a where a.transaction_id = t.id)
  union all
  select 'a mined transaction is one of its attempts', t.id::text from outbound.transaction t
    where t.id > after_ and t.id <= up_to_ and t.mined_hash is not null
      and not exists (select from outbound.attempt a where a.transaction_id = t.id and a.hash = t.mined_hash)
  union all
  -- Of several attempts with one nonce the mined one decides: a payment that was displaced was not mined, and one
  -- that its filler replaced was not paid.
  select 'a transaction ends as the attempt that was mined', format('%s is %s, mined was %s', t.id, t.state, coalesce(a.kind, 'none'))
    from outbound.transaction t left join outbound.attempt a on a.transaction_id = t.id and a.hash = t.mined_hash
    where t.id > after_ and t.id <= up_to_
      and ((t.state in ('confirmed', 'reverted', 'no_effect') and a.kind is distinct from 'payment')
        or (t.state = 'displaced' and a.kind = 'payment'))
$$;
