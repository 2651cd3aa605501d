-- What changed of which listings, for processes that tell others of it. One row a batch, under the
-- number of the batch: "after number n" misses nothing. It says which listings to look at and not what
-- became of them: whoever reads it sees the state of the moment, and several changes of one listing are one.
create table catalog.listing_change (
  seq bigint not null,
  at timestamptz not null,
  appeared bigint[] not null,
  changed bigint[] not null,
  market text,
  constraint listing_change_pkey primary key (seq)
);
comment on column catalog.listing_change.at is 'rises with seq, whichever process wrote the row';
comment on column catalog.listing_change.appeared is 'listings that were not for sale before: new, back, or given back';
comment on column catalog.listing_change.changed is 'listings that have another price or other fields, or are gone';
comment on column catalog.listing_change.market is 'set when a whole market went or came back';

-- Called with the number of the batch that is open, so one at a time: `at` never falls.
create function catalog.note_listing_change(
  seq_ bigint, at_ timestamptz, appeared_ bigint[], changed_ bigint[], market_ text) returns void
language sql as $$
  insert into catalog.listing_change (seq, at, appeared, changed, market)
  values (seq_,
    greatest(at_, (select c.at from catalog.listing_change c order by c.seq desc limit 1)),
    appeared_, changed_, market_)
$$;

-- Sockets live as long as their account may have them, and show its prices: this tells their processes
-- when either changed. The payload is the account.
create function identity.tell_standing_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('identity_standing_changed', new.id::text);
  return null;
end $$;
create trigger account_standing_changed
  after update of status, fee_bps, buy_fee_bps, child_default_fee_bps, currency on identity.account
  for each row
  when ((new.status, new.fee_bps, new.buy_fee_bps, new.child_default_fee_bps, new.currency)
    is distinct from (old.status, old.fee_bps, old.buy_fee_bps, old.child_default_fee_bps, old.currency))
  execute function identity.tell_standing_changed();

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
