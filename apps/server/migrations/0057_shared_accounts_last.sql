-- bears: previous
-- The order of locks in the books. A transaction locks balances in this order:
--
--   1. accounts of owners, by their ids;
--   2. accounts without an owner (`exchange`), by their ids.
--
-- What else it locks while it moves money stands between the two: the limit of a key (identity.count_spends), a market
-- order (bidding.take_unit, count_step). So a holder of an account that all tenants share waits for no tenant, and the
-- order is total: of two transactions that want the same rows, one has all that the other waits for, or will have it.
--
-- A transaction that writes several journals keeps the order by locking the accounts of all before the first one
-- (ledger.lock_accounts: sales' proceeds, recovered debts, credits of a batch), or touches the same owner's accounts in
-- each. A debt is locked under its wallet alone, which no other transaction holds then.

-- Ids say which accounts are shared: those of the two currencies were opened before any owner's.
alter table ledger.account add constraint account_shared_first check ((owner_id is null) = (id < 3)) not valid;

create function ledger.is_shared(account_id_ bigint) returns boolean
language sql immutable parallel safe as $$ select account_id_ < 3 $$;
comment on function ledger.is_shared(bigint) is 'an account without an owner: locked last';

create or replace function ledger.lock_accounts(account_ids bigint[]) returns void
language plpgsql as $$
begin
  perform from ledger.balance where account_id = any (account_ids)
    order by ledger.is_shared(account_id), account_id for no key update;
end $$;

-- As before, in the order above.
create or replace function ledger.post(
  kind_ text, ref_id_ uuid, scope_id_ uuid, idempotency_key_ text, request_hash_ bytea, at_ timestamptz,
  currencies ledger.currency[], debits bigint[], credits bigint[], amounts bigint[],
  external_ref_ text default null, reverses_id_ uuid default null,
  out journal_id uuid, out replayed boolean)
language plpgsql as $$
declare first_hash bytea;
begin
  replayed := false;
  insert into ledger.journal (kind, ref_id, scope_id, idempotency_key, request_hash, reverses_id, created_at)
    values (kind_, ref_id_, scope_id_, idempotency_key_, request_hash_, reverses_id_, at_)
    on conflict (scope_id, idempotency_key) do nothing
    returning id into journal_id;
  if journal_id is null then
    select id, request_hash into strict journal_id, first_hash from ledger.journal
      where scope_id = scope_id_ and idempotency_key = idempotency_key_;
    if first_hash <> request_hash_ then
      raise exception 'idempotency key reused with another request' using errcode = 'PT409';
    end if;
    replayed := true;
    return;
  end if;
  if cardinality(debits) > 1 then perform ledger.lock_accounts(debits || credits); end if;
  insert into ledger.posting
      (journal_id, kind, currency, debit_account_id, credit_account_id, amount, external_ref, created_at)
    select post.journal_id, kind_, leg.currency, leg.debit, leg.credit, leg.amount, external_ref_, at_
    from unnest(currencies, debits, credits, amounts) leg (currency, debit, credit, amount);
end $$;

-- As before, in the order above.
create or replace function ledger.posting_apply() returns trigger
language plpgsql security definer set search_path = ledger, pg_temp as $$
begin
  new.debit_seq := null; new.debit_after := null; new.credit_seq := null; new.credit_after := null;
  new.xid := pg_current_xact_id();
  -- Balance rows are always locked in one order, so two opposite transfers wait for each other instead of deadlocking.
  if (ledger.is_shared(new.debit_account_id), new.debit_account_id)
      < (ledger.is_shared(new.credit_account_id), new.credit_account_id) then
    if new.debit_account_id > 0 then
      update balance set posted = posted - new.amount, seq = seq + 1
        where account_id = new.debit_account_id and currency = new.currency
        returning seq, posted into new.debit_seq, new.debit_after;
    end if;
    if new.credit_account_id > 0 then
      update balance set posted = posted + new.amount, seq = seq + 1
        where account_id = new.credit_account_id and currency = new.currency
        returning seq, posted into new.credit_seq, new.credit_after;
    end if;
  else
    if new.credit_account_id > 0 then
      update balance set posted = posted + new.amount, seq = seq + 1
        where account_id = new.credit_account_id and currency = new.currency
        returning seq, posted into new.credit_seq, new.credit_after;
    end if;
    if new.debit_account_id > 0 then
      update balance set posted = posted - new.amount, seq = seq + 1
        where account_id = new.debit_account_id and currency = new.currency
        returning seq, posted into new.debit_seq, new.debit_after;
    end if;
  end if;
  if (new.debit_seq is null and not exists (select from account
        where id = new.debit_account_id and id < 0 and currency = new.currency))
  or (new.credit_seq is null and not exists (select from account
        where id = new.credit_account_id and id < 0 and currency = new.currency)) then
    raise exception 'no such account in %: % -> %', new.currency, new.debit_account_id, new.credit_account_id
      using errcode = '23503', constraint = 'posting_accounts_exist';
  end if;
  return new;
end $$;

-- Locks the spot wallets of owners, for a transaction that locks something else before it posts.
create function ledger.lock_wallets(owner_ids_ uuid[]) returns void
language sql as $$
  select ledger.lock_accounts(array(
    select a.id from ledger.account a where a.owner_id = any (owner_ids_) and a.kind = 'spot')) $$;

-- All that count_spends would wait for, ahead of accounts that all tenants share. The caller holds the wallets.
create function identity.lock_limit_of(key_id_ uuid) returns void
language plpgsql as $$
declare limit_id_ uuid;
begin
  select l.id into limit_id_ from identity.api_key k join identity.spend_limit l on l.id = k.spend_limit_id
    where k.id = key_id_ for no key update of l;
  perform from identity.spend_part p where p.limit_id = limit_id_ and not p.is_return order by p.id for update;
end $$;

-- As before, and the end of a fill's hold, which changes nothing in the order, takes no lock: its escrow is locked after
-- this.
create or replace function bidding.count_step(
  tenant_id_ uuid, order_id_ uuid, from_hold_ boolean, to_hold_ boolean, is_over_ boolean, by_buyer_ boolean,
  trade_url_ text, at_ timestamptz) returns void
language plpgsql as $$
declare
  most_faults constant integer := 3;
  order_ bidding.market_order;
begin
  if not to_hold_ and not is_over_ then return; end if;
  select o.* into strict order_ from bidding.market_order o where o.tenant_id = tenant_id_ and o.id = order_id_ for no key update;
  if to_hold_ then
    update bidding.market_order o set pending = o.pending - 1, filled = o.filled + 1, faults = 0, failed_url = null, updated_at = at_
      where o.tenant_id = tenant_id_ and o.id = order_id_;
    if order_.filled + 1 = order_.quantity then perform bidding.end_order(tenant_id_, order_id_, 'filled', at_); end if;
  -- A filled order stays filled, whatever is taken back later.
  elsif order_.status <> 'filled' then
    update bidding.market_order o set
        pending = o.pending - case when from_hold_ then 0 else 1 end,
        filled = o.filled - case when from_hold_ then 1 else 0 end,
        faults = o.faults + case when by_buyer_ then 1 else 0 end,
        failed_url = case when by_buyer_ then trade_url_ else o.failed_url end,
        match_at = case when o.status = 'open' then at_ end, updated_at = at_
      where o.tenant_id = tenant_id_ and o.id = order_id_;
    if by_buyer_ and order_.faults + 1 >= most_faults then
      perform bidding.pause(tenant_id_, order_id_, 'TRADEURL_INVALID_TOKEN', null, at_);
    end if;
  end if;
end $$;
