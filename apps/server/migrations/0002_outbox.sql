-- News: what happened, written in the transaction that made it happen. Readers (webhooks, sockets,
-- the event feed) each take what they need; nothing here knows them.
create schema outbox;

-- The order in which merchants read news back (GET /merchant/events). Ids of events say in which order they were written,
-- not in which order they were committed, so a reader that goes by them can step over one that was still
-- on its way. The one dispatcher takes only what is committed; the number that it gives is the order in
-- which news became visible, and a reader that goes by it misses nothing.
create sequence outbox.event_position;

create table outbox.event (
  id bigint generated always as identity,
  public_id uuid not null default uuidv7(),
  type text not null,
  merchant_id uuid not null,
  account_id uuid not null,
  subject_id uuid not null,
  payload jsonb not null default '{}',
  dedupe_key text not null,
  created_at timestamptz not null,
  dispatched_at timestamptz,
  position bigint,
  constraint event_pkey primary key (id),
  constraint event_once unique (dedupe_key),
  constraint event_placed_when_taken check ((position is null) = (dispatched_at is null)),
  constraint event_public_id unique (public_id)
);
comment on column outbox.event.subject_id is 'the trade (or deposit) that the news is about; the order of its events is the order of their ids';
comment on column outbox.event.payload is 'facts that the subject itself does not keep, for example the refund of one item';
comment on column outbox.event.dedupe_key is 'for example trade.completed:<tradeId>, trade.refunded:<itemId>';
comment on column outbox.event.position is 'the place in the order in which news was taken; null until it is. Rises with the id within a subject';
create index event_undispatched on outbox.event (id) where dispatched_at is null;
create index event_of_merchant on outbox.event (merchant_id, position) where position is not null;

-- Ids of one subject rise in commit order, because its writers hold the subject's row lock.
create function outbox.add(
  type_ text, merchant_id_ uuid, account_id_ uuid, subject_id_ uuid, payload_ jsonb, dedupe_key_ text,
  at_ timestamptz) returns void
language sql as $$
  insert into outbox.event (type, merchant_id, account_id, subject_id, payload, dedupe_key, created_at)
  values (type_, merchant_id_, account_id_, subject_id_, payload_, dedupe_key_, at_) $$;

create function outbox.told(dedupe_key_ text) returns boolean
language sql stable as $$ select exists (select from outbox.event where dedupe_key = dedupe_key_) $$;

-- Takes the oldest news that nobody has taken, in order. One taker at a time: the caller holds a lock.
-- Whoever waits for news is woken by the commit, once for a batch.
create function outbox.dispatch(limit_ integer, at_ timestamptz) returns setof outbox.event
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
