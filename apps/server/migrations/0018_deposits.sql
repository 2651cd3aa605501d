-- Deposits: money that comes in, by a payment gateway, a card on-ramp or a chain. A deposit is created before
-- its provider is called; what it is credited is in `credit`, one row for each settled payment or transfer.
create schema deposits;

-- What providers and chain addresses hold for us because of deposits; a debit balance, as an asset has.
select ledger.add_account_kind('clearing_gateway', false, false);
select ledger.add_account_kind('clearing_onramp', false, false);
select ledger.add_account_kind('clearing_chain', false, false);
select ledger.add_account_kind('deposit_fees', false, false);
-- Deposits of owners whose account was deleted before the money came.
select ledger.add_account_kind('unclaimed_deposits', false, false);
-- What an owner owes because a provider took a deposit back that was spent already. Negative or zero: a
-- wallet itself never falls below its floor. Repaid from the wallet and from later deposits.
select ledger.add_account_kind('deposit_debt', true, true, -1000000000000000000);
select ledger.add_journal_kind('deposit_reversal', debit_entry_ => 'deposit_credit');
select ledger.add_journal_kind('deposit_debt_repayment', debit_entry_ => 'adjustment');

create type deposits.status as enum
  ('initiated', 'pending', 'completed', 'partial', 'expired', 'cancelled', 'refunded', 'failed');

create table deposits.deposit (
  id uuid not null default uuidv7(),
  method text not null,
  tenant_id uuid not null,
  account_id uuid not null,
  status deposits.status not null default 'initiated',
  substate text,
  reason text,
  currency ledger.currency not null,
  token text,
  chain text,
  quote_id uuid,
  transfer_id uuid,
  pay_amount numeric(57,18),
  pay_usd bigint,
  receive_usd bigint,
  receive_amount bigint,
  usd_per_token numeric(57,18),
  fee_bps integer not null default 0,
  received_amount numeric(57,18) not null default 0,
  credited bigint not null default 0,
  credited_usd bigint not null default 0,
  fee_usd bigint not null default 0,
  reversed bigint not null default 0,
  address text,
  tx_hash text,
  confirmations integer,
  expires_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  completed_at timestamptz,
  seen_amount numeric(57,18) not null default 0,
  is_listed boolean not null default true,
  constraint deposit_pkey primary key (id),
  constraint deposit_method_known check (method in ('gateway', 'onramp', 'crypto')),
  constraint deposit_has_its_source check ((method = 'crypto') = (transfer_id is not null)
    and (method = 'crypto') = (quote_id is null)),
  constraint deposit_substate_known check (substate in ('processing', 'conversion_delay', 'exchange_failed', 'refund_rejected')),
  constraint deposit_amounts_not_negative check (credited >= 0 and credited_usd >= 0 and fee_usd >= 0
    and received_amount >= 0 and pay_amount > 0 and pay_usd > 0 and receive_usd > 0 and receive_amount >= 0),
  constraint deposit_reverses_at_most_its_credit check (reversed between 0 and credited),
  constraint deposit_fee_in_range check (fee_bps between 0 and 10000),
  constraint deposit_quote_once unique (quote_id),
  constraint deposit_transfer_once unique (transfer_id),
  constraint deposit_seen_not_negative check (seen_amount >= 0)
) with (fillfactor = 70);
comment on column deposits.deposit.tenant_id is 'the merchant or partner that the account belongs to: its events, its lists';
comment on column deposits.deposit.substate is 'what its provider says in more detail, beside the status';
comment on column deposits.deposit.quote_id is 'the quote that it was created from: a quote is used once';
comment on column deposits.deposit.transfer_id is 'of a chain deposit: the transfer, as the scanner names it';
comment on column deposits.deposit.pay_amount is 'tokens, or units of the pay currency of a card, that were asked for';
comment on column deposits.deposit.pay_usd is 'US cents that the asked amount is worth at the quoted rate, fee included';
comment on column deposits.deposit.receive_usd is 'US cents that the quote promised after the fee';
comment on column deposits.deposit.receive_amount is 'the same in cents of the wallet, at the rate of the moment of the quote';
comment on column deposits.deposit.usd_per_token is 'US dollars for one token or one unit of the pay currency, as quoted or, of a chain deposit, at the credit';
comment on column deposits.deposit.received_amount is 'tokens: settled payments, or the transfer';
comment on column deposits.deposit.credited is 'cents of the wallet''s currency, after the fee; the sum of its credits';
comment on column deposits.deposit.credited_usd is 'the same in US cents';
comment on column deposits.deposit.fee_usd is 'US cents withheld for the provider; the sum of its credits';
comment on column deposits.deposit.reversed is 'cents of the wallet''s currency that were taken back';
comment on column deposits.deposit.seen_amount is 'tokens that its provider reports as settled while the order still runs; nothing is credited by it';
comment on column deposits.deposit.is_listed is 'false: its maker was not answered, and no money has come; no list has it and no event names it';
create index deposit_of_account on deposits.deposit (account_id, id);
create index deposit_of_tenant on deposits.deposit (tenant_id, id);
-- None of the indexes is about the status: each step rewrites the row in its page and no index.

-- The only steps that exist. The same table stands in modules/crypto/deposits/deposit.ts; a test compares them.
create table deposits.transition (
  from_status deposits.status not null,
  to_status deposits.status not null,
  constraint transition_pkey primary key (from_status, to_status)
);
insert into deposits.transition values
  ('initiated', 'pending'), ('initiated', 'expired'), ('initiated', 'cancelled'), ('initiated', 'failed'),
  ('pending', 'completed'), ('pending', 'partial'), ('pending', 'failed'), ('pending', 'refunded'),
  ('partial', 'completed'), ('partial', 'refunded'),
  ('expired', 'completed'), ('expired', 'partial'),
  ('cancelled', 'completed'), ('cancelled', 'partial'),
  ('failed', 'completed'), ('failed', 'partial'),
  ('completed', 'refunded'), ('completed', 'failed'),
  ('refunded', 'completed'), ('refunded', 'partial');

-- The order at a provider behind a gateway or card deposit: committed before the provider is called, under
-- the deposit's id. It is also the queue of look-ups.
create table deposits.provider_order (
  deposit_id uuid not null,
  account_id uuid not null,
  provider text not null,
  state text not null default 'creating',
  provider_order_id text,
  details jsonb not null default '{}',
  asked_at timestamptz not null,
  misses integer not null default 0,
  due_at timestamptz,
  leased_until timestamptz,
  constraint provider_order_pkey primary key (deposit_id),
  constraint provider_order_deposit foreign key (deposit_id) references deposits.deposit (id),
  constraint provider_order_provider_known check (provider in ('gateway', 'onramp')),
  constraint provider_order_state_known check (state in ('creating', 'placed', 'refused', 'absent')),
  constraint provider_order_once unique (provider, provider_order_id)
) with (fillfactor = 70);
comment on column deposits.provider_order.account_id is 'the account of its deposit: commits for several orders take their locks by account';
comment on column deposits.provider_order.state is 'creating: the call is out, or its answer was lost; only look-ups follow';
comment on column deposits.provider_order.details is 'what the payer needs: where to pay, links; no money';
comment on column deposits.provider_order.misses is 'look-ups in a row that reported it absent';
comment on column deposits.provider_order.due_at is 'when it is looked at next; null: never again';
comment on column deposits.provider_order.leased_until is 'the lease of who looks; in no index, so that a claim rewrites the row in its page';
create index provider_order_due on deposits.provider_order (provider, due_at) where due_at is not null;
create index provider_order_paid_to on deposits.provider_order (lower(details ->> 'address')) where details ? 'address';

-- One row for each settled payment or transfer, in the commit of its postings. Only added to.
create table deposits.credit (
  id uuid not null default uuidv7(),
  deposit_id uuid not null,
  provider text not null,
  settlement_ref text not null,
  amount_token numeric(57,18) not null,
  value_usd numeric(75,36) not null,
  rate_sources jsonb not null default '[]',
  net_usd bigint not null,
  fee_usd bigint not null,
  usd_per_eur_micros bigint,
  wallet_amount bigint not null,
  debt_repaid bigint not null default 0,
  is_unclaimed boolean not null default false,
  journal_id uuid,
  created_at timestamptz not null,
  constraint credit_pkey primary key (id),
  constraint credit_deposit foreign key (deposit_id) references deposits.deposit (id),
  constraint credit_once unique (provider, settlement_ref),
  constraint credit_amounts check (amount_token > 0 and value_usd > 0 and net_usd >= 0 and fee_usd >= 0
    and wallet_amount >= 0 and debt_repaid between 0 and wallet_amount),
  constraint credit_is_posted check ((journal_id is null) = (net_usd + fee_usd = 0))
);
comment on column deposits.credit.value_usd is 'US dollars, exact: what the provider converted it into, else tokens by rate';
comment on column deposits.credit.rate_sources is 'where the rate is from';
comment on column deposits.credit.net_usd is 'US cents for the wallet, fee_usd for the provider: together the value, rounded down once for the deposit';
comment on column deposits.credit.wallet_amount is 'cents of the wallet''s currency at usd_per_eur_micros, rounded down';
comment on column deposits.credit.debt_repaid is 'the part of wallet_amount that repaid what the owner owed';
comment on column deposits.credit.is_unclaimed is 'its account was deleted: the amount is in the account unclaimed_deposits';
create index credit_of_deposit on deposits.credit (deposit_id);
create index credit_of_payment on deposits.credit (lower(split_part(split_part(settlement_ref, '/', 2), '#', 1)))
  where provider = 'gateway';

-- What was taken back: refunds by a provider, transfers that a chain gave up. Only added to.
create table deposits.reversal (
  id uuid not null default uuidv7(),
  deposit_id uuid not null,
  provider text not null,
  refund_ref text not null,
  amount_token numeric(57,18) not null,
  wallet_amount bigint not null,
  owed bigint not null,
  net_usd bigint not null,
  fee_usd bigint not null,
  journal_id uuid,
  created_at timestamptz not null,
  constraint reversal_pkey primary key (id),
  constraint reversal_deposit foreign key (deposit_id) references deposits.deposit (id),
  constraint reversal_once unique (provider, refund_ref),
  constraint reversal_amounts check (amount_token > 0 and wallet_amount >= 0 and owed between 0 and wallet_amount
    and net_usd >= 0 and fee_usd >= 0),
  constraint reversal_is_posted check ((journal_id is null) = (net_usd + fee_usd + wallet_amount = 0))
);
comment on column deposits.reversal.owed is 'the part of wallet_amount, cents, that the wallet did not cover: a debt of the owner';
create index reversal_of_deposit on deposits.reversal (deposit_id);
-- For the comparison with providers' statements.
create index credit_recent on deposits.credit (provider, created_at);
create index reversal_recent on deposits.reversal (provider, created_at);

-- How far each provider's statement was compared with the books.
create table deposits.statement_check (
  provider text not null,
  compared_until timestamptz not null,
  constraint statement_check_pkey primary key (provider)
);

-- What a provider's statement and the books disagree about. One comparison may be early: it counts when the
-- next one finds it too, until it is no longer so or an operator has explained it.
create table deposits.statement_difference (
  provider text not null,
  kind text not null,
  ref text not null,
  problem text not null,
  deposit_id uuid,
  at timestamptz not null,
  facts jsonb not null,
  sightings integer not null default 1,
  first_seen_at timestamptz not null,
  explained_at timestamptz,
  explained_by text,
  constraint statement_difference_pkey primary key (provider, kind, ref),
  constraint statement_difference_kind_known check (kind in ('payment', 'refund')),
  constraint statement_difference_problem_known check (problem in ('missing in books', 'amount differs', 'missing at provider')),
  constraint statement_difference_explained_by_someone check ((explained_at is null) = (explained_by is null))
);
comment on column deposits.statement_difference.at is 'the next statement begins before this moment';

-- Where the next statement begins, and the books with it. Two hours overlap the comparison before; the first
-- one goes back a day. A payment is never older than its deposit.
create function deposits.statement_window(provider_ text, until_ timestamptz,
  out statement_from timestamptz, out books_from timestamptz)
language sql stable as $$
  with since as (
    select coalesce((select c.compared_until - interval '2 hours' from deposits.statement_check c
      where c.provider = provider_), until_ - interval '1 day') moment)
  select least(since.moment,
      (select min(s.at) from deposits.statement_difference s where s.provider = provider_ and s.explained_at is null),
      (select min(d.created_at) from deposits.credit c join deposits.deposit d on d.id = c.deposit_id
        where c.provider = provider_ and c.created_at between since.moment and until_),
      (select min(d.created_at) from deposits.reversal r join deposits.deposit d on d.id = r.deposit_id
        where r.provider = provider_ and r.created_at between since.moment and until_))
      - interval '2 minutes', since.moment
  from since $$;

-- A settled payment whose amount or moment cannot be meant: credited only after an operator has released it.
create table deposits.held_payment (
  id uuid not null default uuidv7(),
  deposit_id uuid not null,
  provider text not null,
  settlement_ref text not null,
  amount_token numeric(57,18),
  value_usd numeric(75,36),
  problem text not null,
  state text not null default 'held',
  held_at timestamptz not null,
  decided_by text,
  decided_at timestamptz,
  decision_reason text,
  constraint held_payment_pkey primary key (id),
  constraint held_payment_deposit foreign key (deposit_id) references deposits.deposit (id),
  constraint held_payment_once unique (provider, settlement_ref),
  constraint held_payment_state_known check (state in ('held', 'released', 'refused')),
  constraint held_payment_release_has_value check (state <> 'released'
    or (coalesce(amount_token, 0) > 0 and coalesce(value_usd, 0) > 0)),
  constraint held_payment_decided_for_a_reason check ((state = 'held') = (decided_by is null)
    and (state = 'held') = (decided_at is null) and (state = 'held') = (coalesce(decision_reason, '') = ''))
);
comment on column deposits.held_payment.value_usd is 'US dollars, exact, as an operator sees it and as it is credited; null when it cannot be valued';
create index held_payment_of_deposit on deposits.held_payment (deposit_id);
create index held_payment_waiting on deposits.held_payment (id) where state = 'held';
create index held_payment_of_payment on deposits.held_payment (lower(split_part(split_part(settlement_ref, '/', 2), '#', 1)))
  where provider = 'gateway';

create trigger credit_append_only before update or delete or truncate on deposits.credit
  for each statement execute function ledger.deny();
create trigger reversal_append_only before update or delete or truncate on deposits.reversal
  for each statement execute function ledger.deny();

-- ---------------------------------------------------------------- how a deposit begins

-- The functions that work on a batch restrict the planner to the indexes: a plan that is made while there are few
-- deposits must not read all of them later.

-- Creates deposits from quotes, each with the intent of its order, in one commit. The providers are called after it, and
-- they are listed once their makers can be answered. One that is refused refuses all of them. Returns their ids in the
-- order of the quotes.
--   PT410: a quote was used; the detail is the deposit that used it, empty while it is not listed
--   account_exists, account_is_active: an account was deleted or suspended meanwhile
create function deposits.create_deposits(deposits_ jsonb) returns setof uuid
language plpgsql
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  made_ record;
begin
  with quoted as materialized (
    select uuidv7() id, q.* from rows from (jsonb_to_recordset(deposits_) as (
      method text, tenant_id uuid, account_id uuid, currency ledger.currency, quote_id uuid, token text, chain text,
      pay_amount numeric, pay_usd bigint, receive_usd bigint, receive_amount bigint, usd_per_token numeric,
      fee_bps integer, details jsonb, expires_at timestamptz, at timestamptz, look_at timestamptz)) with ordinality q),
  created as (
    insert into deposits.deposit as n (id, method, tenant_id, account_id, currency, quote_id, token, chain, pay_amount, pay_usd,
        receive_usd, receive_amount, usd_per_token, fee_bps, expires_at, is_listed, created_at, updated_at)
      select q.id, q.method, q.tenant_id, q.account_id, q.currency, q.quote_id, q.token, q.chain, q.pay_amount, q.pay_usd,
        q.receive_usd, q.receive_amount, q.usd_per_token, q.fee_bps, q.expires_at, false, q.at, q.at
      from quoted q order by q.ordinality
      on conflict (quote_id) do nothing returning n.id),
  intent as (
    insert into deposits.provider_order (deposit_id, account_id, provider, details, asked_at, due_at)
      select q.id, q.account_id, q.method, q.details, q.at, q.look_at
      from quoted q where q.id in (select c.id from created c))
  select array_agg(q.id order by q.ordinality) ids, array_agg(q.account_id order by q.ordinality) accounts,
      (min(q.quote_id::text) filter (where q.id not in (select c.id from created c)))::uuid used
    into made_ from quoted q;
  if made_.used is not null then
    raise exception 'the quote was used' using errcode = 'PT410',
      detail = coalesce((select d.id::text from deposits.deposit d where d.quote_id = made_.used and d.is_listed), '');
  end if;
  perform identity.lock_active_account(a.id) from unnest(made_.accounts) a (id);
  return query select unnest(made_.ids);
end $$;

-- Locks orders in the one order in which all that write several take them: an update alone locks them in the
-- order of its plan, and two of them would wait for each other.
create function deposits.lock_orders(deposit_ids_ uuid[]) returns void
language plpgsql as $$
begin
  perform from deposits.provider_order o where o.deposit_id = any (deposit_ids_) order by o.account_id, o.deposit_id
    for no key update;
end $$;

-- The providers have taken the orders: what they answered is recorded, by a look unless another one has done so. Those
-- that are answered to their makers are listed from now on; their next look is set in place of `first_look_at`, and one
-- that a notice or a worker has set meanwhile stays. Returns the deposits and what their payers need. The locks are taken
-- in the order of deposits.apply_reads. What `is_found_again_` by a look does not wait for the disk: if it is lost with the
-- database's memory, the look that was set with the intent records it again.
-- A deposit holds a close of its account back from the moment at which it is listed. Its maker is answered, and it is
-- listed, while the account is kept: a close that came between the intent and the answer has it refused.
--   account_exists: the account of a deposit that is to be listed was deleted meanwhile
create function deposits.place_orders(orders_ jsonb, is_found_again_ boolean) returns table (deposit deposits.deposit, details jsonb)
language plpgsql
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  ids_ uuid[] := array(select p.deposit_id from jsonb_to_recordset(orders_) p (deposit_id uuid));
  closed_ uuid;
begin
  if is_found_again_ then perform set_config('synchronous_commit', 'off', true); end if;
  perform from deposits.deposit d where d.id = any (ids_) order by d.account_id, d.id for no key update;
  select o.account_id into closed_
    from identity.lock_owners(array(
      select p.account_id from jsonb_to_recordset(orders_) p (account_id uuid, look_at timestamptz) where p.look_at is not null)) o
    where o.status = 'deleted' limit 1;
  if found then
    raise exception 'account % does not exist', closed_ using errcode = '23503', constraint = 'account_exists';
  end if;
  perform deposits.lock_orders(ids_);
  with answered as materialized (
    select * from jsonb_to_recordset(orders_) p (
      deposit_id uuid, provider_order_id text, details jsonb, address text, pay_amount numeric, expires_at timestamptz,
      at timestamptz, first_look_at timestamptz, look_at timestamptz)),
  placed as (
    update deposits.provider_order o set state = 'placed',
        provider_order_id = coalesce(p.provider_order_id, o.provider_order_id),
        details = o.details || p.details, misses = 0,
        due_at = case when o.due_at = p.first_look_at then p.look_at else o.due_at end
      from answered p
      where o.deposit_id = any (ids_) and p.deposit_id = o.deposit_id and (o.state in ('creating', 'absent') or p.look_at is not null)
      returning o.deposit_id)
  update deposits.deposit d set address = coalesce(p.address, d.address), pay_amount = coalesce(p.pay_amount, d.pay_amount),
      expires_at = coalesce(p.expires_at, d.expires_at), updated_at = p.at
    from answered p
    where d.id = any (ids_) and p.deposit_id = d.id and d.id in (select o.deposit_id from placed o);
  -- A look sets no next one here.
  perform deposits.begin_listing(array(
    select p.deposit_id from jsonb_to_recordset(orders_) p (deposit_id uuid, look_at timestamptz) where p.look_at is not null));
  return query select d, o.details
    from deposits.deposit d join deposits.provider_order o on o.deposit_id = d.id where d.id = any (ids_);
end $$;

-- ---------------------------------------------------------------- looks at orders

-- Takes due orders until `lease_until_`, the longest due first. The settings restrict the planner to the
-- indexes: few of many orders are due.
create function deposits.claim_orders(
  provider_ text, at_ timestamptz, lease_until_ timestamptz, limit_ integer)
  returns setof deposits.provider_order rows 16
language plpgsql
set enable_seqscan = off set enable_sort = off set enable_bitmapscan = off as $$
begin
  -- A lease, a next look or a notice that is lost with the database's memory is a look that comes again: no
  -- reason to wait for the disk. The setting ends with the transaction.
  perform set_config('synchronous_commit', 'off', true);
  return query
    update deposits.provider_order o set leased_until = lease_until_
    where o.deposit_id = any (array(
      select q.deposit_id from deposits.provider_order q where q.provider = provider_ and q.due_at <= at_
        and (q.leased_until is null or q.leased_until <= at_)
      order by q.due_at limit limit_ for update skip locked))
    returning o.*;
end $$;

-- Sets the next look after one that changed nothing else, unless a notice has asked for one since the claim.
-- Null: never again.
create function deposits.schedule_look(
  deposit_id_ uuid, lease_until_ timestamptz, due_at_ timestamptz, misses_ integer) returns void
language plpgsql as $$
begin
  perform set_config('synchronous_commit', 'off', true);
  update deposits.provider_order o set due_at = due_at_, misses = misses_, leased_until = null
    where o.deposit_id = deposit_id_ and o.leased_until = lease_until_;
end $$;

-- Notices: the orders, each named by us or by its provider, are due at once, and the workers of their providers
-- are woken. A notice that is lost is made up for by the next look, which comes without any. Returns the places
-- in the arrays, from 1, of those that a deposit has. A lease ends, so that its look cannot set the next one. The
-- locks are taken in the order of deposits.apply_reads.
create function deposits.make_due(
  providers_ text[], deposit_ids_ uuid[], provider_order_ids_ text[], at_ timestamptz) returns setof integer
language plpgsql
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  places_ integer[];
  ids_ uuid[];
  provider_ text;
begin
  perform set_config('synchronous_commit', 'off', true);
  select array_agg(n.place::integer), array_agg(o.deposit_id) into places_, ids_
    from unnest(providers_, deposit_ids_, provider_order_ids_) with ordinality n (provider, deposit_id, provider_order_id, place)
    cross join lateral (
      -- By its id alone: a plan that is made while there are few orders may else read all of a provider.
      select i.deposit_id from (
        select s.deposit_id, s.provider from deposits.provider_order s where s.deposit_id = n.deposit_id limit 1) i
        where i.provider = n.provider
      union all
      select p.deposit_id from deposits.provider_order p
        where p.provider = n.provider and p.provider_order_id = n.provider_order_id) o;
  if places_ is null then return; end if;
  perform deposits.lock_orders(ids_);
  for provider_ in
    with due as (
      update deposits.provider_order o set due_at = at_, leased_until = null
        where o.deposit_id = any (ids_) returning o.provider)
    select distinct due.provider from due loop
    perform pg_notify('deposits_due_' || provider_, '');
  end loop;
  return query select unnest(places_);
end $$;

-- ---------------------------------------------------------------- steps

-- One step of a deposit whose row is locked.
create type deposits.step as (
  deposit_id uuid, tenant_id uuid, account_id uuid, from_status deposits.status, to_status deposits.status, at timestamptz);

-- A step that does not exist is an error of the caller, who has decided under the locks.
create function deposits.check_steps(steps_ deposits.step[]) returns void
language plpgsql as $$
declare odd_ record;
begin
  select s.from_status, s.to_status into odd_ from unnest(steps_) s
    where not exists (select from deposits.transition t where t.from_status = s.from_status and t.to_status = s.to_status)
    limit 1;
  if found then
    raise exception 'there is no step of a deposit from % to %', odd_.from_status, odd_.to_status using errcode = 'PT500';
  end if;
end $$;

create function deposits.is_listed(deposit_id_ uuid) returns boolean
language sql stable as $$ select d.is_listed from deposits.deposit d where d.id = deposit_id_ $$;

-- The event of each step, unless its deposit is not listed. A status may be reached a second time after a refund; the row
-- locks keep each event to its step.
create function deposits.emit_steps(steps_ deposits.step[]) returns void
language sql as $$
  select outbox.add_all(array_agg(e.type order by e.place), 'deposit', array_agg(e.tenant_id order by e.place),
    array_agg(e.account_id order by e.place), array_agg(e.deposit_id order by e.place), array_agg(e.dedupe_id order by e.place),
    array_agg(e.at order by e.place))
  from (
    select 'deposit.' || s.to_status type, s.tenant_id, s.account_id, s.deposit_id, s.at, s.ordinality place,
      case when outbox.has_event('deposit.' || s.to_status, s.deposit_id) then uuidv7() else s.deposit_id end dedupe_id
    from unnest(steps_) with ordinality s where deposits.is_listed(s.deposit_id)) e $$;

-- The functions about one deposit take it with its row locked and return it as it is to be written: what one commit
-- does to a deposit is one update of its row.

-- One step, with its event.
create function deposits.take_step(
  deposit_ deposits.deposit, to_ deposits.status, reason_ text, substate_ text, at_ timestamptz, emits_ boolean default true)
  returns deposits.deposit
language plpgsql as $$
declare
  step_ deposits.step := (deposit_.id, deposit_.tenant_id, deposit_.account_id, deposit_.status, to_, at_);
begin
  if deposit_.status = to_ and (deposit_.substate, deposit_.reason) is not distinct from (substate_, reason_) then
    return deposit_;
  end if;
  deposit_.reason := reason_; deposit_.substate := substate_; deposit_.updated_at := at_;
  if deposit_.status = to_ then return deposit_; end if;
  perform deposits.check_steps(array[step_]);
  deposit_.status := to_;
  if to_ = 'completed' then deposit_.completed_at := at_; end if;
  if emits_ then perform deposits.emit_steps(array[step_]); end if;
  return deposit_;
end $$;

create function deposits.write(deposit_ deposits.deposit) returns void
language sql as $$
  update deposits.deposit d set status = deposit_.status, reason = deposit_.reason, substate = deposit_.substate,
      received_amount = deposit_.received_amount, credited = deposit_.credited, credited_usd = deposit_.credited_usd,
      fee_usd = deposit_.fee_usd, reversed = deposit_.reversed, updated_at = deposit_.updated_at,
      completed_at = deposit_.completed_at
    where d.id = deposit_.id $$;

-- One step alone: state and event in one commit. False when it stands there already.
create function deposits.move(deposit_id_ uuid, to_ deposits.status, reason_ text, substate_ text, at_ timestamptz)
  returns boolean
language plpgsql as $$
declare
  deposit_ deposits.deposit;
  moved_ deposits.deposit;
begin
  select d.* into strict deposit_ from deposits.deposit d where d.id = deposit_id_ for no key update;
  moved_ := deposits.take_step(deposit_, to_, reason_, substate_, at_);
  if moved_ is distinct from deposit_ then perform deposits.write(moved_); end if;
  return moved_.status <> deposit_.status;
end $$;

-- The clearing account of a deposit's method.
create function deposits.clearing_of(method_ text) returns text
language sql immutable as $$
  select case method_ when 'gateway' then 'clearing_gateway' when 'onramp' then 'clearing_onramp'
    else 'clearing_chain' end $$;

-- A settled payment or transfer that is to be credited. take_credits fills in what follows `at`.
create type deposits.crediting as (
  deposit_id uuid, provider text, settlement_ref text, amount_token numeric, value_usd numeric, rate_sources jsonb,
  net_usd bigint, fee_usd bigint, usd_per_eur_micros bigint, at timestamptz,
  account_id uuid, method text, currency ledger.currency, is_unclaimed boolean, wallet_amount bigint,
  wallet bigint, debt bigint, journal_id uuid);

-- The postings of credits: the fee, what an exchange into the wallet's currency takes, what repays the owner's debt,
-- and the rest.
create function deposits.credit_legs(credits_ deposits.crediting[], repaid_ bigint[]) returns ledger.leg[]
language sql stable as $$
  -- The accounts of the service are looked up once for a batch.
  with own as materialized (
    select k.method, k.currency, ledger.house(deposits.clearing_of(k.method), 'USD') clearing,
      ledger.house('deposit_fees', 'USD') fees, ledger.house('exchange', 'USD') dollars,
      case when k.currency <> 'USD' then ledger.house('exchange', k.currency) end exchange
    from (select distinct c.method, c.currency from unnest(credits_) c) k)
  select array_agg((c.journal_id, leg.currency, leg.debit, leg.credit, leg.amount)::ledger.leg order by c.ordinality, leg.place)
  from unnest(credits_) with ordinality c
    join own a on a.method = c.method and a.currency = c.currency
    cross join lateral (values
      (1, 'USD'::ledger.currency, a.clearing, a.fees, c.fee_usd),
      (2, 'USD', a.clearing, a.dollars, case when a.exchange is null then 0 else c.net_usd end),
      (3, c.currency, coalesce(a.exchange, a.clearing), c.debt, repaid_[c.ordinality]),
      (4, c.currency, coalesce(a.exchange, a.clearing), c.wallet, c.wallet_amount - repaid_[c.ordinality]))
      leg (place, currency, debit, credit, amount)
  where leg.amount > 0 $$;

-- Credits settled payments and transfers, each once: postings and rows. The rows of their deposits are locked, and
-- written by the caller. Amounts are computed by modules/crypto/deposits/amounts.ts; what the owner owes is repaid first.
-- Returns what was credited; null: nothing, all of it was credited before. A payment that is credited to another
-- deposit, or that an operator has to decide about, is an error of the caller.
create function deposits.take_credits(credits_ deposits.crediting[]) returns deposits.crediting[]
language plpgsql
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  taken_ deposits.crediting[];
  repaid_ bigint[];
  odd_ record;
begin
  select c.settlement_ref, c.provider into odd_
    from unnest(credits_) c join deposits.credit k on k.provider = c.provider and k.settlement_ref = c.settlement_ref
    where k.deposit_id <> c.deposit_id limit 1;
  if found then
    raise exception 'payment % of % is credited to another deposit', odd_.settlement_ref, odd_.provider using errcode = 'PT500';
  end if;
  select array_agg((c.deposit_id, c.provider, c.settlement_ref, c.amount_token, c.value_usd, c.rate_sources, c.net_usd,
      c.fee_usd, c.usd_per_eur_micros, c.at, o.account_id, d.method, d.currency, o.status = 'deleted',
      pricing.convert_rounded_down(c.net_usd, 'USD', d.currency, c.usd_per_eur_micros),
      case when o.status = 'deleted' then ledger.house('unclaimed_deposits', d.currency)
        else ledger.account_of(o.account_id, 'spot') end,
      case when o.status <> 'deleted' then ledger.account_of(o.account_id, 'deposit_debt') end,
      case when c.net_usd + c.fee_usd > 0 then uuidv7() end)::deposits.crediting order by c.ordinality)
    into taken_
    from unnest(credits_) with ordinality c
      cross join lateral (
        select s.account_id, s.method, s.currency from deposits.deposit s where s.id = c.deposit_id limit 1) d
      join identity.lock_owners(array(
        select s.account_id from deposits.deposit s where s.id = any (array(select k.deposit_id from unnest(credits_) k)))) o
        on o.account_id = d.account_id
    where not exists (
      select from deposits.credit k where k.provider = c.provider and k.settlement_ref = c.settlement_ref);
  if taken_ is null then return null; end if;
  select t.settlement_ref, t.provider into odd_
    from unnest(taken_) t join deposits.held_payment h on h.provider = t.provider and h.settlement_ref = t.settlement_ref
    where (h.state, h.value_usd) is distinct from ('released', t.value_usd) limit 1;
  if found then
    raise exception 'payment % of % is held back', odd_.settlement_ref, odd_.provider using errcode = 'PT500';
  end if;

  if exists (select from unnest(taken_) t where t.debt is not null) then
    perform ledger.lock_accounts(array(select unnest(array[t.wallet, t.debt]) from unnest(taken_) t));
  end if;
  -- Of several credits of one owner the first ones repay the debt, as far as it goes.
  repaid_ := array(
    select case when t.debt is null then 0 else greatest(0, least(t.wallet_amount, -ledger.lock_balance(t.debt)
        - coalesce(sum(t.wallet_amount) over (
            partition by t.debt order by t.ordinality rows between unbounded preceding and 1 preceding), 0))) end
    from unnest(taken_) with ordinality t order by t.ordinality);
  perform ledger.post_new('deposit', array_agg(j.journal_id order by j.ordinality),
      array_agg(j.deposit_id order by j.ordinality), array_agg(j.account_id order by j.ordinality),
      array_agg('deposit:' || j.provider || ':' || j.settlement_ref order by j.ordinality),
      array_agg(uuid_send(j.deposit_id) order by j.ordinality), array_agg(j.at order by j.ordinality),
      array_agg(j.deposit_id::text order by j.ordinality), deposits.credit_legs(taken_, repaid_))
    from unnest(taken_) with ordinality j where j.journal_id is not null;

  insert into deposits.credit (deposit_id, provider, settlement_ref, amount_token, value_usd, rate_sources,
      net_usd, fee_usd, usd_per_eur_micros, wallet_amount, debt_repaid, is_unclaimed, journal_id, created_at)
    select t.deposit_id, t.provider, t.settlement_ref, t.amount_token, t.value_usd, t.rate_sources,
      t.net_usd, t.fee_usd, t.usd_per_eur_micros, t.wallet_amount, repaid_[t.ordinality], t.is_unclaimed,
      t.journal_id, t.at
    from unnest(taken_) with ordinality t order by t.ordinality;
  return taken_;
end $$;

-- One credit alone, in one commit with the deposit's row. `credited` is false when it was credited before.
create function deposits.credit_payment(
  deposit_id_ uuid, provider_ text, settlement_ref_ text, amount_token_ numeric, value_usd_ numeric,
  rate_sources_ jsonb, net_usd_ bigint, fee_usd_ bigint, usd_per_eur_micros_ bigint, at_ timestamptz,
  out credited boolean, out wallet_amount bigint, out is_unclaimed boolean)
language plpgsql as $$
declare
  deposit_ deposits.deposit;
  taken_ deposits.crediting;
begin
  select d.* into strict deposit_ from deposits.deposit d where d.id = deposit_id_ for no key update;
  taken_.deposit_id := deposit_id_; taken_.provider := provider_; taken_.settlement_ref := settlement_ref_;
  taken_.amount_token := amount_token_; taken_.value_usd := value_usd_; taken_.rate_sources := rate_sources_;
  taken_.net_usd := net_usd_; taken_.fee_usd := fee_usd_; taken_.usd_per_eur_micros := usd_per_eur_micros_; taken_.at := at_;
  taken_ := (deposits.take_credits(array[taken_]))[1];
  credited := taken_.deposit_id is not null;
  wallet_amount := coalesce(taken_.wallet_amount, 0); is_unclaimed := coalesce(taken_.is_unclaimed, false);
  if not credited then return; end if;
  -- What a transfer brings is known before it is credited.
  if deposit_.method <> 'crypto' then deposit_.received_amount := deposit_.received_amount + amount_token_; end if;
  deposit_.credited := deposit_.credited + wallet_amount;
  deposit_.credited_usd := deposit_.credited_usd + net_usd_;
  deposit_.fee_usd := deposit_.fee_usd + fee_usd_;
  deposit_.updated_at := at_;
  perform deposits.write(deposit_);
end $$;

-- Holds a payment back for an operator. One that is known and reads as before stays as it is; a released one
-- that reads otherwise now is held again.
create function deposits.hold_payment(
  deposit_id_ uuid, provider_ text, settlement_ref_ text, amount_token_ numeric, value_usd_ numeric, problem_ text,
  at_ timestamptz) returns void
language sql as $$
  insert into deposits.held_payment as h (deposit_id, provider, settlement_ref, amount_token, value_usd, problem, held_at)
    values (deposit_id_, provider_, settlement_ref_, amount_token_, value_usd_, problem_, at_)
    on conflict (provider, settlement_ref) do update set amount_token = amount_token_, value_usd = value_usd_,
      problem = problem_, state = 'held', held_at = at_, decided_by = null, decided_at = null, decision_reason = null
    where h.deposit_id = deposit_id_ and h.state <> 'refused'
      and (h.amount_token, h.value_usd, h.problem) is distinct from (amount_token_, value_usd_, problem_) $$;

-- An operator's decision about a held payment; its order is looked at again at once. False when it does not
-- wait, or is to be released and cannot be valued.
create function deposits.decide_held(id_ uuid, state_ text, by_ text, reason_ text, at_ timestamptz) returns boolean
language plpgsql as $$
declare
  deposit_id_ uuid;
  provider_ text;
begin
  update deposits.held_payment h set state = state_, decided_by = by_, decided_at = at_, decision_reason = reason_
    where h.id = id_ and h.state = 'held' and (state_ = 'refused' or (h.amount_token > 0 and h.value_usd > 0))
    returning h.deposit_id into deposit_id_;
  if not found then return false; end if;
  update deposits.provider_order o set due_at = at_, leased_until = null where o.deposit_id = deposit_id_
    returning o.provider into provider_;
  perform pg_notify('deposits_due_' || provider_, '');
  return true;
end $$;

-- Takes back what was credited for a part of what was received, each refund once. The shares are of the whole
-- deposit and rounded up, so that a full refund takes back exactly all of it. What the wallet does not cover
-- becomes a debt of its owner; of an owner that was deleted it is the service's, in `unclaimed_deposits`. The lock
-- of the owner holds a close back: it sees the debt, or the debt is not opened.
create function deposits.take_reversal(
  inout deposit_ deposits.deposit, provider_ text, refund_ref_ text, amount_token_ numeric, to_ deposits.status,
  reason_ text, at_ timestamptz, out reversed boolean, out wallet_amount bigint, out owed bigint)
language plpgsql as $$
declare
  reversal_id_ uuid := uuidv7();
  journal_id_ uuid;
  credit_ record;
  before_ record;
  owner_ record;
  share_ numeric;
  net_ bigint;
  fee_ bigint;
  clearing_ bigint;
  wallet_ bigint;
  debt_ bigint;
  currencies_ ledger.currency[] := '{}';
  debits_ bigint[] := '{}';
  credits_ bigint[] := '{}';
  amounts_ bigint[] := '{}';
begin
  reversed := not exists (select from deposits.reversal r where r.provider = provider_ and r.refund_ref = refund_ref_);
  wallet_amount := 0; owed := 0;
  if not reversed then return; end if;

  select coalesce(sum(c.amount_token), 0) tokens, coalesce(sum(c.wallet_amount), 0) wallet, coalesce(sum(c.net_usd), 0) net,
      coalesce(sum(c.fee_usd), 0) fee, coalesce(bool_or(c.is_unclaimed), false) unclaimed,
      case when count(*) = 1 then min(c.journal_id::text)::uuid end journal_id
    into credit_ from deposits.credit c where c.deposit_id = deposit_.id;
  select coalesce(sum(r.amount_token), 0) tokens, coalesce(sum(r.wallet_amount), 0) wallet, coalesce(sum(r.net_usd), 0) net,
      coalesce(sum(r.fee_usd), 0) fee
    into before_ from deposits.reversal r where r.deposit_id = deposit_.id;
  share_ := case when credit_.tokens = 0 then 0
    else least(1, (before_.tokens + amount_token_) / credit_.tokens) end;
  net_ := ceil(credit_.net * share_) - before_.net;
  fee_ := ceil(credit_.fee * share_) - before_.fee;
  wallet_amount := ceil(credit_.wallet * share_) - before_.wallet;
  clearing_ := ledger.house(deposits.clearing_of(deposit_.method), 'USD');

  if fee_ > 0 then
    currencies_ := currencies_ || 'USD'::ledger.currency; debits_ := debits_ || ledger.house('deposit_fees', 'USD');
    credits_ := credits_ || clearing_; amounts_ := amounts_ || fee_;
  end if;
  if deposit_.currency <> 'USD' and net_ > 0 then
    currencies_ := currencies_ || 'USD'::ledger.currency; debits_ := debits_ || ledger.house('exchange', 'USD');
    credits_ := credits_ || clearing_; amounts_ := amounts_ || net_;
    clearing_ := ledger.house('exchange', deposit_.currency);
  end if;
  if wallet_amount > 0 then
    if credit_.unclaimed then
      wallet_ := ledger.house('unclaimed_deposits', deposit_.currency);
    else
      select o.* into strict owner_ from identity.lock_owners(array[deposit_.account_id]) o;
      wallet_ := ledger.account_of(deposit_.account_id, 'spot');
      debt_ := case owner_.status when 'deleted' then ledger.house('unclaimed_deposits', deposit_.currency)
        else ledger.open_account(deposit_.account_id, 'deposit_debt', deposit_.currency) end;
      perform ledger.lock_accounts(array[wallet_, debt_]);
      owed := greatest(0, wallet_amount - ledger.lock_balance(wallet_));
    end if;
    if wallet_amount > owed then
      currencies_ := currencies_ || deposit_.currency; debits_ := debits_ || wallet_;
      credits_ := credits_ || clearing_; amounts_ := amounts_ || (wallet_amount - owed);
    end if;
    if owed > 0 then
      currencies_ := currencies_ || deposit_.currency; debits_ := debits_ || debt_;
      credits_ := credits_ || clearing_; amounts_ := amounts_ || owed;
    end if;
  end if;
  if cardinality(amounts_) > 0 then
    journal_id_ := (ledger.post('deposit_reversal', deposit_.id, deposit_.account_id,
      'deposit_reversal:' || provider_ || ':' || refund_ref_, uuid_send(deposit_.id), at_, currencies_, debits_, credits_,
      amounts_, deposit_.id::text, case when share_ = 1 and before_.tokens = 0 then credit_.journal_id end)).journal_id;
  end if;

  insert into deposits.reversal (id, deposit_id, provider, refund_ref, amount_token, wallet_amount, owed, net_usd, fee_usd,
      journal_id, created_at)
    values (reversal_id_, deposit_.id, provider_, refund_ref_, amount_token_, take_reversal.wallet_amount,
      take_reversal.owed, net_, fee_, journal_id_, at_);
  deposit_.reversed := deposit_.reversed + wallet_amount;
  deposit_.updated_at := at_;
  deposit_ := deposits.take_step(deposit_, to_, reason_, null, at_, false);
  -- An event for each reversal: a deposit may be refunded in parts, or have failed once before.
  perform outbox.add('deposit.' || to_, 'deposit', deposit_.tenant_id, deposit_.account_id, deposit_.id,
    jsonb_build_object('refundId', reversal_id_), reversal_id_, at_);
end $$;

-- One reversal alone, in one commit with the deposit's row.
create function deposits.reverse_payment(
  deposit_id_ uuid, provider_ text, refund_ref_ text, amount_token_ numeric, to_ deposits.status, reason_ text,
  at_ timestamptz, out reversed boolean, out wallet_amount bigint, out owed bigint)
language plpgsql as $$
declare
  deposit_ deposits.deposit;
  taken_ record;
begin
  select d.* into strict deposit_ from deposits.deposit d where d.id = deposit_id_ for no key update;
  taken_ := deposits.take_reversal(deposit_, provider_, refund_ref_, amount_token_, to_, reason_, at_);
  reversed := taken_.reversed; wallet_amount := taken_.wallet_amount; owed := taken_.owed;
  if reversed then perform deposits.write(taken_.deposit_); end if;
end $$;

-- As it was; what money has reached is listed from the same commit on.
create function deposits.apply_reads(reads_ jsonb, credits_ jsonb, reversals_ jsonb)
  returns table (applied boolean, is_unclaimed boolean, owed bigint)
language plpgsql
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  ids_ uuid[];
  steps_ deposits.step[];
  taken_ deposits.crediting[];
  reversed_ uuid[];
  owed_ bigint[];
begin
  perform from deposits.deposit d
    where d.id = any (array(select r.deposit_id from jsonb_to_recordset(reads_) r (deposit_id uuid)))
    order by d.account_id, d.id for no key update;
  ids_ := array(
    select d.id from jsonb_to_recordset(reads_) r (deposit_id uuid, "version" text)
      cross join lateral (select s.id, s.xmin::text "version" from deposits.deposit s where s.id = r.deposit_id limit 1) d
    where d."version" = r."version");
  perform deposits.begin_listing(array(
    select r.deposit_id from jsonb_to_recordset(reads_) r (deposit_id uuid, is_payment_seen boolean, to_status deposits.status)
      where r.deposit_id = any (ids_) and (r.is_payment_seen or r.to_status in ('pending', 'partial', 'completed'))));
  taken_ := deposits.take_credits(array(
    select c from jsonb_populate_recordset(null::deposits.crediting, credits_) c where c.deposit_id = any (ids_)));

  steps_ := array(
    select (d.id, d.tenant_id, d.account_id, s.from_status, s.to_status, r.at)::deposits.step
    from rows from (jsonb_to_recordset(reads_) as (
        deposit_id uuid, is_payment_seen boolean, to_status deposits.status, at timestamptz)) with ordinality r
      cross join lateral (
        select t.*, case when r.is_payment_seen then 'pending' else t.status end seen
        from deposits.deposit t where t.id = r.deposit_id limit 1) d
      cross join lateral (values (1, d.status, d.seen), (2, d.seen, r.to_status)) s (place, from_status, to_status)
    where r.deposit_id = any (ids_) and s.from_status <> s.to_status
    order by r.ordinality, s.place);
  perform deposits.check_steps(steps_);
  perform deposits.emit_steps(steps_);
  update deposits.deposit d set status = r.to_status, reason = r.reason, substate = r.substate, updated_at = r.at,
      completed_at = case when r.to_status = 'completed' and d.status <> 'completed' then r.at else d.completed_at end,
      received_amount = d.received_amount + c.received, credited = d.credited + c.credited,
      credited_usd = d.credited_usd + c.credited_usd, fee_usd = d.fee_usd + c.fee_usd
    from jsonb_to_recordset(reads_) r (
        deposit_id uuid, to_status deposits.status, reason text, substate text, at timestamptz)
      cross join lateral (
        select coalesce(sum(t.amount_token), 0) received, coalesce(sum(t.wallet_amount), 0) credited,
          coalesce(sum(t.net_usd), 0) credited_usd, coalesce(sum(t.fee_usd), 0) fee_usd
        from unnest(taken_) t where t.deposit_id = r.deposit_id) c
    where d.id = any (ids_) and r.deposit_id = d.id;
  select array_agg(v.deposit_id), array_agg(p.owed) into reversed_, owed_
    from jsonb_to_recordset(reversals_) v (deposit_id uuid, provider text, refund_ref text, amount_token numeric, at timestamptz)
      cross join lateral deposits.reverse_payment(
        v.deposit_id, v.provider, v.refund_ref, v.amount_token, 'refunded', null, v.at) p
    where v.deposit_id = any (ids_);
  perform deposits.lock_orders(ids_);
  update deposits.provider_order o set due_at = r.due_at, misses = 0, leased_until = null
    from jsonb_to_recordset(reads_) r (deposit_id uuid, lease_until timestamptz, due_at timestamptz)
    where o.deposit_id = any (ids_) and r.deposit_id = o.deposit_id and o.leased_until = r.lease_until;
  return query
    select r.deposit_id = any (ids_),
      exists (select from unnest(taken_) t where t.deposit_id = r.deposit_id and t.is_unclaimed),
      (select coalesce(sum(o.cents), 0)::bigint from unnest(reversed_, owed_) o (deposit_id, cents) where o.deposit_id = r.deposit_id)
    from rows from (jsonb_to_recordset(reads_) as (deposit_id uuid)) with ordinality r order by r.ordinality;
end $$;

-- ---------------------------------------------------------------- chain transfers

-- A transfer that was first seen: one deposit for each, whatever is reported again.
create function deposits.record_transfer(
  transfer_id_ uuid, account_id_ uuid, chain_ text, token_ text, amount_token_ numeric, address_ text, tx_hash_ text,
  at_ timestamptz) returns uuid
language plpgsql as $$
declare
  id_ uuid;
  owner_ record;
begin
  select o.* into strict owner_ from identity.lock_owners(array[account_id_]) o;
  insert into deposits.deposit (method, tenant_id, account_id, currency, transfer_id, token, chain, received_amount,
      address, tx_hash, confirmations, created_at, updated_at)
    values ('crypto', owner_.tenant_id, account_id_, owner_.currency::ledger.currency, transfer_id_, token_, chain_,
      amount_token_, address_, tx_hash_, 0, at_, at_)
    on conflict (transfer_id) do nothing returning id into id_;
  if id_ is null then
    select d.id into strict id_ from deposits.deposit d where d.transfer_id = transfer_id_;
    return id_;
  end if;
  perform outbox.add('deposit.initiated', 'deposit', owner_.tenant_id, account_id_, id_, '{}', id_, at_);
  perform deposits.move(id_, 'pending', null, null, at_);
  return id_;
end $$;

-- From now on these are listed, as they are: what became of them before has no other event. Their rows are locked.
create function deposits.begin_listing(deposit_ids_ uuid[]) returns void
language plpgsql as $$
declare listed_ deposits.deposit[];
begin
  with listed as (
    update deposits.deposit d set is_listed = true where d.id = any (deposit_ids_) and not d.is_listed returning d.*)
  select array_agg(l order by l.id) into listed_ from listed l;
  if listed_ is null then return; end if;
  perform outbox.add_all(array_agg('deposit.initiated'::text), 'deposit', array_agg(l.tenant_id), array_agg(l.account_id),
    array_agg(l.id), array_agg(l.id), array_agg(l.created_at)) from unnest(listed_) l;
  perform deposits.emit_steps(array(
    select (l.id, l.tenant_id, l.account_id, 'initiated', l.status, l.updated_at)::deposits.step
    from unnest(listed_) l where l.status <> 'initiated'));
end $$;

-- The credit of what is recovered repays the debt in its own commit.
select ledger.add_journal_kind('deposit_debt_recovery');

-- Takes from the wallet of a payer what an account owes since before a moment, the oldest first, as far as it goes: a
-- posting for each deposit that is owed. Between two currencies at the rate of the day. Returns the cents of the account.
create function deposits.recover_debts(account_id_ uuid, before_ timestamptz, at_ timestamptz) returns bigint
language plpgsql as $$
declare
  payer_id_ uuid := identity.payer_of_debts(account_id_);
  own_ ledger.currency;
  other_ ledger.currency;
  wallet_ bigint := ledger.account_of(account_id_, 'spot');
  debt_account_ bigint := ledger.account_of(account_id_, 'deposit_debt');
  payer_ bigint := ledger.account_of(payer_id_, 'spot');
  debt_ record;
  rate_ bigint;
  cost_ bigint;
  amount_ bigint;
  key_ text;
  recovered_ bigint := 0;
begin
  if payer_id_ is null then return 0; end if;
  select max(o.currency) filter (where o.account_id = account_id_), max(o.currency) filter (where o.account_id = payer_id_)
    into strict own_, other_ from identity.lock_owners(array[account_id_, payer_id_]) o;
  if own_ <> other_ then rate_ := fx.usd_per_eur_at(at_); end if;
  if own_ <> other_ and rate_ is null then return 0; end if;
  perform ledger.lock_accounts(array[wallet_, debt_account_, payer_,
    case when own_ <> other_ then ledger.house('exchange', own_) end,
    case when own_ <> other_ then ledger.house('exchange', other_) end]);
  for debt_ in select d.* from ledger.open_debts(debt_account_) d where d.created_at < before_ loop
    -- The least that covers it.
    cost_ := pricing.convert_rounded_down(debt_.amount, own_, other_, rate_);
    if pricing.convert_rounded_down(cost_, other_, own_, rate_) < debt_.amount then cost_ := cost_ + 1; end if;
    cost_ := least(cost_, ledger.lock_balance(payer_));
    amount_ := least(debt_.amount, pricing.convert_rounded_down(cost_, other_, own_, rate_));
    exit when amount_ <= 0;
    key_ := 'deposit_debt_recovery:' || uuidv7();
    if own_ = other_ then
      perform ledger.post('deposit_debt_recovery', null, payer_id_, key_, convert_to(key_, 'UTF8'), at_,
        array[own_], array[payer_], array[wallet_], array[amount_], debt_.external_ref);
    else
      perform ledger.post('deposit_debt_recovery', null, payer_id_, key_, convert_to(key_, 'UTF8'), at_,
        array[other_, own_], array[payer_, ledger.house('exchange', own_)],
        array[ledger.house('exchange', other_), wallet_], array[cost_, amount_], debt_.external_ref);
    end if;
    recovered_ := recovered_ + amount_;
  end loop;
  return recovered_;
end $$;

-- Accounts of which something can be recovered now.
create function deposits.recoverable_debts(before_ timestamptz, limit_ integer) returns setof uuid
language sql stable as $$
  select o.id from ledger.owners_below_zero('deposit_debt', before_) o (id)
  where ledger.balance_of(identity.payer_of_debts(o.id), 'spot') > 0 limit limit_ $$;

-- ---------------------------------------------------------------- the auditor

-- As it was; a deposit that is not listed has no events, and no money.
create function deposits.audit(
  after_ uuid default '00000000-0000-0000-0000-000000000000',
  up_to_ uuid default 'ffffffff-ffff-ffff-ffff-ffffffffffff') returns table (invariant text, detail text)
language sql stable as $$
  select 'a deposit shows the sums of its credits and reversals', d.id::text
    from deposits.deposit d
      left join lateral (select coalesce(sum(wallet_amount), 0) wallet, coalesce(sum(net_usd), 0) net,
          coalesce(sum(fee_usd), 0) fee, coalesce(sum(amount_token), 0) tokens
        from deposits.credit where deposit_id = d.id) c on true
      left join lateral (select coalesce(sum(wallet_amount), 0) wallet from deposits.reversal where deposit_id = d.id) r on true
    where d.id > after_ and d.id <= up_to_
      and (d.credited <> c.wallet or d.credited_usd <> c.net or d.fee_usd <> c.fee or d.reversed <> r.wallet
        or (d.method <> 'crypto' and d.received_amount <> c.tokens))
  union all
  select 'a credit took its value from the clearing account of its method', c.id::text
    from deposits.deposit d join deposits.credit c on c.deposit_id = d.id
    where d.id > after_ and d.id <= up_to_
      and ledger.taken_under(d.account_id, 'deposit:' || c.provider || ':' || c.settlement_ref,
        deposits.clearing_of(d.method), 'USD') <> c.net_usd + c.fee_usd
  union all
  select 'a reversal gave its value back to the clearing account of its method', r.id::text
    from deposits.deposit d join deposits.reversal r on r.deposit_id = d.id
    where d.id > after_ and d.id <= up_to_
      and ledger.given_under(d.account_id, 'deposit_reversal:' || r.provider || ':' || r.refund_ref,
        deposits.clearing_of(d.method), 'USD') <> r.fee_usd + case d.currency when 'USD' then r.wallet_amount else r.net_usd end
  union all
  select 'a provider''s statement agrees with the books', s.provider || ' ' || s.kind || ' ' || s.ref || ': ' || s.problem
    from deposits.statement_difference s
    where s.sightings > 1 and s.explained_at is null
      and coalesce(s.deposit_id, '00000000-0000-0000-0000-000000000001') > after_
      and coalesce(s.deposit_id, '00000000-0000-0000-0000-000000000001') <= up_to_
  union all
  select 'a deposit is credited when and only when its status says so', d.id::text
    from deposits.deposit d
    where d.id > after_ and d.id <= up_to_
      and case
        when d.status in ('completed', 'partial') then not exists (select from deposits.credit c where c.deposit_id = d.id)
        when d.status in ('refunded', 'failed') then d.reversed <> d.credited and d.status = 'failed'
        else d.credited_usd + d.fee_usd <> 0 end
  union all
  select 'a deposit that money reached is listed', d.id::text
    from deposits.deposit d
    where d.id > after_ and d.id <= up_to_ and not d.is_listed
      and (d.status not in ('initiated', 'expired', 'failed') or d.credited_usd + d.fee_usd <> 0)
  union all
  select 'a deposit has the events of its beginning and of its status', d.id::text
    from deposits.deposit d
    where d.id > after_ and d.id <= up_to_ and d.is_listed
      and not (outbox.has_event('deposit.initiated', d.id)
        and (outbox.has_event('deposit.' || d.status, d.id) or exists (
          select from deposits.reversal r where r.deposit_id = d.id and outbox.has_event('deposit.' || d.status, r.id))))
$$;
