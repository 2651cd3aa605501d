-- Who has how many sockets open, over all processes. A process counts as long as its lease lasts; one
-- that died is forgotten by whoever takes a seat next.
create schema sockets;

create table sockets.process (
  id uuid not null,
  lease_until timestamptz not null,
  constraint process_pkey primary key (id)
);

create table sockets.seat (
  process_id uuid not null,
  channel text not null,
  account_id uuid not null,
  taken integer not null,
  constraint seat_pkey primary key (process_id, channel, account_id),
  constraint seat_process foreign key (process_id) references sockets.process (id) on delete cascade,
  constraint seat_channel_known check (channel in ('market', 'user')),
  constraint seat_taken_positive check (taken > 0)
);
create index seat_of_account on sockets.seat (account_id, channel);

-- Takes seats for the accounts, in their order: 'taken', 'account_full' or 'full'. No row when the process
-- is not known (any more): it must register first. One caller at a time, so that no cap is exceeded.
create function sockets.take(
  process_ uuid, at_ timestamptz, channels_ text[], accounts_ uuid[], per_account_ integer, in_all_ integer)
returns table (place integer, answer text)
language plpgsql as $$
declare
  total_ jsonb;
  own_ integer;
  all_ integer;
begin
  perform pg_advisory_xact_lock(hashtextextended('sockets.seats', 0));
  delete from sockets.process p where p.lease_until < at_ and p.id <> process_;
  if not exists (select from sockets.process p where p.id = process_) then return; end if;
  select coalesce(jsonb_object_agg(s.channel, s.taken), '{}') into total_
    from (select t.channel, sum(t.taken) as taken from sockets.seat t group by t.channel) s;
  for place in 1 .. cardinality(accounts_) loop
    all_ := coalesce((total_ ->> channels_[place])::integer, 0);
    select coalesce(sum(s.taken), 0) into own_ from sockets.seat s
      where s.account_id = accounts_[place] and s.channel = channels_[place];
    if own_ >= per_account_ then
      answer := 'account_full';
    elsif all_ >= in_all_ then
      answer := 'full';
    else
      answer := 'taken';
      insert into sockets.seat as s (process_id, channel, account_id, taken)
        values (process_, channels_[place], accounts_[place], 1)
        on conflict (process_id, channel, account_id) do update set taken = s.taken + 1;
      total_ := jsonb_set(total_, array[channels_[place]], to_jsonb(all_ + 1));
    end if;
    return next;
  end loop;
end $$;
