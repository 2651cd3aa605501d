-- News as merchants read it back: GET /merchant/events. Ids of events say in which order they were written,
-- not in which order they were committed, so a reader that goes by them can step over one that was still
-- on its way. The one dispatcher takes only what is committed; the number that it gives is the order in
-- which news became visible, and a reader that goes by it misses nothing.
create sequence outbox.event_position;
alter table outbox.event add column position bigint;
comment on column outbox.event.position is 'the place in the order in which news was taken; null until it is. Rises with the id within a subject';

update outbox.event e set position = taken.position
  from (select id, row_number() over (order by id) as position from outbox.event where dispatched_at is not null) taken
  where e.id = taken.id;
select setval('outbox.event_position', greatest(max(position), 1), max(position) is not null) from outbox.event;

alter table outbox.event
  add constraint event_placed_when_taken check ((position is null) = (dispatched_at is null)),
  add constraint event_public_id unique (public_id);
create index event_of_merchant on outbox.event (merchant_id, position) where position is not null;

-- Takes the oldest news that nobody has taken, in order. One taker at a time: the caller holds a lock.
-- Whoever waits for news is woken by the commit, once for a batch.
create or replace function outbox.dispatch(limit_ integer, at_ timestamptz) returns setof outbox.event
language plpgsql as $$
begin
  return query
    with next as materialized (
      select id from outbox.event where dispatched_at is null order by id limit limit_ for update),
    placed as materialized (
      select next.id, nextval('outbox.event_position') as position from next order by next.id)
    update outbox.event e set dispatched_at = at_, position = placed.position
      from placed where e.id = placed.id returning e.*;
  if found then perform pg_notify('outbox_dispatched', ''); end if;
end $$;
