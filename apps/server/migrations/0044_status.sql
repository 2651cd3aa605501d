-- bears: previous
-- The status of the service: for how long each component has had which. A period that follows another one is reported
-- to every merchant by an event of its own; the period is the record of the change, and holds how far that has come.
create schema status;

create table status.period (
  id uuid not null default uuidv7(),
  component text not null,
  name text not null,
  status text not null,
  previous text,
  reason text,
  from_at timestamptz not null,
  until_at timestamptz,
  seen_status text,
  seen_since timestamptz,
  announced_through uuid,
  announced_at timestamptz,
  constraint period_pkey primary key (id),
  constraint period_component_known check (component in ('trading', 'market', 'platform', 'deposit', 'payout')),
  constraint period_status_known check (
    status in ('operational', 'degraded', 'down', 'disabled', 'paused')
    and case component when 'trading' then status in ('operational', 'paused') else status <> 'paused' end),
  constraint period_changes check (previous <> status),
  constraint period_reason_of_pause check (reason is null or status = 'paused'),
  constraint period_is_some_time check (until_at > from_at),
  constraint period_seen_whole check ((seen_status is null) = (seen_since is null)),
  constraint period_first_is_no_change check (previous is not null or announced_at is not null)
);
comment on table status.period is 'for how long a component had a status';
comment on column status.period.name is 'market, chain, gateway or onramp; empty for trading and the platform';
comment on column status.period.previous is 'its status before; null in the first period of a component';
comment on column status.period.until_at is 'null: it has it now';
comment on column status.period.seen_status is 'what was seen lately and does not hold yet, since seen_since';
comment on column status.period.announced_through is 'the last account that was notified; they are notified in the order of their ids';
comment on column status.period.announced_at is 'when all were notified';
create unique index period_now on status.period (component, name) where until_at is null;
create index period_unannounced on status.period (id) where announced_at is null;
create index period_ended on status.period (until_at) where until_at is not null;

-- When a worker has last looked at all components. Its row lock lets one judge after the other.
create table status.judging (
  is_only boolean not null default true,
  judged_at timestamptz,
  constraint judging_pkey primary key (is_only),
  constraint judging_one_row check (is_only)
);
comment on column status.judging.judged_at is 'null: none has yet';
insert into status.judging (is_only) values (true);

create table status.market_figures (
  market text not null,
  listings integer not null,
  read_at timestamptz,
  expected_wait_seconds integer,
  constraint market_figures_pkey primary key (market),
  constraint market_figures_not_negative check (listings >= 0 and expected_wait_seconds >= 0)
);
comment on table status.market_figures is 'what is said of a market beside its status';
comment on column status.market_figures.read_at is 'when its listings were last read as a whole';
comment on column status.market_figures.expected_wait_seconds is 'seconds that an item bought now would wait to be placed; null: not measured';

-- Writes the event of a period for these accounts, in the caller's order. The caller holds the period's lock.
create function status.announce(period_id_ uuid, account_ids_ uuid[], at_ timestamptz) returns void
language plpgsql as $$
declare
  period_ status.period;
  payload_ jsonb;
begin
  select * into strict period_ from status.period where id = period_id_ for update;
  payload_ := jsonb_strip_nulls(jsonb_build_object('component', period_.component, 'name', period_.name,
    'status', period_.status, 'previous', period_.previous, 'since', period_.from_at, 'reason', period_.reason));
  perform outbox.add('service.status_changed', 'account', a.id, a.id, a.id,
      payload_ || jsonb_build_object('noticeId', n.id), n.id, at_)
    from unnest(account_ids_) with ordinality a (id, place)
      cross join lateral (select md5(period_id_::text || a.id::text)::uuid id) n
    order by a.place;
end $$;

-- How the calls of a process to a party outside have ended: the game platform, the gateway, the on-ramp.
create table operations.party_caller (
  party text not null,
  worker_id text not null,
  noted_at timestamptz not null,
  answered_at timestamptz,
  failed_at timestamptz,
  failures integer not null,
  calls_of_minute integer not null,
  failures_of_minute integer not null,
  constraint party_caller_pkey primary key (party, worker_id)
);
comment on column operations.party_caller.failures is 'in a row, since the last answer';
