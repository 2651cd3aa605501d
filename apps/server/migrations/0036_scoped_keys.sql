-- bears: previous
-- What narrows an API key: what it may do, for whom, and until when. Null is no bound.
alter table identity.api_key
  add column scopes text[],
  add column accounts uuid[],
  add column ends_at timestamptz,
  add constraint api_key_scopes_known check (scopes <@ array['read', 'live', 'buy', 'sell', 'deposit', 'users', 'funds', 'payout']),
  add constraint api_key_accounts_are_sub_users check (accounts is null or (kind = 'merchant' and cardinality(accounts) between 1 and 100));
comment on column identity.api_key.accounts is 'the sub-users that it may act for; null: all, and the merchant itself';
comment on column identity.api_key.ends_at is 'from then on it opens nothing; valid_until is the end of a rotation''s overlap';

create or replace trigger api_key_changed after update of status, allowlist, valid_until, scopes, accounts, ends_at on identity.api_key
  for each row when ((new.status, new.allowlist, new.valid_until, new.scopes, new.accounts, new.ends_at)
    is distinct from (old.status, old.allowlist, old.valid_until, old.scopes, old.accounts, old.ends_at))
  execute function identity.notify_key_changed();
