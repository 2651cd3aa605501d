-- How many sockets each account has open, over all processes. The slots of a process count while its lease
-- lasts; those of a process that died are deleted when another process takes a slot.
create schema sockets;

create table sockets.process (
  id uuid not null,
  lease_until timestamptz not null,
  constraint process_pkey primary key (id)
);

create table sockets.slot (
  process_id uuid not null,
  channel text not null,
  tenant_id uuid not null,
  account_id uuid not null,
  taken integer not null,
  constraint slot_pkey primary key (process_id, channel, account_id),
  constraint slot_process foreign key (process_id) references sockets.process (id) on delete cascade,
  constraint slot_channel_known check (channel in ('market', 'user')),
  constraint slot_taken_positive check (taken > 0)
);
create index slot_of_account on sockets.slot (account_id, channel);
create index slot_of_tenant on sockets.slot (tenant_id, channel);

create function sockets.total() returns table (channel text, taken bigint)
language sql stable as $$
  select s.channel, sum(s.taken) from sockets.slot s group by s.channel
$$;

-- Takes a slot for each of the accounts, in their order: 'taken', 'account_full', 'tenant_full' or 'full'. No
-- row when the process is not registered (any more). `batch_` is the most that one call may ask for.
--
-- Callers of different tenants run side by side. What they do not see of each other is one batch of each
-- process, and so much of the total cap stays unused while they do. Only near the cap is there one caller at
-- a time, which then counts exactly.
create function sockets.take_slots(
  process_ uuid, at_ timestamptz, channels_ text[], tenants_ uuid[], accounts_ uuid[],
  per_account_ integer, per_tenant_ integer, in_all_ integer, batch_ integer)
returns table (ordinal integer, answer text)
language plpgsql as $$
declare
  lock_ bigint := hashtextextended('sockets.slots', 0);
  unseen_ bigint := batch_ * (select count(*) from sockets.process);
  usable_ bigint := in_all_;
  total_ jsonb;
  own_ integer;
  tenant_ integer;
  all_ integer;
begin
  if cardinality(accounts_) > batch_ then raise 'more slots than a batch has'; end if;
  if exists (select from sockets.total() t where t.taken + 2 * unseen_ > in_all_) or 2 * unseen_ > in_all_ then
    perform pg_advisory_xact_lock(lock_);
  else
    perform pg_advisory_xact_lock_shared(lock_);
    usable_ := in_all_ - unseen_;
  end if;
  -- Held against deletion by another process. A process that another one holds is alive, or being deleted.
  perform from sockets.process p where p.id = process_ for key share;
  if not found then return; end if;
  delete from sockets.process p where p.id in (
    select e.id from sockets.process e where e.lease_until < at_ and e.id <> process_ for update skip locked);
  -- In one order, so that two callers never wait for each other.
  perform pg_advisory_xact_lock(k.key) from (
    select distinct hashtextextended('sockets.slots:' || t.id, 0) as key from unnest(tenants_) as t (id)
    order by 1) k;

  select coalesce(jsonb_object_agg(t.channel, t.taken), '{}') into total_ from sockets.total() t;
  for position_ in 1 .. cardinality(accounts_) loop
    ordinal := position_;
    all_ := coalesce((total_ ->> channels_[position_])::integer, 0);
    select coalesce(sum(s.taken), 0) into own_ from sockets.slot s
      where s.account_id = accounts_[position_] and s.channel = channels_[position_];
    select coalesce(sum(s.taken), 0) into tenant_ from sockets.slot s
      where s.tenant_id = tenants_[position_] and s.channel = channels_[position_];
    if own_ >= per_account_ then
      answer := 'account_full';
    elsif tenant_ >= per_tenant_ then
      answer := 'tenant_full';
    elsif all_ >= usable_ then
      answer := 'full';
    else
      answer := 'taken';
      insert into sockets.slot as s (process_id, channel, tenant_id, account_id, taken)
        values (process_, channels_[position_], tenants_[position_], accounts_[position_], 1)
        on conflict (process_id, channel, account_id) do update set taken = s.taken + 1;
      total_ := jsonb_set(total_, array[channels_[position_]], to_jsonb(all_ + 1));
    end if;
    return next;
  end loop;
end $$;
