-- A deposit whose provider did not answer when it was made was listed and announced all the same, though its payer
-- could not pay it. It is neither until a look at its order shows that money has come.
alter table deposits.deposit add column is_listed boolean not null default true;
comment on column deposits.deposit.is_listed is 'false: its maker was not answered, and no money has come; no list has it and no event names it';

create function deposits.is_listed(deposit_id_ uuid) returns boolean
language sql stable as $$ select d.is_listed from deposits.deposit d where d.id = deposit_id_ $$;

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

-- Creates deposits from quotes, each with the intent of its order, in one commit. The providers are called after it, and
-- they are listed once their makers can be answered. One that is refused refuses all of them. Returns their ids in the
-- order of the quotes.
--   PT410: a quote was used; the detail is the deposit that used it, empty while it is not listed
--   account_exists, account_is_active: an account was deleted or suspended meanwhile
create or replace function deposits.create_deposits(deposits_ jsonb) returns setof uuid
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

-- The providers have taken the orders: what they answered is recorded, by a look unless another one has done so. Those
-- that are answered to their makers are listed from now on; their next look is set in place of `first_look_at`, and one
-- that a notice or a worker has set meanwhile stays. Returns the deposits and what their payers need. The locks are taken
-- in the order of deposits.apply_reads. What `is_found_again_` by a look does not wait for the disk: if it is lost with the
-- database's memory, the look that was set with the intent records it again.
-- A deposit holds a close of its account back from the moment at which it is listed. Its maker is answered, and it is
-- listed, while the account is kept: a close that came between the intent and the answer has it refused.
--   account_exists: the account of a deposit that is to be listed was deleted meanwhile
create or replace function deposits.place_orders(orders_ jsonb, is_found_again_ boolean) returns table (deposit deposits.deposit, details jsonb)
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

-- The event of each step, unless its deposit is not listed. A status may be reached a second time after a refund; the row
-- locks keep each event to its step.
create or replace function deposits.emit_steps(steps_ deposits.step[]) returns void
language sql as $$
  select outbox.add_all(array_agg(e.type order by e.place), 'deposit', array_agg(e.tenant_id order by e.place),
    array_agg(e.account_id order by e.place), array_agg(e.deposit_id order by e.place), array_agg(e.dedupe_id order by e.place),
    array_agg(e.at order by e.place))
  from (
    select 'deposit.' || s.to_status type, s.tenant_id, s.account_id, s.deposit_id, s.at, s.ordinality place,
      case when outbox.has_event('deposit.' || s.to_status, s.deposit_id) then uuidv7() else s.deposit_id end dedupe_id
    from unnest(steps_) with ordinality s where deposits.is_listed(s.deposit_id)) e $$;

-- As it was; what money has reached is listed from the same commit on.
create or replace function deposits.apply_reads(reads_ jsonb, credits_ jsonb, reversals_ jsonb)
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

-- As it was; a deposit that is not listed has no events, and no money.
create or replace function deposits.audit(
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
drop function ledger.taken_under(uuid, text, text);
drop function ledger.given_under(uuid, text, text);
