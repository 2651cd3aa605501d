-- bears: previous
-- A delivery that its market took back, and of which it names the user as the party that was charged, without a
-- document that says what that means. It stays in its hold, whatever its market says later and however long the
-- hold has been over, until a person decides. Both are written once.
alter table buying.item
  add column contested_at timestamptz,
  add column decided_at timestamptz,
  -- Of rows from before no one can break it, so the table is not read under the lock.
  add constraint item_decided_before_its_end check (
    contested_at is null or decided_at is not null or work <> 'none') not valid,
  add constraint item_decided_once_contested check (decided_at is null or contested_at is not null) not valid;
comment on column buying.item.contested_at is 'when its market was first seen to take the delivery back and to name the user';
comment on column buying.item.decided_at is 'when a person said how a contested delivery ends';

-- What a market with a long history said that it sold us, an order a line: its newest pages are read until they meet
-- these, and orders that are not final are looked up by their ids. A line is written over by what is said next.
create table reconciliation.statement_line (
  market text not null,
  account text not null,
  order_id text not null,
  custom_id text,
  placed_at timestamptz not null,
  paid_mills bigint,
  state text not null default 'open',
  returned_mills bigint,
  detail text not null default '',
  changed_at timestamptz not null,
  read_at timestamptz,
  constraint statement_line_pkey primary key (market, account, order_id),
  constraint statement_line_state_known check (state in ('open', 'held', 'completed', 'ended'))
) with (fillfactor = 80);
comment on column reconciliation.statement_line.account is 'our account there: main';
comment on column reconciliation.statement_line.changed_at is 'when it was last seen to say something else';
comment on column reconciliation.statement_line.read_at is 'when the order was last looked up; null: not yet';
create index statement_line_placed on reconciliation.statement_line (market, account, placed_at);

create table reconciliation.statement_run (
  market text not null,
  account text not null,
  complete_since timestamptz not null,
  read_at timestamptz not null,
  constraint statement_run_pkey primary key (market, account)
);
comment on column reconciliation.statement_run.complete_since is 'every order that was placed after it, and that the market showed at read_at, has its line';
