-- bears: previous
-- Endpoints that have something to be sent, each with the moment from which on it is looked at. A claim looks at those
-- that are due, as many as it can use, and at no other, however many endpoints there are.
--
-- What holds: an open delivery of an enabled endpoint has a row here that is due no later than the delivery and the
-- lease of its attempt. A row that is due in vain costs one look. Every statement that writes a delivery keeps that by
-- the triggers; a claim alone puts a row off or removes it, and only while it holds the row's lock: one who writes a
-- delivery meanwhile waits for that claim and then brings the row forward, and one who has written it before is seen.
create table webhooks.due_endpoint (
  endpoint_id uuid not null,
  is_news boolean not null,
  due_at timestamptz not null,
  constraint due_endpoint_pkey primary key (endpoint_id)
) with (fillfactor = 50);
comment on column webhooks.due_endpoint.is_news is 'it has nothing but what is sent to all merchants at once, which waits for everything else';
comment on column webhooks.due_endpoint.due_at is 'no open delivery is due before; after a look that left something due, the time of that look';
create index due_endpoint_first on webhooks.due_endpoint (is_news, due_at);

-- Rows are locked in the order of their ids, after all other locks of their transaction.
create function webhooks.bring_forward() returns trigger
language plpgsql
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  insert into webhooks.due_endpoint as known (endpoint_id, is_news, due_at)
    select w.endpoint_id, bool_and(w.event_type = 'service.status_changed'), min(greatest(w.due_at, w.leased_until))
    from written w where w.status in ('pending', 'retrying')
    group by w.endpoint_id order by w.endpoint_id
    on conflict (endpoint_id) do update
      set is_news = known.is_news and excluded.is_news, due_at = least(known.due_at, excluded.due_at)
      where excluded.due_at < known.due_at or known.is_news and not excluded.is_news;
  return null;
end $$;
create trigger due_when_inserted after insert on webhooks.delivery
  referencing new table as written for each statement execute function webhooks.bring_forward();
create trigger due_when_changed after update on webhooks.delivery
  referencing new table as written for each statement execute function webhooks.bring_forward();

-- An endpoint that is enabled again is looked at now: its deliveries may have stayed open meanwhile.
create function webhooks.look_at_enabled() returns trigger
language plpgsql as $$
begin
  insert into webhooks.due_endpoint as known (endpoint_id, is_news, due_at) values (new.id, false, new.updated_at)
    on conflict (endpoint_id) do update set is_news = false, due_at = least(known.due_at, excluded.due_at);
  return null;
end $$;
create trigger due_when_enabled after update of status on webhooks.endpoint
  for each row when (old.status <> 'enabled' and new.status = 'enabled') execute function webhooks.look_at_enabled();

-- The triggers hold up writers from here until the commit.
insert into webhooks.due_endpoint (endpoint_id, is_news, due_at)
  select e.id, false, first.due_at from webhooks.endpoint e cross join lateral (
    select d.due_at from webhooks.delivery d where d.endpoint_id = e.id and d.status in ('pending', 'retrying')
    order by d.endpoint_id, d.due_at limit 1) first
  where e.status = 'enabled';

-- Takes what is due, at the endpoints that have been due longest. Proven endpoints with events of their own, those that
-- are slow, those that are unproven, and those with news alone are looked for apart, so that none hides another; nor are
-- those of an owner that holds its share already, however many it has, looked at. News are taken last, and at most
-- `news_room_` of them.
create function webhooks.claim_next(
  at_ timestamptz, lease_until_ timestamptz, limit_ integer, per_endpoint_ integer, per_doubtful_ integer,
  slow_room_ integer, unproven_room_ integer, per_owner_ integer, held_ jsonb, slow_ uuid[], busy_ uuid[],
  news_room_ integer, knows_one_ boolean default false)
  returns setof webhooks.delivery
language plpgsql
set enable_seqscan = off set enable_sort = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  looked_at_ uuid[];
  -- Whether more endpoints of the same kind may wait behind it.
  are_full_ boolean[];
begin
  -- A lease that is lost with the database's memory is a delivery that is due again: no reason to wait for
  -- the disk. The setting ends with the transaction.
  perform set_config('synchronous_commit', 'off', true);
  select array_agg(due.endpoint_id), array_agg(due.is_full) into looked_at_, are_full_
    from (select found.endpoint_id, count(*) over (partition by kind.name) >= kind.most is_full
      from (values ('proven', 2 * limit_), ('slow', slow_room_), ('unproven', unproven_room_), ('news', news_room_))
          kind (name, most)
      cross join lateral (
        select q.endpoint_id from webhooks.due_endpoint q join webhooks.endpoint e on e.id = q.endpoint_id
        where q.is_news = (kind.name = 'news') and q.due_at <= at_ and q.endpoint_id <> all (busy_)
          and coalesce((held_ ->> coalesce(e.parent_id, e.account_id)::text)::integer, 0) < per_owner_
          and (not knows_one_ or e.status <> 'enabled' or e.tenant_id is not null and e.signature = 'service')
          and case when q.endpoint_id = any (slow_) then kind.name = 'slow' or q.is_news
            when e.proven_at is null then kind.name = 'unproven' or q.is_news and unproven_room_ > 0
            else kind.name in ('proven', 'news') end
        order by q.is_news, q.due_at limit kind.most for update of q skip locked) found) due;
  if looked_at_ is null then return; end if;
  return query
  with party as (
    select e.id, coalesce(e.parent_id, e.account_id) owner_id,
      greatest(per_endpoint_ / enabled.siblings, least(per_endpoint_, per_doubtful_)) most,
      case when e.id = any (slow_) then slow_room_ when e.proven_at is null then unproven_room_ end room,
      case when e.id = any (slow_) then 'slow' when e.proven_at is null then 'unproven' else 'proven' end class
    -- A limit keeps the order of the joins: each endpoint is looked up, and none but these.
    from unnest(looked_at_) looked_at (id)
      cross join lateral (
        select one.* from webhooks.endpoint one where one.id = looked_at.id and one.status = 'enabled' limit 1) e
      cross join lateral (
        select count(*) siblings from webhooks.endpoint s where s.account_id = e.account_id and s.status = 'enabled'
          and (not knows_one_ or s.tenant_id is not null and s.signature = 'service')) enabled),
  due as (
    select p.*, one.delivery_id, one.event_id, one.is_news, one.due_at, coalesce((held_ ->> p.owner_id::text)::integer, 0) held,
      row_number() over (partition by p.id order by one.due_at) nth
    from party p cross join lateral (
      select d.id delivery_id, d.event_id, d.event_type = 'service.status_changed' is_news, d.due_at
      from webhooks.delivery d
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
    select due.*, held + row_number() over (partition by owner_id order by is_news, nth, due_at) place from due),
  fair as (
    select turn.*, row_number() over (partition by class order by is_news, place, due_at) nth_of_class,
      row_number() over (partition by is_news order by place, due_at) nth_of_kind
    from turn where place <= per_owner_),
  chosen as materialized (
    select delivery_id, event_id from fair
    where (room is null or nth_of_class <= room) and (not is_news or nth_of_kind <= news_room_)
    order by is_news, place, due_at limit limit_)
  update webhooks.delivery d set leased_until = lease_until_
  from chosen where d.id = chosen.delivery_id and d.event_id = chosen.event_id
  returning d.*;
  -- One that has something due still, which was not taken or waits for an earlier event, comes after the others where
  -- others may wait behind it, and else keeps its place; the rest until something of it is due, or the first of its
  -- leases is over.
  with next as materialized (
    select looked_at.id, case
      when not exists (select from webhooks.endpoint e where e.id = looked_at.id and e.status = 'enabled') then null
      when exists (
        select from webhooks.delivery d
        where d.endpoint_id = looked_at.id and d.status in ('pending', 'retrying') and d.due_at <= at_
          and coalesce(d.leased_until <= at_, true)) then case when looked_at.is_full then at_ else '-infinity' end
      else least(
        (select min(d.leased_until) from webhooks.delivery d
          where d.endpoint_id = looked_at.id and d.status in ('pending', 'retrying') and d.due_at <= at_),
        (select d.due_at from webhooks.delivery d
          where d.endpoint_id = looked_at.id and d.status in ('pending', 'retrying') and d.due_at > at_
          order by d.endpoint_id, d.due_at limit 1)) end due_at
    from unnest(looked_at_, are_full_) looked_at (id, is_full)),
  removed as (
    delete from webhooks.due_endpoint q
    where q.endpoint_id = any (array(select next.id from next where next.due_at is null)))
  update webhooks.due_endpoint q set due_at = next.due_at from next
  where q.endpoint_id = next.id and q.endpoint_id = any (looked_at_) and next.due_at > '-infinity';
end $$;

-- For processes of the release before, under its name and with its parameters.
create or replace function webhooks.claim_due(
  at_ timestamptz, lease_until_ timestamptz, limit_ integer, per_endpoint_ integer, per_doubtful_ integer,
  slow_room_ integer, unproven_room_ integer, per_owner_ integer, held_ jsonb, slow_ uuid[], busy_ uuid[],
  knows_one_ boolean default false)
  returns setof webhooks.delivery
language sql as $$
  select * from webhooks.claim_next(at_, lease_until_, limit_, per_endpoint_, per_doubtful_, slow_room_, unproven_room_,
    per_owner_, held_, slow_, busy_, limit_, knows_one_)
$$;
