-- A withdrawal from a wallet repays a debt first. Few owners have one: without it nothing is locked.
create or replace function deposits.collect_debt(account_id_ uuid, at_ timestamptz) returns bigint
language plpgsql as $$
declare
  wallet_ bigint := ledger.account_of(account_id_, 'spot');
  debt_ bigint := ledger.account_of(account_id_, 'deposit_debt');
  owner_ record;
  amount_ bigint;
  key_ text := uuidv7()::text;
begin
  if debt_ is null then return 0; end if;
  select o.* into strict owner_ from identity.lock_owners(array[account_id_]) o;
  perform ledger.lock_accounts(array[wallet_, debt_]);
  amount_ := least(ledger.lock_balance(wallet_), -ledger.lock_balance(debt_));
  if amount_ <= 0 then return 0; end if;
  perform ledger.post('deposit_debt_repayment', null, account_id_, 'deposit_debt:' || key_, convert_to(key_, 'UTF8'), at_,
    array[owner_.currency::ledger.currency], array[wallet_], array[debt_], array[amount_]);
  return amount_;
end $$;
