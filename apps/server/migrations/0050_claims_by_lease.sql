-- bears: previous
-- As before, and a claim writes the lease alone: no index has it, so that the row is changed in its place and no index
-- is written. With due_at, five were.
create or replace function webhooks.claim_due(
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
    select p.*, one.row_at, one.due_at, coalesce((held_ ->> p.owner_id::text)::integer, 0) held,
      row_number() over (partition by p.id order by one.due_at) nth
    from party p cross join lateral (
      select d.ctid row_at, d.due_at from webhooks.delivery d
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
  chosen as (
    select row_at from fair where room is null or nth_of_class <= room order by place, due_at limit limit_)
  update webhooks.delivery d set leased_until = lease_until_
  where d.ctid = any (array(select row_at from chosen))
  returning d.*;
end $$;
