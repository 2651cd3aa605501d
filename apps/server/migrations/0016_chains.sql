-- Chains: our addresses, the blocks that were scanned and the transfers to us that they contain. The identity of
-- a transfer is its place in its transaction, not its block: after a re-organisation it comes back in another one.
create schema chains;

create table chains.chain (
  id text not null,
  chain_id bigint not null,
  halted_reason text,
  halted_by text,
  halted_at timestamptz,
  constraint chain_pkey primary key (id),
  constraint chain_chain_id_key unique (chain_id),
  constraint chain_halted_for_a_reason check (
    (halted_at is null) = (halted_reason is null) and (halted_at is null) = (halted_by is null))
);
comment on column chains.chain.chain_id is 'EIP-155';
comment on column chains.chain.halted_at is 'since when nothing is scanned, credited or swept on it; null: it works';
insert into chains.chain (id, chain_id) values
  ('ethereum', 1), ('base', 8453), ('arbitrum', 42161), ('optimism', 10), ('bsc', 56);

-- What is credited, and what is known well enough to be refused by name. Contracts that are not here are noted
-- without an event: anyone can make one and send it to every address.
create table chains.token (
  chain text not null,
  contract text not null,
  symbol text not null,
  decimals smallint not null,
  is_accepted boolean not null,
  constraint token_pkey primary key (chain, contract),
  constraint token_chain foreign key (chain) references chains.chain (id),
  constraint token_contract_form check (contract ~ '^0x[0-9a-f]{40}$'),
  constraint token_symbol_form check (symbol ~ '^[A-Z0-9]{2,12}$'),
  constraint token_decimals_in_bounds check (decimals between 0 and 36)
);
comment on column chains.token.contract is 'lower case; 0xeeee… stands for the native coin';
create unique index token_accepted_once on chains.token (chain, symbol) where is_accepted;
insert into chains.token (chain, contract, symbol, decimals, is_accepted) values
  ('ethereum', '0xdac17f958d2ee523a2206206994597c13d831ec7', 'USDT', 6, true),
  ('ethereum', '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48', 'USDC', 6, true),
  ('ethereum', '0x6b175474e89094c44da98b954eedeac495271d0f', 'DAI', 18, false),
  ('base', '0xfde4c96c8593536e31f229ea8f37b2ada2699bb2', 'USDT', 6, true),
  ('base', '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913', 'USDC', 6, true),
  ('base', '0x50c5725949a6f0c72e6c4a641f24049a917db0cb', 'DAI', 18, false),
  ('arbitrum', '0xfd086bc7cd5c481dcc9c85ebe478a1c0b69fcbb9', 'USDT', 6, true),
  ('arbitrum', '0xaf88d065e77c8cc2239327c5edb3a432268e5831', 'USDC', 6, true),
  ('arbitrum', '0xda10009cbd5d07dd0cecc66161fc93d7c9000da1', 'DAI', 18, false),
  ('optimism', '0x94b008aa00579c1307b0ef2c499ad98a8ce58e58', 'USDT', 6, true),
  ('optimism', '0x0b2c639c533813f4aa9d7837caf62653d097ff85', 'USDC', 6, true),
  ('optimism', '0xda10009cbd5d07dd0cecc66161fc93d7c9000da1', 'DAI', 18, false),
  ('bsc', '0x55d398326f99059ff775485246999027b3197955', 'USDT', 18, true),
  ('bsc', '0x8ac76a51cc950d9822d68b83fe1ad97b32cd580d', 'USDC', 18, true),
  ('bsc', '0x1af3f329e8be154074d8769d1ffa4ee058b1dbc3', 'DAI', 18, false);
insert into chains.token (chain, contract, symbol, decimals, is_accepted)
  select id, '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee', 'NATIVE', 18, true from chains.chain;

-- One address for an owner and a purpose, the same on every chain. Never changed: what was handed out once
-- receives money for ever. The wallets of the service are here too: what operators pay into them is seen by the
-- scanner as every other transfer, and booked as our capital.
create sequence chains.address_index as integer minvalue 0 start 0;
create table chains.address (
  id uuid not null default uuidv7(),
  owner_id uuid not null,
  purpose text not null,
  hd_index integer,
  address text not null,
  lookup text not null generated always as (lower(address)) stored,
  created_at timestamptz not null,
  constraint address_pkey primary key (id),
  constraint address_one_for_a_purpose unique (owner_id, purpose),
  constraint address_index_once unique (hd_index),
  constraint address_once unique (lookup),
  constraint address_purpose_known check (purpose in ('deposit', 'payout_custody', 'hot_wallet', 'gas_station')),
  constraint address_of_owner_is_derived check ((hd_index is not null) = (purpose in ('deposit', 'payout_custody'))),
  constraint address_wallet_owns_itself check ((owner_id = id) = (purpose in ('hot_wallet', 'gas_station'))),
  constraint address_index_in_bounds check (hd_index >= 0),
  constraint address_form check (address ~ '^0x[0-9a-fA-F]{40}$')
);
comment on column chains.address.owner_id is 'an account; for a wallet of the service its own id';
comment on column chains.address.hd_index is 'i of m/44''/60''/0''/0/i; null for a wallet of the service';
comment on column chains.address.address is 'with the case of its checksum (EIP-55)';

create function chains.deny() returns trigger language plpgsql as $$
begin
  raise exception '% on %.% is forbidden: an address receives money for ever', tg_op, tg_table_schema, tg_table_name
    using errcode = '42501';
end $$;
create trigger address_kept before update or delete or truncate on chains.address
  for each statement execute function chains.deny();

-- The newest scanned blocks of each chain, for finding the common ancestor after a re-organisation.
create table chains.block (
  chain text not null,
  number bigint not null,
  hash text not null,
  parent_hash text not null,
  scanned_at timestamptz not null,
  constraint block_pkey primary key (chain, number),
  constraint block_chain foreign key (chain) references chains.chain (id)
);

-- How far each chain is scanned. Its row lock is the order of scanners, with or without the lease.
create table chains.cursor (
  chain text not null,
  number bigint not null,
  hash text not null,
  updated_at timestamptz not null,
  untraced_number bigint,
  constraint cursor_pkey primary key (chain),
  constraint cursor_chain foreign key (chain) references chains.chain (id)
) with (fillfactor = 50);
comment on column chains.cursor.untraced_number is 'the newest block that was scanned without its internal transfers: its node offered no traces; null: there is none';

-- Transactions that an operator names for native coin which an address holds and no transfer explains. A worker
-- compares each with its node: it becomes a transfer, or is dropped.
create table chains.named_payment (
  chain text not null,
  address_id uuid not null,
  tx_hash text not null,
  named_at timestamptz not null,
  constraint named_payment_pkey primary key (chain, address_id),
  constraint named_payment_chain foreign key (chain) references chains.chain (id),
  constraint named_payment_address foreign key (address_id) references chains.address (id),
  constraint named_payment_hash_form check (tx_hash ~ '^0x[0-9a-f]{64}$')
);

-- Native coin that our own wallets paid to addresses of owners and that `outbound` did not send, from the treasury
-- for example. It is no transfer, and explains what a balance shows. Forgotten with its block.
create table chains.own_payment (
  chain text not null,
  tx_hash text not null,
  kind text not null,
  ordinal text not null,
  address_id uuid not null,
  units numeric(78, 0) not null,
  block_number bigint not null,
  constraint own_payment_pkey primary key (chain, tx_hash, kind, ordinal),
  constraint own_payment_chain foreign key (chain) references chains.chain (id),
  constraint own_payment_address foreign key (address_id) references chains.address (id),
  constraint own_payment_units_positive check (units > 0)
);
create index own_payment_address on chains.own_payment (address_id);

-- Small transfers of one address and token that together reach the minimum, credited as one.
create table chains.dust_batch (
  id uuid not null default uuidv7(),
  address_id uuid not null,
  chain text not null,
  token text not null,
  units numeric(78, 0) not null,
  created_at timestamptz not null,
  dissolved_at timestamptz,
  constraint dust_batch_pkey primary key (id),
  constraint dust_batch_address foreign key (address_id) references chains.address (id),
  constraint dust_batch_units_positive check (units > 0)
);
comment on column chains.dust_batch.dissolved_at is 'when one of its transfers had left the chain for good: the credit was taken back, and the others wait again';

-- What arrived at one of our addresses on its way to the treasury. One at a time for an address on a chain: its
-- transactions share the address's nonces and its gas.
create table chains.sweep (
  id uuid not null,
  address_id uuid not null,
  chain text not null,
  token text not null,
  units numeric(78, 0) not null,
  gas_units numeric(78, 0) not null,
  target text not null,
  target_role text not null,
  state text not null,
  detail text,
  began_at timestamptz not null,
  ended_at timestamptz,
  constraint sweep_pkey primary key (id),
  constraint sweep_address foreign key (address_id) references chains.address (id),
  constraint sweep_chain foreign key (chain) references chains.chain (id),
  constraint sweep_units_positive check (units > 0 and gas_units >= 0),
  constraint sweep_state_known check (state in ('gas_sent', 'sweep_sent', 'swept', 'failed')),
  constraint sweep_target_role_known check (target_role in ('treasury', 'hot_wallet')),
  constraint sweep_ended check ((state in ('swept', 'failed')) = (ended_at is not null))
) with (fillfactor = 80);
comment on column chains.sweep.units is 'base units that go to the target';
comment on column chains.sweep.gas_units is 'wei that the gas station sends first; 0: the address has enough';
comment on column chains.sweep.state is 'gas_sent: the gas is under way; sweep_sent: the tokens are; swept: they have arrived; failed: its transfers are swept by another one';
create unique index sweep_one_open on chains.sweep (address_id, chain) where state in ('gas_sent', 'sweep_sent');
-- Sweeps that were given up because their gas had become too little: an address gets more a few times a day only.
create index sweep_gas_low on chains.sweep (address_id, chain, ended_at) where state = 'failed' and detail = 'gas_low';

create table chains.transfer (
  id uuid not null default uuidv7(),
  chain text not null,
  tx_hash text not null,
  kind text not null,
  ordinal text not null,
  contract text not null,
  token text not null,
  decimals smallint not null,
  sender text not null,
  recipient text not null,
  address_id uuid not null,
  owner_id uuid not null,
  purpose text not null,
  units numeric(78, 0) not null,
  block_number bigint not null,
  block_hash text not null,
  orphaned_at timestamptz,
  state text not null default 'pending',
  usd_e8 bigint,
  rate_sources text[],
  dust_batch_id uuid,
  sweep_id uuid,
  first_seen_at timestamptz not null,
  due_at timestamptz not null,
  settled_at timestamptz,
  constraint transfer_pkey primary key (id),
  constraint transfer_identity unique (tx_hash, chain, kind, ordinal, contract, recipient, units),
  constraint transfer_chain foreign key (chain) references chains.chain (id),
  constraint transfer_address foreign key (address_id) references chains.address (id),
  constraint transfer_dust_batch foreign key (dust_batch_id) references chains.dust_batch (id),
  constraint transfer_sweep foreign key (sweep_id) references chains.sweep (id),
  constraint transfer_kind_known check (kind in ('erc20', 'native', 'internal')),
  constraint transfer_units_positive check (units > 0),
  constraint transfer_state_known check (state in ('pending', 'credited', 'dust', 'gone', 'reversed')),
  constraint transfer_settled_at check ((state = 'pending') = (settled_at is null)),
  constraint transfer_gone_is_orphaned check (state not in ('gone', 'reversed') or orphaned_at is not null),
  constraint transfer_batched_is_credited check (dust_batch_id is null or state in ('credited', 'reversed')),
  constraint transfer_rate_with_sources check ((usd_e8 is null) = (rate_sources is null))
) with (fillfactor = 70);
comment on table chains.transfer is 'a movement to one of our addresses. Content that differs at the same place after a re-organisation is another transfer; the first one then stays orphaned';
comment on column chains.transfer.ordinal is 'erc20: position among the Transfer logs of its transaction; internal: path in the tree of calls, or balance:<address> where it was found by the balance of the address; native: 0';
comment on column chains.transfer.units is 'base units of the token on this chain';
comment on column chains.transfer.orphaned_at is 'since when its block is not part of the chain; null: it is';
comment on column chains.transfer.state is 'pending: not decided; credited: booked once; dust: below the minimum, waits for more; gone: its block was replaced and it did not come back; reversed: the same after it was booked';
comment on column chains.transfer.usd_e8 is 'US dollars of one token in 1e-8, at which it was credited';
-- At one place of a transaction there is one transfer that counts.
create unique index transfer_canonical_once on chains.transfer (chain, tx_hash, kind, ordinal) where orphaned_at is null;
create index transfer_orphaned on chains.transfer (chain, orphaned_at) where orphaned_at is not null and state in ('pending', 'credited', 'dust');
create index transfer_in_block on chains.transfer (chain, block_number) where orphaned_at is null;
create index transfer_unswept on chains.transfer (chain, token, address_id)
  where sweep_id is null and state in ('credited', 'dust') and orphaned_at is null and purpose in ('deposit', 'payout_custody');
create index transfer_of_sweep on chains.transfer (sweep_id) where sweep_id is not null;
create index transfer_of_address on chains.transfer (address_id, chain);
create index transfer_of_batch on chains.transfer (dust_batch_id) where dust_batch_id is not null;
create index transfer_due_of_owner on chains.transfer (chain, owner_id, due_at, id) where state = 'pending' and orphaned_at is null;
create index transfer_dust on chains.transfer (address_id, chain, token, units) where state = 'dust' and orphaned_at is null;

-- What was received never changes, and a decision is made once: only a transfer that was lost in a
-- re-organisation becomes pending again, and a small one waits again when its batch is dissolved.
create function chains.transfer_guard() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' or (new.id, new.chain, new.tx_hash, new.kind, new.ordinal, new.contract, new.token, new.decimals,
      new.recipient, new.address_id, new.owner_id, new.purpose, new.units)
    is distinct from (old.id, old.chain, old.tx_hash, old.kind, old.ordinal, old.contract, old.token, old.decimals,
      old.recipient, old.address_id, old.owner_id, old.purpose, old.units) then
    raise exception 'what a transfer is never changes' using errcode = '42501';
  end if;
  if new.state <> old.state and (old.state, new.state) not in (
      ('pending', 'credited'), ('pending', 'dust'), ('pending', 'gone'), ('gone', 'pending'),
      ('dust', 'credited'), ('dust', 'reversed'), ('credited', 'reversed'))
    and not (old.state = 'credited' and new.state = 'dust' and old.dust_batch_id is not null and new.dust_batch_id is null) then
    raise exception 'a % transfer does not become %', old.state, new.state using errcode = '23514', constraint = 'transfer_step';
  end if;
  if new.state = 'credited' and old.state <> 'credited' and new.orphaned_at is not null then
    raise exception 'a transfer outside of the chain is not credited' using errcode = '23514', constraint = 'transfer_credited_canonical';
  end if;
  return new;
end $$;
create trigger transfer_guard before update or delete on chains.transfer
  for each row execute function chains.transfer_guard();

-- What arrived in tokens that we do not take: one row for an address and a contract, for recovery by hand.
create table chains.unsupported (
  chain text not null,
  contract text not null,
  address_id uuid not null,
  transfer_id uuid not null default uuidv7(),
  first_tx_hash text not null,
  last_tx_hash text not null,
  seen bigint not null default 1,
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null,
  constraint unsupported_pkey primary key (chain, contract, address_id),
  constraint unsupported_address foreign key (address_id) references chains.address (id)
) with (fillfactor = 80);
comment on column chains.unsupported.transfer_id is 'under which its one event was emitted, where the token is known by name';
comment on column chains.unsupported.seen is 'transfers, those of replaced blocks included';
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

-- Due transfers of a chain, at most `limit_`: of the first owners after `after_` that have any pending, as many owners
-- at most, first the oldest of each, then the second of each, and so on. `next_owner` is the last of these owners when
-- there may be more behind it, else null. It goes from owner to owner by the index: a round costs the same however
-- many transfers and owners wait. The settings restrict the planner to the index, because a plan that was made while
-- nothing waited would be kept.
create function chains.list_due(chain_ text, at_ timestamptz, after_ uuid, limit_ integer)
  returns table (ids uuid[], next_owner uuid)
language plpgsql stable
set enable_seqscan = off set enable_sort = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  return query
  with recursive owner as (
    (select t.owner_id id from chains.transfer t
      where t.chain = chain_ and t.state = 'pending' and t.orphaned_at is null and t.owner_id > after_
      order by t.owner_id limit 1)
    union all
    select (select t.owner_id from chains.transfer t
      where t.chain = chain_ and t.state = 'pending' and t.orphaned_at is null and t.owner_id > owner.id
      order by t.owner_id limit 1)
    from owner where owner.id is not null),
  -- The limit ends the walk: it goes no further than its rows are asked for.
  party as materialized (select owner.id from owner where owner.id is not null limit limit_),
  due as (
    select one.id, one.due_at, row_number() over (partition by p.id order by one.due_at, one.id) place
    from party p cross join lateral (
      select t.id, t.due_at from chains.transfer t
      where t.chain = chain_ and t.state = 'pending' and t.orphaned_at is null and t.owner_id = p.id and t.due_at <= at_
      order by t.owner_id, t.due_at, t.id limit limit_) one),
  chosen as (
    select due.id, due.due_at, due.place from due order by due.place, due.due_at, due.id limit limit_)
  select
    array(select chosen.id from chosen order by chosen.place, chosen.due_at, chosen.id),
    (select p.id from party p order by p.id offset limit_ - 1);
end $$;
create table chains.dust_sum (
  id uuid not null default uuidv7(),
  address_id uuid not null,
  chain text not null,
  token text not null,
  units numeric(78, 0) not null,
  constraint dust_sum_pkey primary key (id),
  constraint dust_sum_once unique (address_id, chain, token),
  constraint dust_sum_address foreign key (address_id) references chains.address (id),
  constraint dust_sum_not_negative check (units >= 0)
) with (fillfactor = 50);
comment on table chains.dust_sum is 'what the small transfers of an address and token are together that are in the chain and in no batch; written by a trigger alone';
comment on column chains.dust_sum.units is 'base units';

-- Once for a statement, whichever it is: a row that is written for each of its transfers would be written over and
-- over in one transaction, each time more slowly. Without a join of old and new rows, whose plan would be made for
-- the one row of most statements and kept. The order is that in which every statement locks the sums.
-- The settings restrict the planner to the index: a plan that was made for the first few sums would be kept.
create function chains.sum_dust() returns trigger language plpgsql
set enable_seqscan = off set enable_bitmapscan = off as $$
declare
  change record;
begin
  for change in
    select c.address_id, c.chain, c.token, sum(c.units) units
    from (
      select n.address_id, n.chain, n.token, n.units from new_transfer n
      where n.state = 'dust' and n.orphaned_at is null
      union all
      select o.address_id, o.chain, o.token, -o.units from old_transfer o
      where o.state = 'dust' and o.orphaned_at is null) c
    group by 1, 2, 3 having sum(c.units) <> 0 order by 1, 2, 3
  loop
    update chains.dust_sum s set units = s.units + change.units
      where s.address_id = change.address_id and s.chain = change.chain and s.token = change.token;
    if not found then
      insert into chains.dust_sum as s (address_id, chain, token, units)
        values (change.address_id, change.chain, change.token, change.units)
        on conflict on constraint dust_sum_once do update set units = s.units + excluded.units;
    end if;
  end loop;
  return null;
end $$;
-- A transfer is never inserted as a small one: it is pending first.
create trigger transfer_sum_dust after update on chains.transfer
  referencing old table as old_transfer new table as new_transfer
  for each statement execute function chains.sum_dust();

-- Credits the small transfers of an address and token as one batch, when they reach `least_units_` together: the
-- largest, `limit_` at most, so that no flood of tiny ones makes a statement that ends in its timeout. Nothing is
-- answered, and one row was read, while they do not. The lock of the sum is the order of those that collect. The
-- settings restrict the planner to the index that has them by their units, and to the ids of those that are taken.
create function chains.collect_dust(
  address_id_ uuid, chain_ text, token_ text, least_units_ numeric, limit_ integer, at_ timestamptz, usd_e8_ bigint,
  rate_sources_ text[])
  returns setof chains.dust_batch
language plpgsql
set enable_seqscan = off set enable_sort = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  perform from chains.dust_sum s
    where s.address_id = address_id_ and s.chain = chain_ and s.token = token_ and s.units >= least_units_ for update;
  if not found then return; end if;
  return query
  with small as materialized (
    select t.id, t.units from chains.transfer t
    where t.address_id = address_id_ and t.chain = chain_ and t.token = token_ and t.state = 'dust' and t.orphaned_at is null
    order by t.units desc limit limit_ for update),
  batch as (
    insert into chains.dust_batch (address_id, chain, token, units, created_at)
      select address_id_, chain_, token_, sum(small.units), at_ from small having sum(small.units) >= least_units_
      returning *),
  collected as (
    update chains.transfer t
      set state = 'credited', dust_batch_id = batch.id, settled_at = at_, usd_e8 = usd_e8_, rate_sources = rate_sources_
      from small, batch where t.id = small.id)
  select * from batch;
end $$;
create trigger account_is_open before insert on chains.address
  for each row execute function identity.refuse_below_deleted('owner_id');

-- The auditor: a row for each broken promise, none when all is well.
create function chains.audit() returns table (invariant text, detail text)
language sql stable as $$
  select 'a cursor is at the newest block that was scanned', format('%s at %s', c.chain, c.number)
    from chains.cursor c left join chains.block b on b.chain = c.chain and b.number = c.number
    where b.hash is distinct from c.hash
      or exists (select from chains.block later where later.chain = c.chain and later.number > c.number)
  union all
  select 'scanned blocks form a chain', format('%s block %s', b.chain, b.number)
    from chains.block b join chains.block parent on parent.chain = b.chain and parent.number = b.number - 1
    where parent.hash <> b.parent_hash
$$;

-- The transfers of a slice (invariant I1): what was booked is posted once, and nothing else is; what counts is in a
-- block of its chain; and what waits below the minimum has a sum.
create function chains.audit_transfers(
  after_ uuid default '00000000-0000-0000-0000-000000000000',
  up_to_ uuid default 'ffffffff-ffff-ffff-ffff-ffffffffffff') returns table (invariant text, detail text)
language sql stable as $$
  select 'a transfer is posted when and only when it is booked', t.id::text
  from chains.transfer t
  where t.id > after_ and t.id <= up_to_
    and (custody.posted('transfer:' || t.id) <> case when t.state in ('credited', 'dust', 'reversed') then t.units else 0 end
      or custody.posted('transfer:' || t.id || ':reversed') <> case t.state when 'reversed' then t.units else 0 end)
  union all
  select 'a canonical transfer is in a block of the chain', format('%s transfer %s', t.chain, t.id)
    from chains.transfer t join chains.cursor c on c.chain = t.chain
      left join chains.block b on b.chain = t.chain and b.number = t.block_number
    where t.id > after_ and t.id <= up_to_
      and t.orphaned_at is null and (t.block_number > c.number or b.hash <> t.block_hash)
  union all
  select 'a small transfer that waits has a sum', t.id::text
    from chains.transfer t
    where t.id > after_ and t.id <= up_to_ and t.state = 'dust' and t.orphaned_at is null
      and not exists (select from chains.dust_sum s
        where s.address_id = t.address_id and s.chain = t.chain and s.token = t.token)
$$;

-- The sweeps of a slice, each against its transfers.
create function chains.audit_sweeps(
  after_ uuid default '00000000-0000-0000-0000-000000000000',
  up_to_ uuid default 'ffffffff-ffff-ffff-ffff-ffffffffffff') returns table (invariant text, detail text)
language sql stable as $$
  select 'a sweep moves no more than its transfers brought', s.id::text
    from chains.sweep s
    where s.id > after_ and s.id <= up_to_ and s.state <> 'failed'
      and s.units > (select coalesce(sum(t.units), 0) from chains.transfer t where t.sweep_id = s.id)
$$;

-- The batches of small transfers of a slice, each against its transfers.
create function chains.audit_batches(
  after_ uuid default '00000000-0000-0000-0000-000000000000',
  up_to_ uuid default 'ffffffff-ffff-ffff-ffff-ffffffffffff') returns table (invariant text, detail text)
language sql stable as $$
  select 'a batch of small transfers is their sum', b.id::text
    from chains.dust_batch b
    where b.id > after_ and b.id <= up_to_
      and (case when b.dissolved_at is null then b.units else 0 end)
        <> (select coalesce(sum(t.units), 0) from chains.transfer t where t.dust_batch_id = b.id)
$$;

-- The sums of small transfers of a slice, each against those that wait.
create function chains.audit_dust(
  after_ uuid default '00000000-0000-0000-0000-000000000000',
  up_to_ uuid default 'ffffffff-ffff-ffff-ffff-ffffffffffff') returns table (invariant text, detail text)
language sql stable as $$
  select 'a sum of small transfers is what waits', s.id::text
    from chains.dust_sum s
    where s.id > after_ and s.id <= up_to_
      and s.units <> (select coalesce(sum(t.units), 0) from chains.transfer t
        where t.address_id = s.address_id and t.chain = s.chain and t.token = s.token
          and t.state = 'dust' and t.orphaned_at is null)
$$;
