-- The outbox: events, each written in the transaction of the change that it reports. Its consumers
-- (webhooks, sockets, the event feed, timelines) read what they need; nothing here knows them.
create schema outbox;

-- The order in which tenants read their events back (GET /merchant/events). Ids are given when an event is
-- written, not when it is committed, so a reader that goes by ids can step over an event that commits late.
-- The single dispatcher takes only committed events; the number that it gives is the order in which events
-- became visible, and a reader that goes by it skips none.
create sequence outbox.event_position;

create table outbox.event (
  id bigint generated always as identity,
  public_id uuid not null default uuidv7(),
  type text not null,
  subject_type text not null,
  subject_id uuid not null,
  tenant_id uuid not null,
  account_id uuid not null,
  payload jsonb not null default '{}',
  dedupe_key text not null,
  created_at timestamptz not null,
  dispatched_at timestamptz,
  position bigint,
  constraint event_pkey primary key (id),
  constraint event_once unique (dedupe_key),
  constraint event_position_when_dispatched check ((position is null) = (dispatched_at is null)),
  constraint event_public_id unique (public_id)
);
comment on column outbox.event.subject_type is 'what subject_id identifies: trade, later deposit, payout or order';
comment on column outbox.event.subject_id is 'events of one subject are ordered by their ids';
comment on column outbox.event.tenant_id is 'the account whose endpoint and feed receive the event';
comment on column outbox.event.account_id is 'the account that the event is about: the tenant itself or one of its sub-users';
comment on column outbox.event.payload is 'facts that the subject itself does not keep, for example the refund of one item';
comment on column outbox.event.dedupe_key is '<type>:<id of the subject or of its part>';
comment on column outbox.event.position is 'order of dispatch, null before it. Rises with the id within a subject';
create index event_undispatched on outbox.event (id) where dispatched_at is null;
create index event_of_tenant on outbox.event (tenant_id, position) where position is not null;

-- Writes an event once for each type and `dedupe_id_`: the subject, or the part of it that the event is
-- about. Ids of one subject rise in commit order, because its writers hold the subject's row lock.
create function outbox.add(
  type_ text, subject_type_ text, tenant_id_ uuid, account_id_ uuid, subject_id_ uuid, payload_ jsonb,
  dedupe_id_ uuid, at_ timestamptz) returns void
language sql as $$
  insert into outbox.event (type, subject_type, tenant_id, account_id, subject_id, payload, dedupe_key, created_at)
  values (type_, subject_type_, tenant_id_, account_id_, subject_id_, payload_, type_ || ':' || dedupe_id_, at_) $$;

-- Several at once, in the order of the arrays, without facts of their own.
create function outbox.add_all(
  types_ text[], subject_type_ text, tenant_ids_ uuid[], account_ids_ uuid[], subject_ids_ uuid[], dedupe_ids_ uuid[],
  ats_ timestamptz[]) returns void
language sql as $$
  insert into outbox.event (type, subject_type, tenant_id, account_id, subject_id, dedupe_key, created_at)
  select e.type, subject_type_, e.tenant_id, e.account_id, e.subject_id, e.type || ':' || e.dedupe_id, e.at
  from unnest(types_, tenant_ids_, account_ids_, subject_ids_, dedupe_ids_, ats_)
    with ordinality e (type, tenant_id, account_id, subject_id, dedupe_id, at, place)
  order by e.place $$;

create function outbox.has_event(type_ text, dedupe_id_ uuid) returns boolean
language sql stable as $$
  select exists (select from outbox.event where dedupe_key = type_ || ':' || dedupe_id_) $$;

-- Takes the oldest events that are not dispatched yet, in order. The caller holds the dispatcher's lock.
-- The commit wakes those who wait for events, once for a batch.
create function outbox.dispatch(limit_ integer, at_ timestamptz) returns setof outbox.event
language plpgsql as $$
begin
  return query
    with next as materialized (
      select id from outbox.event where dispatched_at is null order by id limit limit_ for update),
    positioned as materialized (
      select next.id, nextval('outbox.event_position') as position from next order by next.id)
    update outbox.event e set dispatched_at = at_, position = positioned.position
      from positioned where e.id = positioned.id returning e.*;
  if found then perform pg_notify('outbox_dispatched', ''); end if;
end $$;
-- A number among those of events, for what a consumer lists with them and is none: the test of an endpoint.
create function outbox.next_number() returns bigint
language sql as $$ select nextval(pg_get_serial_sequence('outbox.event', 'id')) $$;
