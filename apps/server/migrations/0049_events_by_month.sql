-- bears: previous
-- Events are partitioned by the month in which they were written, which their public id says, so that those of an old
-- month go with their partition. The table as it was becomes the first partition, of all times: no row is read or
-- moved. The job `keep-partitions` closes it and makes one for each month from then on.
alter table outbox.event rename to event_first;
alter table outbox.event_first rename constraint event_pkey to event_first_pkey;
alter table outbox.event_first rename constraint event_once to event_first_once;
alter table outbox.event_first rename constraint event_public_id to event_first_public_id;
alter index outbox.event_undispatched rename to event_first_undispatched;
alter index outbox.event_of_tenant rename to event_first_of_tenant;
alter sequence outbox.event_id_seq rename to event_first_id_seq;

-- Its ids come from one sequence, which goes on where it was; each partition has a primary key on them.
create table outbox.event (
  like outbox.event_first including all excluding identity excluding indexes,
  constraint event_public_id unique (public_id)
) partition by range (public_id);
comment on table outbox.event is 'removed by the month, a partition at a time';
alter table outbox.event alter column id add generated always as identity;
create index event_undispatched on outbox.event (id) where dispatched_at is null;
create index event_of_tenant on outbox.event (tenant_id, position) where position is not null;
select setval('outbox.event_id_seq', last_value, is_called) from outbox.event_first_id_seq;

-- That an event is written once holds for longer than the event is kept: audits ask of every trade for its events.
create table outbox.event_key (
  dedupe_id uuid not null,
  type text not null,
  public_id uuid not null,
  constraint event_once primary key (dedupe_id, type)
);
comment on column outbox.event_key.dedupe_id is 'the subject of the event, or the part of it that the event is about';
comment on column outbox.event_key.public_id is 'the event, which may be gone with its month';

-- Events from before the keys. Until they have theirs, they are found by their first partition, which is not closed.
create table outbox.unkeyed (
  is_one boolean not null default true,
  after_id bigint not null,
  constraint unkeyed_one primary key (is_one),
  constraint unkeyed_is_one check (is_one)
);
comment on table outbox.unkeyed is 'a row while events from before the keys are without theirs';
comment on column outbox.unkeyed.after_id is 'events up to this id have their keys';
insert into outbox.unkeyed (after_id) select 0 from outbox.event_first_id_seq where is_called;

-- Functions that name the type of the table depend on it.
drop function outbox.dispatch(integer, timestamptz);
alter table outbox.event_first alter column id drop identity;
alter table outbox.event attach partition outbox.event_first for values from (minvalue) to (maxvalue);

-- As before, and the key is written first: it refuses a second event.
create or replace function outbox.add(
  type_ text, subject_type_ text, tenant_id_ uuid, account_id_ uuid, subject_id_ uuid, payload_ jsonb,
  dedupe_id_ uuid, at_ timestamptz) returns void
language sql as $$
  with key as (
    insert into outbox.event_key (dedupe_id, type, public_id) values (dedupe_id_, type_, uuidv7()) returning public_id)
  insert into outbox.event (public_id, type, subject_type, tenant_id, account_id, subject_id, payload, dedupe_key,
    created_at)
  select public_id, type_, subject_type_, tenant_id_, account_id_, subject_id_, payload_, type_ || ':' || dedupe_id_, at_
  from key $$;

create or replace function outbox.add_all(
  types_ text[], subject_type_ text, tenant_ids_ uuid[], account_ids_ uuid[], subject_ids_ uuid[], dedupe_ids_ uuid[],
  ats_ timestamptz[]) returns void
language sql as $$
  with added as materialized (
    select e.*, uuidv7() public_id
    from unnest(types_, tenant_ids_, account_ids_, subject_ids_, dedupe_ids_, ats_)
      with ordinality e (type, tenant_id, account_id, subject_id, dedupe_id, at, place)),
  key as (
    insert into outbox.event_key (dedupe_id, type, public_id)
    select dedupe_id, type, public_id from added order by place)
  insert into outbox.event (public_id, type, subject_type, tenant_id, account_id, subject_id, dedupe_key, created_at)
  select public_id, type, subject_type_, tenant_id, account_id, subject_id, type || ':' || dedupe_id, at
  from added order by place $$;

-- Only while there are events without a key are events looked through for it.
create function outbox.has_unkeyed(dedupe_key_ text) returns boolean
language sql stable as $$
  select exists (select from outbox.event where dedupe_key = dedupe_key_) $$;
create or replace function outbox.has_event(type_ text, dedupe_id_ uuid) returns boolean
language sql stable as $$
  select case
    when exists (select from outbox.event_key k where k.dedupe_id = dedupe_id_ and k.type = type_) then true
    when exists (select from outbox.unkeyed) then outbox.has_unkeyed(type_ || ':' || dedupe_id_)
    else false end $$;

-- As before. The settings are against plans that read a whole partition: how many events wait is not known in advance.
create function outbox.dispatch(limit_ integer, at_ timestamptz) returns setof outbox.event
language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  return query
    with next as materialized (
      select e.id, e.public_id from outbox.event e where e.dispatched_at is null order by e.id limit limit_ for update),
    positioned as materialized (
      select next.public_id, nextval('outbox.event_position') as position from next order by next.id)
    update outbox.event e set dispatched_at = at_, position = positioned.position
      from positioned where e.public_id = positioned.public_id returning e.*;
  if found then perform pg_notify('outbox_dispatched', ''); end if;
end $$;
