-- Webhooks: the endpoints of tenants, every delivery of every event, every attempt.
create schema webhooks;

create table webhooks.endpoint (
  id uuid not null default uuidv7(),
  tenant_id uuid not null,
  parent_id uuid,
  dialect text not null default 'merchant',
  url text not null,
  proven_at timestamptz,
  status text not null default 'enabled',
  disabled_reason text,
  secret_sealed text not null,
  previous_secret_sealed text,
  previous_secret_until timestamptz,
  failing_since timestamptz,
  failed_attempts integer not null default 0,
  exhausted_deliveries integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  removed_at timestamptz,
  constraint endpoint_pkey primary key (id),
  constraint endpoint_one_each unique (tenant_id),
  constraint endpoint_dialect_known check (dialect in ('merchant', 'partner')),
  constraint endpoint_status_known check (status in ('enabled', 'disabled')),
  constraint endpoint_previous_secret_ends check ((previous_secret_sealed is null) = (previous_secret_until is null)),
  constraint endpoint_disabled_for_a_reason check ((status = 'disabled') = (disabled_reason is not null)),
  constraint endpoint_removed_is_disabled check (removed_at is null or status = 'disabled')
);
comment on column webhooks.endpoint.dialect is 'the interface whose envelope and signature headers deliveries have';
comment on column webhooks.endpoint.parent_id is 'the partner of a child, whose endpoints share the slots of one owner; null otherwise';
comment on column webhooks.endpoint.proven_at is 'the first success at this address';
comment on column webhooks.endpoint.failing_since is 'the first failed attempt after the last success';
comment on column webhooks.endpoint.failed_attempts is 'since the last success, manual ones aside';
comment on column webhooks.endpoint.removed_at is 'when its tenant removed it; it gets a new secret when it is set again';

-- How a dialect names the events that it sends. The merchant's has no rows: it sends all, under their own
-- types.
create table webhooks.event_name (
  dialect text not null,
  event_type text not null,
  name text not null,
  constraint event_name_pkey primary key (dialect, event_type)
);
insert into webhooks.event_name (dialect, event_type, name)
  select 'partner', 'trade.' || status, 'order.updated' from unnest(array[
    'initiated', 'pending', 'active', 'hold', 'completed', 'reverted', 'declined', 'canceled', 'failed']) status
  union all select 'partner', 'trade.refunded', 'order.refunded';

create table webhooks.delivery (
  id uuid not null default uuidv7(),
  endpoint_id uuid not null,
  event_id bigint not null,
  event_type text not null,
  tenant_id uuid not null,
  account_id uuid not null,
  subject_id uuid not null,
  payload jsonb not null,
  status text not null,
  attempts smallint not null default 0,
  due_at timestamptz not null,
  created_at timestamptz not null,
  finished_at timestamptz,
  parked_reason text,
  webhook_id uuid,
  leased_until timestamptz,
  constraint delivery_pkey primary key (id),
  constraint delivery_once unique (endpoint_id, event_id),
  constraint delivery_status_known check (status in ('pending', 'retrying', 'delivered', 'exhausted', 'skipped', 'parked')),
  constraint delivery_parked_for_a_reason check ((status = 'parked') = (parked_reason is not null))
) with (fillfactor = 80);
comment on column webhooks.delivery.event_type is 'as the endpoint''s dialect names it';
comment on column webhooks.delivery.tenant_id is 'whose endpoint it is';
comment on column webhooks.delivery.id is 'names the delivery in the dashboard';
comment on column webhooks.delivery.status is 'pending: its first attempt has not ended; skipped: the endpoint was disabled; parked: its event could not be rendered';
comment on column webhooks.delivery.created_at is 'the time of the event';
comment on column webhooks.delivery.webhook_id is 'the id of the event, as its tenant knows it; null: the delivery''s own';
comment on column webhooks.delivery.leased_until is 'the lease of the attempt that is under way; forgotten when its result is recorded';
-- Claims go from endpoint to endpoint: each takes its own next deliveries and never reads past the
-- backlog of one that is slow.
create index delivery_due on webhooks.delivery (endpoint_id, due_at) where status in ('pending', 'retrying');
-- First attempts leave in the order of the events of one subject: a later one waits for these.
create index delivery_first on webhooks.delivery (endpoint_id, subject_id, event_id) where status = 'pending';
create index delivery_parked on webhooks.delivery (id) where status = 'parked';
-- What can be recovered, oldest first: what was put back is no longer in it.
create index delivery_lost on webhooks.delivery (endpoint_id, created_at, event_id) where status in ('skipped', 'exhausted');
-- Deliveries that need a look, of all merchants.
create index delivery_not_delivered on webhooks.delivery (status, id) where status in ('retrying', 'exhausted', 'skipped', 'parked');
-- Deliveries of one trade, deposit or withdrawal.
create index delivery_of_subject on webhooks.delivery (endpoint_id, subject_id, event_id);

-- Until when recovered deliveries are due already. Changed by each recovery, and forgotten when they are skipped.
create table webhooks.recovery (
  endpoint_id uuid not null,
  ends_at timestamptz not null,
  constraint recovery_pkey primary key (endpoint_id)
);

create table webhooks.attempt (
  id bigint generated always as identity,
  delivery_id uuid not null,
  number smallint not null,
  manual boolean not null,
  started_at timestamptz not null,
  duration_ms integer not null,
  request_headers jsonb not null,
  request_body text not null,
  response_status smallint,
  response_body text,
  error text,
  constraint attempt_pkey primary key (id)
);
comment on column webhooks.attempt.response_body is 'its first 16 KiB';
create index attempt_of_delivery on webhooks.attempt (delivery_id, id);
create index attempt_age on webhooks.attempt (started_at);

-- Warnings about an endpoint for its tenant; read by the sender of mail and by the dashboard.
create table webhooks.notice (
  endpoint_id uuid not null,
  failing_since timestamptz not null,
  kind text not null,
  created_at timestamptz not null,
  constraint notice_once primary key (endpoint_id, failing_since, kind),
  constraint notice_kind_known check (kind in ('failing_24h', 'failing_48h', 'disabled'))
);

-- As before, and notes the lease.
create function webhooks.claim(
  at_ timestamptz, lease_until_ timestamptz, limit_ integer, per_endpoint_ integer, per_doubtful_ integer,
  slow_room_ integer, unproven_room_ integer, per_owner_ integer, held_ jsonb, slow_ uuid[], busy_ uuid[])
  returns setof webhooks.delivery
language plpgsql
set enable_seqscan = off set enable_sort = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  -- A lease that is lost with the database's memory is a delivery that is due again: no reason to wait for
  -- the disk. The setting ends with the transaction.
  perform set_config('synchronous_commit', 'off', true);
  return query
  with party as (
    select e.id, coalesce(e.parent_id, e.tenant_id) owner_id,
      case when e.id = any (slow_) then slow_room_ when e.proven_at is null then unproven_room_ end room,
      case when e.id = any (slow_) then 'slow' when e.proven_at is null then 'unproven' else 'proven' end class
    from webhooks.endpoint e where e.status = 'enabled' and e.id <> all (busy_)),
  due as (
    select p.*, one.row_at, one.due_at, coalesce((held_ ->> p.owner_id::text)::integer, 0) held,
      row_number() over (partition by p.id order by one.due_at) nth
    from party p cross join lateral (
      select d.ctid row_at, d.due_at from webhooks.delivery d
      where d.endpoint_id = p.id and d.status in ('pending', 'retrying') and d.due_at <= at_
        and (d.status = 'retrying' or d.event_id = (
          select first.event_id from webhooks.delivery first
          where first.endpoint_id = d.endpoint_id and first.subject_id = d.subject_id and first.status = 'pending'
          order by first.endpoint_id, first.subject_id, first.event_id limit 1))
      order by d.endpoint_id, d.due_at
      limit case when p.room is null then per_endpoint_ else least(p.room, per_doubtful_) end
      for update skip locked) one),
  turn as (
    select due.*, held + row_number() over (partition by owner_id order by nth, due_at) place from due),
  fair as (
    select turn.*, row_number() over (partition by class order by place, due_at) nth_of_class
    from turn where place <= per_owner_),
  chosen as (
    select row_at from fair where room is null or nth_of_class <= room order by place, due_at limit limit_)
  update webhooks.delivery d set due_at = lease_until_, leased_until = lease_until_
  where d.ctid = any (array(select row_at from chosen))
  returning d.*;
end $$;

-- Moves open deliveries of one disabled endpoint to skipped, at most `limit_` of them; answers how many. The
-- shared lock makes an endpoint that is enabled at the same moment wait for this batch, and no longer.
create function webhooks.skip_open(at_ timestamptz, limit_ integer) returns integer
language plpgsql
set enable_seqscan = off set enable_sort = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  disabled_id uuid;
  skipped integer;
begin
  select e.id into disabled_id from webhooks.endpoint e
    where e.status = 'disabled' and exists (
      select from webhooks.delivery d where d.endpoint_id = e.id and d.status in ('pending', 'retrying'))
    order by e.id limit 1 for share skip locked;
  if not found then return 0; end if;
  update webhooks.delivery d set status = 'skipped', finished_at = at_
    where d.ctid = any (array(
      select open.ctid from webhooks.delivery open
      where open.endpoint_id = disabled_id and open.status in ('pending', 'retrying')
      order by open.endpoint_id, open.due_at limit limit_ for update skip locked));
  get diagnostics skipped = row_count;
  delete from webhooks.recovery r where r.endpoint_id = disabled_id;
  return skipped;
end $$;

-- Puts up to `limit_` deliveries into the queue, oldest first, due ten a second after those that were put back
-- before: what waits for its next attempt and is due later than that, and what was skipped or given up since
-- `since_`. One call at a time for an endpoint: null while another is under way.
create function webhooks.recover(endpoint_id_ uuid, since_ timestamptz, at_ timestamptz, limit_ integer) returns integer
language plpgsql
set enable_seqscan = off set enable_sort = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  begins_at_ timestamptz;
  recovered integer;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('webhooks.recover:' || endpoint_id_, 0)) then return null; end if;
  select greatest(at_, max(r.ends_at)) into begins_at_ from webhooks.recovery r where r.endpoint_id = endpoint_id_;
  with lost as (
    select d.id, d.created_at, d.event_id, 'infinity'::timestamptz due_at from webhooks.delivery d
    where d.endpoint_id = endpoint_id_ and d.status in ('skipped', 'exhausted') and d.created_at >= since_
    order by d.endpoint_id, d.created_at, d.event_id limit limit_ for update),
  failing as (
    select d.id, d.created_at, d.event_id, d.due_at from webhooks.delivery d
    where d.endpoint_id = endpoint_id_ and d.status = 'retrying' and d.due_at > begins_at_
      and coalesce(d.leased_until <= at_, true)
    order by d.endpoint_id, d.due_at limit limit_ for update),
  turn as (
    select waiting.*, row_number() over (order by created_at, event_id) nth
    from (select * from lost union all select * from failing) waiting
    order by created_at, event_id limit limit_)
  update webhooks.delivery d set status = 'retrying', attempts = 0, finished_at = null,
      due_at = least(turn.due_at, begins_at_ + turn.nth * interval '100 milliseconds')
    from turn where d.id = turn.id;
  get diagnostics recovered = row_count;
  insert into webhooks.recovery values (endpoint_id_, begins_at_ + recovered * interval '100 milliseconds')
    on conflict (endpoint_id) do update set ends_at = excluded.ends_at;
  return recovered;
end $$;

-- The first event of an endpoint at or after a time, for lists that begin or end at one: found by halving, because
-- the numbers of events rise with their times. Null for no time, and for an endpoint without deliveries.
create function webhooks.first_event_since(endpoint_id_ uuid, since_ timestamptz) returns bigint
language plpgsql stable
set enable_seqscan = off set enable_sort = off set enable_bitmapscan = off as $$
declare
  low_ bigint;
  high_ bigint;
  middle_ bigint;
  found_ bigint;
  at_ timestamptz;
begin
  if since_ is null then return null; end if;
  select d.event_id into low_ from webhooks.delivery d where d.endpoint_id = endpoint_id_
    order by d.endpoint_id, d.event_id limit 1;
  select d.event_id + 1 into high_ from webhooks.delivery d where d.endpoint_id = endpoint_id_
    order by d.endpoint_id desc, d.event_id desc limit 1;
  -- Every delivery below low_ is earlier, and none from high_ on is.
  while low_ < high_ loop
    middle_ := low_ + (high_ - low_) / 2;
    select d.event_id, d.created_at into found_, at_ from webhooks.delivery d
      where d.endpoint_id = endpoint_id_ and d.event_id >= middle_ order by d.endpoint_id, d.event_id limit 1;
    if at_ < since_ then low_ := found_ + 1; else high_ := middle_; end if;
  end loop;
  return low_;
end $$;
create trigger account_is_open before insert on webhooks.endpoint
  for each row execute function identity.refuse_below_deleted('tenant_id');
