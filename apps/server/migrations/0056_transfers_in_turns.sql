-- Due transfers go round by owner: what one owner was sent in thousands delays no other by more than one transfer.

create index transfer_due_of_owner on chains.transfer (chain, owner_id, due_at, id) where state = 'pending' and orphaned_at is null;
drop index chains.transfer_due;

-- Due transfers of a chain, at most `limit_`: of the first owners after `after_` that have any pending, as many owners
-- at most, first the oldest of each, then the second of each, and so on. `next_owner` is the last of these owners when
-- there may be more behind it, else null. It goes from owner to owner by the index: a round costs the same however
-- many transfers and owners wait. The settings restrict the planner to the index, because a plan that was made while
-- nothing waited would be kept.
create function chains.list_due(chain_ text, at_ timestamptz, after_ uuid, limit_ integer)
  returns table (ids uuid[], next_owner uuid)
language plpgsql stable
set enable_seqscan = off set enable_sort = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  return query
  with recursive owner as (
    (select t.owner_id id from chains.transfer t
      where t.chain = chain_ and t.state = 'pending' and t.orphaned_at is null and t.owner_id > after_
      order by t.owner_id limit 1)
    union all
    select (select t.owner_id from chains.transfer t
      where t.chain = chain_ and t.state = 'pending' and t.orphaned_at is null and t.owner_id > owner.id
      order by t.owner_id limit 1)
    from owner where owner.id is not null),
  -- The limit ends the walk: it goes no further than its rows are asked for.
  party as materialized (select owner.id from owner where owner.id is not null limit limit_),
  due as (
    select one.id, one.due_at, row_number() over (partition by p.id order by one.due_at, one.id) place
    from party p cross join lateral (
      select t.id, t.due_at from chains.transfer t
      where t.chain = chain_ and t.state = 'pending' and t.orphaned_at is null and t.owner_id = p.id and t.due_at <= at_
      order by t.owner_id, t.due_at, t.id limit limit_) one),
  chosen as (
    select due.id, due.due_at, due.place from due order by due.place, due.due_at, due.id limit limit_)
  select
    array(select chosen.id from chosen order by chosen.place, chosen.due_at, chosen.id),
    (select p.id from party p order by p.id offset limit_ - 1);
end $$;
