-- What waits below the minimum is summed as it comes, goes and comes back: one more small transfer costs the same
-- however many wait at its address. They were counted anew each time before, under a lock on every one of them.

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

-- The trigger holds back every writer until this is committed.
insert into chains.dust_sum (address_id, chain, token, units)
  select t.address_id, t.chain, t.token, sum(t.units) from chains.transfer t
  where t.state = 'dust' and t.orphaned_at is null group by 1, 2, 3;

drop index chains.transfer_dust;
create index transfer_dust on chains.transfer (address_id, chain, token, units) where state = 'dust' and orphaned_at is null;

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

-- The transfers of a slice (invariant I1): what was booked is posted once, and nothing else is; what counts is in a
-- block of its chain; and what waits below the minimum has a sum.
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
  union all
  select 'a small transfer that waits has a sum', t.id::text
    from chains.transfer t
    where t.id > after_ and t.id <= up_to_ and t.state = 'dust' and t.orphaned_at is null
      and not exists (select from chains.dust_sum s
        where s.address_id = t.address_id and s.chain = t.chain and s.token = t.token)
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
