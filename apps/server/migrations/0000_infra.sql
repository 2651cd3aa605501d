-- What the processes need to live together on one database. Nothing here is business.
create schema if not exists infra;

-- A job that must run once over all processes: the holder of its lease runs it.
create table infra.lease (
  name text not null,
  holder text not null,
  until timestamptz not null,
  constraint lease_pkey primary key (name)
);
comment on column infra.lease.holder is 'id of the process that runs the job';
comment on column infra.lease.until is 'after this moment anyone may take it';

-- Budgets of calls that all processes share, such as one supplier's calls per second.
create table infra.rate_slot (
  name text not null,
  next_at timestamptz not null,
  constraint rate_slot_pkey primary key (name)
);
comment on column infra.rate_slot.next_at is 'the first moment that is not given away';

-- Every job of every worker process says here that it lives.
create table infra.heartbeat (
  job text not null,
  process_id text not null,
  started_at timestamptz not null,
  beat_at timestamptz not null,
  succeeded_at timestamptz,
  error text,
  constraint heartbeat_pkey primary key (job, process_id)
);
comment on column infra.heartbeat.succeeded_at is 'end of the last run that did not fail';
comment on column infra.heartbeat.error is 'of the last run; null when it went well';

-- Small facts about the installation, for example that its demo data were made.
create table infra.setting (
  name text not null,
  value jsonb not null,
  constraint setting_pkey primary key (name)
);

-- Marks that processes also keep outside the database. A database that does not know such a mark was restored
-- from a copy that is older than the mark.
create table infra.recovery_mark (
  token uuid not null,
  at timestamptz not null,
  constraint recovery_mark_pkey primary key (token)
);
comment on column infra.recovery_mark.token is 'a process keeps its last few here, and the last one in its data folder';
