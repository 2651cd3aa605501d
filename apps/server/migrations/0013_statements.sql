-- Our accounts at the markets, as their statements explain them.

-- What lies on our account and what its orders since a moment have cost, added up: it stays as it is until
-- somebody pays in, draws out, or keeps what should have come back.
create table reconciliation.level (
  market text not null,
  scope text not null,
  since timestamptz not null,
  level_mills bigint not null,
  candidate_mills bigint,
  candidate_since timestamptz,
  balance_mills bigint not null,
  read_at timestamptz not null,
  constraint level_pkey primary key (market, scope),
  constraint level_candidate_has_begun check ((candidate_mills is null) = (candidate_since is null))
);
comment on column reconciliation.level.scope is 'which window of statements it is counted over';
comment on column reconciliation.level.level_mills is 'balance and cost together, thousandths of a US dollar, as the others';
comment on column reconciliation.level.candidate_mills is 'another level, seen since candidate_since and not yet believed';

-- Orders of a window are compared with the supplier's statement of it. Written by workers only, so no buy
-- pays for it.
create index supplier_order_sent on trading.supplier_order (market, sent_at);
