-- A withdrawal from a wallet in cents is paid in tokens: out of the service's own funds, never out of what
-- owners have in kind.
alter table outbound.transaction add column needs_capital boolean not null default false;
comment on column outbound.transaction.needs_capital is 'pays out what is owed in cents: the service''s own funds have to cover it and its gas';
comment on column outbound.transaction.hold_reason is 'why a queued transaction waits: hot_wallet_low, capital_low, gas_low, or the rule of the signer that refused it; fee_cap: a signed one is not replaced, because the fees would be too high';

create index account_owed on custody.account (chain, token) where is_tracked;

-- Base units that our addresses on a chain hold by the books, less what is owed to owners in kind.
create function custody.own_funds(chain_ text, tokens_ text[]) returns table (token text, units numeric)
language sql stable as $$
  select t.token,
    (select sum(custody.balance_of(held.role, null, chain_, t.token))
     from unnest('{deposit_address,treasury,hot_wallet,gas_station}'::text[]) held (role))
    - (select coalesce(sum(b.units), 0) from custody.account a join custody.balance b on b.account_id = a.id
       where a.is_tracked and a.chain = chain_ and a.token = t.token)
  from unnest(tokens_) t (token) $$;
