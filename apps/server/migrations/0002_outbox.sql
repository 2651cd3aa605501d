-- News: what happened, written in the transaction that made it happen. Readers (webhooks, later sockets
-- and the partner's orders) each take what they need; nothing here knows them.
create schema outbox;

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
  constraint event_pkey primary key (id),
  constraint event_once unique (dedupe_key)
);
comment on column outbox.event.subject_id is 'the trade (or deposit) that the news is about; the order of its events is the order of their ids';
comment on column outbox.event.payload is 'facts that the subject itself does not keep, for example the refund of one item';
comment on column outbox.event.dedupe_key is 'for example trade.completed:<tradeId>, trade.refunded:<itemId>';
create index event_undispatched on outbox.event (id) where dispatched_at is null;

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
create function outbox.dispatch(limit_ integer, at_ timestamptz) returns setof outbox.event
language sql as $$
  with next as (
    select id from outbox.event where dispatched_at is null order by id limit limit_ for update)
  update outbox.event e set dispatched_at = at_ from next where e.id = next.id returning e.* $$;
