-- What fails can be tried now, all of an endpoint at once, but for a delivery whose attempt is under way.
alter table webhooks.delivery add column leased_until timestamptz;
comment on column webhooks.delivery.leased_until is 'the lease of the attempt that is under way; forgotten when its result is recorded';

-- As before, and notes the lease.
create or replace function webhooks.claim(
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

-- Puts up to `limit_` deliveries into the queue, oldest first, due ten a second after those that were put back
-- before: what waits for its next attempt and is due later than that, and what was skipped or given up since
-- `since_`. One call at a time for an endpoint: null while another is under way.
create or replace function webhooks.recover(endpoint_id_ uuid, since_ timestamptz, at_ timestamptz, limit_ integer) returns integer
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
