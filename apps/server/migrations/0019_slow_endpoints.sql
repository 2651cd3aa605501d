-- Endpoints that answer slowly or not at all get few deliveries at a time: however many of them there are,
-- the places of a worker stay free for those that answer. The rest is as before (0007).
drop function webhooks.claim(timestamptz, uuid[], integer, integer, timestamptz);
create function webhooks.claim(
  at_ timestamptz, busy_ uuid[], slow_ uuid[], per_endpoint_ integer, per_slow_endpoint_ integer, limit_ integer,
  lease_until_ timestamptz)
  returns setof webhooks.delivery
language plpgsql
set enable_seqscan = off set enable_sort = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  return query
  with due as (
    select one.place from webhooks.endpoint e cross join lateral (
      select d.ctid place, d.due_at from webhooks.delivery d
      where d.endpoint_id = e.id and d.status in ('pending', 'retrying') and d.due_at <= at_
        and (d.status = 'retrying' or d.event_id = (
          select first.event_id from webhooks.delivery first
          where first.endpoint_id = d.endpoint_id and first.subject_id = d.subject_id and first.status = 'pending'
          order by first.endpoint_id, first.subject_id, first.event_id limit 1))
      order by d.endpoint_id, d.due_at
      limit case when e.id = any (slow_) then per_slow_endpoint_ else per_endpoint_ end
      for update skip locked) one
    where e.id <> all (busy_)
    order by one.due_at limit limit_)
  update webhooks.delivery d set due_at = lease_until_
  where d.ctid = any (array(select place from due))
  returning d.*;
end $$;
