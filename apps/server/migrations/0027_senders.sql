-- bears: previous
-- Which processes send what a failover may lose, and in which history of the database each has found all that it
-- sent: see reconciliation/placing-gate.ts. A row is removed when its process stops, and a minute after its last beat
-- while the history is the same: who reads in a later history that it is gone, reads everything that it committed too.
create table infra.sender (
  process_id text not null,
  gates text[] not null,
  history text not null,
  started_at timestamptz not null,
  beat_at timestamptz not null,
  constraint sender_pkey primary key (process_id)
);
comment on column infra.sender.gates is 'what it may send for: markets, `bots`, `payments`';
comment on column infra.sender.history is 'cluster and timeline in which it last found everything that it had sent';
comment on column infra.sender.beat_at is 'by the clock of the database';

-- Whose trades these are, and under which external id.
create function trades.parties_of(trade_ids_ uuid[])
  returns table (trade_id uuid, tenant_id uuid, account_id uuid, external_id text)
language sql stable as $$
  select t.id, t.tenant_id, t.account_id, t.external_id from trades.trade t where t.id = any (trade_ids_) $$;
