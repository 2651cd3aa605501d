-- bears: previous
-- Items that a market offers before the item list names them, and what became of the lists that are read.

alter table catalog.item add column stub boolean not null default false;
comment on column catalog.item.stub is 'known by its name alone, until the item list names it';

-- What is there came from the operator's own list; new items wait for what is said of them.
alter table catalog.item add column quotable boolean not null default true;
alter table catalog.item alter column quotable set default false;
comment on column catalog.item.quotable is 'the reference price may be quoted: two markets say it, or the operator';

-- Names at the markets that no item has. The second read in which one is seen makes an item of it.
create table catalog.unknown_name (
  market_hash_name text not null,
  phase text,
  reads integer not null default 1,
  seen_at timestamptz not null,
  constraint unknown_name_once unique nulls not distinct (market_hash_name, phase)
);

-- The item list, and each market's list of prices. A refused list changes nothing else.
create table catalog.source_list (
  name text not null,
  asked_at timestamptz not null,
  good_at timestamptz,
  refused text,
  constraint source_list_pkey primary key (name)
);
comment on column catalog.source_list.asked_at is 'when it was first asked for';
comment on column catalog.source_list.good_at is 'when it last was taken over, or had not changed';
comment on column catalog.source_list.refused is 'why the newest one was not believed';
