-- bears: previous
-- The key of `main` can be rotated as those of the other accounts: from then on it is the one in the database that
-- holds. A process of the release before knows the one in the settings alone, and begins no order with it any more.
alter table buying.market_account
  add column pace integer,
  add column key_hashes text[] not null default '{}',
  drop constraint market_account_has_a_key,
  add constraint market_account_has_a_key check (name = 'main' or sealed_key is not null or state = 'disabled'),
  add constraint market_account_pace_positive check (pace > 0);
comment on column buying.market_account.pace is
  'of its calls, in the unit of its market''s setting: milliseconds between two, or calls in a minute; null: as the setting says';
comment on column buying.market_account.key_hashes is
  'of `main`: SHA-256 of the keys that it has had and has. Another key in the settings is refused at a start';
comment on column buying.market_account.sealed_key is
  'null: of `main`, that the key is in the settings; of another, that a restore has lost it: then only its name is known, by what was sent with it';

-- A gate that is closed opens for one account after the other, as each one's statement is compared. What waited when it
-- was closed stays behind it until all were: any of them may have bought it.
create table reconciliation.gate_opening (
  market text not null,
  account text not null,
  closed_at timestamptz not null,
  constraint gate_opening_pkey primary key (market, account)
);
comment on table reconciliation.gate_opening is 'accounts that place again what has come since their market''s gate was closed';
comment on column reconciliation.gate_opening.closed_at is 'of the closing that it is about: of no meaning after another one';
