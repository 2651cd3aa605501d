-- bears: previous
-- Several accounts of ours at a market. Each has a key, money, a pace and a state of its own, and an order stays with
-- the account that it was begun with. `main` is the one whose key is in the settings. A process of the release before
-- knows only `main`: what it calls without an account is that one's.
alter table buying.market_account
  add column use text not null default 'both',
  add column sealed_key text,
  add column key_version integer not null default 1,
  add constraint market_account_name_form check (name ~ '^[a-z][a-z0-9-]{0,23}$'),
  add constraint market_account_use_known check (use in ('buying', 'feed', 'both')),
  add constraint market_account_has_a_key check (
    case name when 'main' then sealed_key is null else sealed_key is not null or state = 'disabled' end);
comment on column buying.market_account.state is
  'enabled; draining: nothing is bought with it, its orders are followed to their ends; disabled: the same, by an operator who expects no more of it';
comment on column buying.market_account.use is 'what its calls are for; feed: nothing is bought with it';
comment on column buying.market_account.sealed_key is
  'null: the key is in the settings, or a restore has lost it: then only the name is known, by what was sent with the account';
comment on column buying.market_account.key_version is 'which key it is: one more with each rotation';

-- With a constant as default no row is written. The foreign key is validated later, beside writers.
alter table buying.supplier_order
  add column market_account text not null default 'main',
  add constraint supplier_order_market_account foreign key (market, market_account)
    references buying.market_account (market, name) not valid;
comment on column buying.supplier_order.market_account is
  'our account at the market that it was begun with: no other account can see it there. It changes only where no call has left';
alter table buying.item
  add column market_account text not null default 'main';
comment on column buying.item.market_account is
  'once its order was begun: as the order has it, for the queue of that account''s look-ups. Of no meaning before';
