-- What a node reported that our addresses hold, at the last comparison with the books.
create table chains.holding (
  chain text not null,
  role text not null,
  token text not null,
  units numeric(78,0) not null,
  block_number bigint not null,
  compared_at timestamptz not null,
  constraint holding_pkey primary key (chain, role, token),
  constraint holding_chain foreign key (chain) references chains.chain (id),
  constraint holding_units_not_negative check (units >= 0)
);
comment on table chains.holding is 'replaced by each comparison of a chain with the books';
comment on column chains.holding.role is 'the account of custody that the addresses stand for';
comment on column chains.holding.units is 'base units';
