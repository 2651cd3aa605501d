-- bears: previous
-- Deliveries are partitioned by the number of their event, of which each month has its own from now on, so that those
-- of an old month go with their partition. The table as it was becomes the first partition, of all numbers: no row is
-- read or moved. The job `keep-partitions` closes it and makes one for each month from then on.
alter table webhooks.delivery rename constraint delivery_pkey to delivery_first_pkey;
alter table webhooks.delivery rename constraint delivery_once to delivery_first_once;
alter index webhooks.delivery_due rename to delivery_first_due;
alter index webhooks.delivery_first rename to delivery_first_pending;
alter index webhooks.delivery_parked rename to delivery_first_parked;
alter index webhooks.delivery_lost rename to delivery_first_lost;
alter index webhooks.delivery_not_delivered rename to delivery_first_not_delivered;
alter index webhooks.delivery_of_subject rename to delivery_first_of_subject;
alter table webhooks.delivery rename to delivery_first;

-- Each partition has a primary key on its ids, which are random: over all of them nothing else checks it.
create table webhooks.delivery (
  like webhooks.delivery_first including all excluding indexes,
  constraint delivery_once unique (endpoint_id, event_id)
) partition by range (event_id);
comment on table webhooks.delivery is 'removed by the month, a partition at a time';
comment on column webhooks.delivery.event_id is 'the number of the event, which begins with the month in which it was given';
create index delivery_due on webhooks.delivery (endpoint_id, due_at) where status in ('pending', 'retrying');
create index delivery_pending on webhooks.delivery (endpoint_id, subject_id, event_id) where status = 'pending';
create index delivery_parked on webhooks.delivery (id) where status = 'parked';
create index delivery_lost on webhooks.delivery (endpoint_id, created_at, event_id) where status in ('skipped', 'exhausted');
create index delivery_not_delivered on webhooks.delivery (status, id) where status in ('retrying', 'exhausted', 'skipped', 'parked');
create index delivery_of_subject on webhooks.delivery (endpoint_id, subject_id, event_id);

-- Functions that name the type of the table depend on it.
drop function webhooks.claim(
  timestamptz, timestamptz, integer, integer, integer, integer, integer, integer, jsonb, uuid[], uuid[]);
drop function webhooks.claim_due(
  timestamptz, timestamptz, integer, integer, integer, integer, integer, integer, jsonb, uuid[], uuid[], boolean);
alter table webhooks.delivery attach partition webhooks.delivery_first for values from (minvalue) to (maxvalue);

-- As before, and a row is named by its id and the number of its event: PostgreSQL looks for it in one partition. By
-- endpoint and number a plan that was made for an empty table may read all of the endpoint's.
create function webhooks.claim_due(
  at_ timestamptz, lease_until_ timestamptz, limit_ integer, per_endpoint_ integer, per_doubtful_ integer,
  slow_room_ integer, unproven_room_ integer, per_owner_ integer, held_ jsonb, slow_ uuid[], busy_ uuid[],
  knows_one_ boolean default false)
  returns setof webhooks.delivery
language plpgsql
set enable_seqscan = off set enable_sort = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  -- A lease that is lost with the database's memory is a delivery that is due again: no reason to wait for
  -- the disk. The setting ends with the transaction.
  perform set_config('synchronous_commit', 'off', true);
  return query
  with enabled as (
    select e.*, count(*) over (partition by e.account_id) siblings from webhooks.endpoint e
    where e.status = 'enabled' and (not knows_one_ or e.tenant_id is not null and e.signature = 'service')),
  party as (
    select e.id, coalesce(e.parent_id, e.account_id) owner_id,
      greatest(per_endpoint_ / e.siblings, least(per_endpoint_, per_doubtful_)) most,
      case when e.id = any (slow_) then slow_room_ when e.proven_at is null then unproven_room_ end room,
      case when e.id = any (slow_) then 'slow' when e.proven_at is null then 'unproven' else 'proven' end class
    from enabled e where e.id <> all (busy_)),
  due as (
    select p.*, one.delivery_id, one.event_id, one.due_at, coalesce((held_ ->> p.owner_id::text)::integer, 0) held,
      row_number() over (partition by p.id order by one.due_at) nth
    from party p cross join lateral (
      select d.id delivery_id, d.event_id, d.due_at from webhooks.delivery d
      where d.endpoint_id = p.id and d.status in ('pending', 'retrying') and d.due_at <= at_
        and coalesce(d.leased_until <= at_, true)
        and (d.status = 'retrying' or d.event_id = (
          select first.event_id from webhooks.delivery first
          where first.endpoint_id = d.endpoint_id and first.subject_id = d.subject_id and first.status = 'pending'
          order by first.endpoint_id, first.subject_id, first.event_id limit 1))
      order by d.endpoint_id, d.due_at
      limit case when p.room is null then p.most else least(p.room, per_doubtful_) end
      for update skip locked) one),
  turn as (
    select due.*, held + row_number() over (partition by owner_id order by nth, due_at) place from due),
  fair as (
    select turn.*, row_number() over (partition by class order by place, due_at) nth_of_class
    from turn where place <= per_owner_),
  chosen as materialized (
    select delivery_id, event_id from fair where room is null or nth_of_class <= room order by place, due_at limit limit_)
  update webhooks.delivery d set leased_until = lease_until_
  from chosen where d.id = chosen.delivery_id and d.event_id = chosen.event_id
  returning d.*;
end $$;

create function webhooks.claim(
  at_ timestamptz, lease_until_ timestamptz, limit_ integer, per_endpoint_ integer, per_doubtful_ integer,
  slow_room_ integer, unproven_room_ integer, per_owner_ integer, held_ jsonb, slow_ uuid[], busy_ uuid[])
  returns setof webhooks.delivery
language sql as $$
  select * from webhooks.claim_due(at_, lease_until_, limit_, per_endpoint_, per_doubtful_, slow_room_, unproven_room_,
    per_owner_, held_, slow_, busy_, true)
$$;

-- As before, in the same way.
create or replace function webhooks.skip_open(at_ timestamptz, limit_ integer) returns integer
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
  with open as materialized (
    select d.id, d.event_id from webhooks.delivery d
    where d.endpoint_id = disabled_id and d.status in ('pending', 'retrying')
    order by d.endpoint_id, d.due_at limit limit_ for update skip locked)
  update webhooks.delivery d set status = 'skipped', finished_at = at_
    from open where d.id = open.id and d.event_id = open.event_id;
  get diagnostics skipped = row_count;
  delete from webhooks.recovery r where r.endpoint_id = disabled_id;
  return skipped;
end $$;

-- As before, and nothing older than 30 days is put back: its month may be on its way out.
create or replace function webhooks.recover(endpoint_id_ uuid, since_ timestamptz, at_ timestamptz, limit_ integer)
  returns integer
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
    where d.endpoint_id = endpoint_id_ and d.status in ('skipped', 'exhausted')
      and d.created_at >= greatest(since_, at_ - interval '30 days')
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
    from turn where d.id = turn.id and d.event_id = turn.event_id;
  get diagnostics recovered = row_count;
  insert into webhooks.recovery values (endpoint_id_, begins_at_ + recovered * interval '100 milliseconds')
    on conflict (endpoint_id) do update set ends_at = excluded.ends_at;
  return recovered;
end $$;

-- Numbers of events go on from `first_`, unless they are beyond it already. They never go back: the lock is against two
-- callers of which one has read the number before it was given away.
create function outbox.begin_numbers(first_ bigint) returns void
language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('outbox.begin_numbers', 0));
  perform setval('outbox.event_id_seq', first_, false) from outbox.event_id_seq numbers where numbers.last_value < first_;
end $$;

-- Whether events with lower numbers wait to be dispatched: a consumer must have a place for them.
create function outbox.waits_below(number_ bigint) returns boolean
language sql stable as $$
  select exists (select from outbox.event where dispatched_at is null and id < number_) $$;
