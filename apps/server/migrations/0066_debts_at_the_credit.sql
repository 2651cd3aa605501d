-- What an owner owes for deposits that were taken back is taken from its wallet in the commit that credits it,
-- whatever credits it. A job did so every ten seconds, and what came in between could be spent.

-- What an account is below zero for, the oldest first: its debits, less what was paid since.
create function ledger.open_debts(account_id_ bigint)
  returns table (external_ref text, created_at timestamptz, amount bigint)
language sql stable as $$
  select d.external_ref, d.created_at, least(d.amount, -b.posted - d.newer)
  from ledger.balance b cross join lateral (
    select p.external_ref, p.created_at, p.amount, p.debit_seq,
      (sum(p.amount) over (order by p.debit_seq desc))::bigint - p.amount newer
    from ledger.posting p where p.debit_account_id = b.account_id and p.debit_seq is not null) d
  where b.account_id = account_id_ and d.newer < -b.posted
  order by d.debit_seq $$;

-- All that lock a debt hold its wallet, which was opened before it: nothing waits for a debt, and locks keep
-- their order. A repayment is a journal of its own, which names the deposit that is owed.
create function ledger.repay_debts() returns trigger language plpgsql as $$
declare
  owner_ record;
  debt_ record;
  amount_ bigint;
  key_ text;
begin
  select w.owner_id, w.currency, d.id debt into owner_
    from ledger.account w
      join ledger.account d on d.owner_id = w.owner_id and d.kind = 'deposit_debt'
      join ledger.balance b on b.account_id = d.id and b.posted < 0
    where w.id = new.credit_account_id and w.kind = 'spot';
  if not found then return null; end if;
  for debt_ in select * from ledger.open_debts(owner_.debt) loop
    amount_ := least(debt_.amount, ledger.lock_balance(new.credit_account_id));
    exit when amount_ <= 0;
    key_ := 'deposit_debt:' || uuidv7();
    perform ledger.post('deposit_debt_repayment', null, owner_.owner_id, key_, convert_to(key_, 'UTF8'),
      new.created_at, array[owner_.currency], array[new.credit_account_id], array[owner_.debt], array[amount_],
      debt_.external_ref);
  end loop;
  return null;
end $$;
create trigger repay_debts after insert on ledger.posting
  for each row when (new.credit_account_id > 0) execute function ledger.repay_debts();

-- What the job had not come to yet.
do $$ begin
  perform deposits.collect_debt(o.id, now())
    from ledger.owners_below_zero('deposit_debt', 'spot', 2147483647) o (id);
end $$;
drop function deposits.collect_debt(uuid, timestamptz);
drop function ledger.owners_below_zero(text, text, integer);
