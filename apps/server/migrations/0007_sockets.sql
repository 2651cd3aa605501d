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
  account_id uuid not null,
  taken integer not null,
  constraint slot_pkey primary key (process_id, channel, account_id),
  constraint slot_process foreign key (process_id) references sockets.process (id) on delete cascade,
  constraint slot_channel_known check (channel in ('market', 'user')),
  constraint slot_taken_positive check (taken > 0)
);
create index slot_of_account on sockets.slot (account_id, channel);

-- Takes a slot for each of the accounts, in their order: 'taken', 'account_full' or 'full'. No row when the
-- process is not registered (any more). One caller at a time, so that no cap is exceeded.
create function sockets.take_slots(
  process_ uuid, at_ timestamptz, channels_ text[], accounts_ uuid[], per_account_ integer, in_all_ integer)
returns table (ordinal integer, answer text)
language plpgsql as $$
declare
  total_ jsonb;
  own_ integer;
  all_ integer;
begin
  perform pg_advisory_xact_lock(hashtextextended('sockets.slots', 0));
  delete from sockets.process p where p.lease_until < at_ and p.id <> process_;
  if not exists (select from sockets.process p where p.id = process_) then return; end if;
  select coalesce(jsonb_object_agg(s.channel, s.taken), '{}') into total_
    from (select t.channel, sum(t.taken) as taken from sockets.slot t group by t.channel) s;
  for position_ in 1 .. cardinality(accounts_) loop
    ordinal := position_;
    all_ := coalesce((total_ ->> channels_[position_])::integer, 0);
    select coalesce(sum(s.taken), 0) into own_ from sockets.slot s
      where s.account_id = accounts_[position_] and s.channel = channels_[position_];
    if own_ >= per_account_ then
      answer := 'account_full';
    elsif all_ >= in_all_ then
      answer := 'full';
    else
      answer := 'taken';
      insert into sockets.slot as s (process_id, channel, account_id, taken)
        values (process_, channels_[position_], accounts_[position_], 1)
        on conflict (process_id, channel, account_id) do update set taken = s.taken + 1;
      total_ := jsonb_set(total_, array[channels_[position_]], to_jsonb(all_ + 1));
    end if;
    return next;
  end loop;
end $$;
