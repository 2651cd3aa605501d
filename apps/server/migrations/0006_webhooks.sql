-- Webhooks: where a merchant wants its news, every delivery of every event, every attempt.
create schema webhooks;

create table webhooks.endpoint (
  id uuid not null default uuidv7(),
  merchant_id uuid not null,
  url text not null,
  status text not null default 'enabled',
  disabled_reason text,
  secret_sealed text not null,
  previous_secret_sealed text,
  previous_secret_until timestamptz,
  failing_since timestamptz,
  failed_attempts integer not null default 0,
  exhausted_deliveries integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint endpoint_pkey primary key (id),
  constraint endpoint_one_each unique (merchant_id),
  constraint endpoint_status_known check (status in ('enabled', 'disabled')),
  constraint endpoint_previous_secret_ends check ((previous_secret_sealed is null) = (previous_secret_until is null)),
  constraint endpoint_disabled_for_a_reason check ((status = 'disabled') = (disabled_reason is not null))
);
comment on column webhooks.endpoint.failing_since is 'the first failed attempt after the last success';
comment on column webhooks.endpoint.failed_attempts is 'since the last success, manual ones aside';

create table webhooks.delivery (
  id uuid not null default uuidv7(),
  endpoint_id uuid not null,
  event_id bigint not null,
  event_type text not null,
  merchant_id uuid not null,
  account_id uuid not null,
  subject_id uuid not null,
  payload jsonb not null,
  status text not null,
  attempts smallint not null default 0,
  due_at timestamptz not null,
  created_at timestamptz not null,
  finished_at timestamptz,
  constraint delivery_pkey primary key (id),
  constraint delivery_once unique (endpoint_id, event_id),
  constraint delivery_status_known check (status in ('pending', 'retrying', 'delivered', 'exhausted', 'skipped'))
) with (fillfactor = 80);
comment on column webhooks.delivery.id is 'the webhook-id, the same on every attempt';
comment on column webhooks.delivery.status is 'pending: its first attempt has not ended; skipped: the endpoint was disabled';
comment on column webhooks.delivery.created_at is 'the time of the event';
create index delivery_due on webhooks.delivery (due_at) where status in ('pending', 'retrying');
-- First attempts leave in the order of the events of one subject: a later one waits for these.
create index delivery_first on webhooks.delivery (endpoint_id, subject_id, event_id) where status = 'pending';
create index delivery_of_endpoint on webhooks.delivery (endpoint_id, id);

create table webhooks.attempt (
  id bigint generated always as identity,
  delivery_id uuid not null,
  number smallint not null,
  manual boolean not null,
  started_at timestamptz not null,
  duration_ms integer not null,
  request_headers jsonb not null,
  request_body text not null,
  response_status smallint,
  response_body text,
  error text,
  constraint attempt_pkey primary key (id)
);
comment on column webhooks.attempt.response_body is 'its first 16 KiB';
create index attempt_of_delivery on webhooks.attempt (delivery_id, id);
create index attempt_age on webhooks.attempt (started_at);

-- What the merchant must be told about an endpoint; read by whoever sends mail and by the dashboard.
create table webhooks.notice (
  endpoint_id uuid not null,
  failing_since timestamptz not null,
  kind text not null,
  created_at timestamptz not null,
  constraint notice_once primary key (endpoint_id, failing_since, kind),
  constraint notice_kind_known check (kind in ('failing_24h', 'failing_48h', 'disabled'))
);
