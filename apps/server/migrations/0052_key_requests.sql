-- bears: previous
-- The last requests of each API key, for its owner. They are partitioned by the day on which they began, as attempts of
-- webhooks are (decision 0084), and a key has 10,000 at most: what is older is removed with each batch that is written.
create table identity.key_request (
  id uuid not null,
  key_id uuid not null,
  number bigint not null,
  started_at timestamptz not null,
  duration_ms integer not null,
  method text not null,
  route text not null,
  status smallint not null,
  error_key text,
  trade_id uuid,
  constraint key_request_number_positive check (number > 0),
  constraint key_request_duration_not_negative check (duration_ms >= 0)
) partition by range (started_at);
comment on table identity.key_request is 'removed by the day, a partition at a time, and beyond 10,000 of a key';
comment on column identity.key_request.id is 'of the request, as its answer says it';
comment on column identity.key_request.key_id is 'of identity.api_key; without a foreign key, whose check would lock the key at each batch';
comment on column identity.key_request.number is 'counts the requests of the key that were written, without a gap';
comment on column identity.key_request.route is 'the template, never the path: paths hold ids, and queries may hold secrets';
comment on column identity.key_request.status is 'of HTTP; 499: the client left before the answer';
comment on column identity.key_request.trade_id is 'the trade that it made, or asked about; null: none';
create index key_request_of_key on identity.key_request (key_id, number);
create table identity.key_request_first partition of identity.key_request (primary key (id))
  for values from (minvalue) to (maxvalue);

create table identity.key_request_count (
  key_id uuid not null,
  written bigint not null,
  constraint key_request_count_pkey primary key (key_id),
  constraint key_request_count_key foreign key (key_id) references identity.api_key (id),
  constraint key_request_count_positive check (written > 0)
);
comment on table identity.key_request_count is 'changed by each batch';
comment on column identity.key_request_count.written is 'requests of the key that were ever written';
