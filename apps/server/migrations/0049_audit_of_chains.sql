-- What is proven of every transfer, sweep and batch of small ones is proven slice by slice of their ids, so that no
-- statement of the audit grows with them. What is left of the audit without slices reads the newest blocks alone.

create or replace function chains.audit() returns table (invariant text, detail text)
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

-- The transfers of a slice (invariant I1): what was booked is posted once, and nothing else is; and what counts is in
-- a block of its chain.
create or replace function chains.audit_transfers(
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
