-- Operations: what workers report about the markets that they serve.
create schema operations;

-- Which workers serve a market, what each saw last, and whether it leaves the market alone.
create table operations.market_worker (
  market text not null,
  worker_id text not null,
  beat_at timestamptz not null,
  balance_mills bigint,
  breaker text not null,
  constraint market_worker_pkey primary key (market, worker_id),
  constraint market_worker_breaker_known check (breaker in ('closed', 'open', 'half-open'))
);
comment on column operations.market_worker.worker_id is 'the process, as the heartbeats of its jobs name it';
comment on column operations.market_worker.balance_mills is 'our balance at the market as last known, thousandths of a US dollar';
