-- After a chargeback a merchant may hold what its sub-user owes: the money was moved to it before. Where an
-- administrator has set it, a debt of its users that is older than a day is taken from its spot wallet.
alter table identity.account add column recovers_debts boolean not null default false,
  add constraint account_with_users_recovers check (not recovers_debts or kind in ('merchant', 'partner'));
comment on column identity.account.recovers_debts is 'what its sub-users or children owe for deposits is taken from its spot wallet after a day';

-- Whose wallet repays what an account owes; null: its own alone.
create function identity.payer_of_debts(account_id_ uuid) returns uuid
language sql stable as $$
  select p.id from identity.account a join identity.account p on p.id = a.parent_id and p.recovers_debts
  where a.id = account_id_ $$;

-- What an owner has on its account of a kind; 0 for one that was never opened.
create function ledger.balance_of(owner_id_ uuid, kind_ text) returns bigint
language sql stable as $$
  select coalesce((select b.posted from ledger.balance b where b.account_id = ledger.account_of(owner_id_, kind_)), 0) $$;

-- Owners who are below zero on an account of a kind since before a moment.
create function ledger.owners_below_zero(kind_ text, before_ timestamptz) returns setof uuid
language sql stable as $$
  select a.owner_id from ledger.account a join ledger.balance b on b.account_id = a.id and b.posted < 0
  where a.kind = kind_ and exists (select from ledger.open_debts(a.id) d where d.created_at < before_) order by a.id $$;

-- The credit of what is recovered repays the debt in its own commit.
select ledger.add_journal_kind('deposit_debt_recovery');

-- Takes from the wallet of a payer what an account owes since before a moment, the oldest first, as far as it goes: a
-- posting for each deposit that is owed. Between two currencies at the rate of the day. Returns the cents of the account.
create function deposits.recover_debts(account_id_ uuid, before_ timestamptz, at_ timestamptz) returns bigint
language plpgsql as $$
declare
  payer_id_ uuid := identity.payer_of_debts(account_id_);
  own_ ledger.currency;
  other_ ledger.currency;
  wallet_ bigint := ledger.account_of(account_id_, 'spot');
  debt_account_ bigint := ledger.account_of(account_id_, 'deposit_debt');
  payer_ bigint := ledger.account_of(payer_id_, 'spot');
  debt_ record;
  rate_ bigint;
  cost_ bigint;
  amount_ bigint;
  key_ text;
  recovered_ bigint := 0;
begin
  if payer_id_ is null then return 0; end if;
  select max(o.currency) filter (where o.account_id = account_id_), max(o.currency) filter (where o.account_id = payer_id_)
    into strict own_, other_ from identity.lock_owners(array[account_id_, payer_id_]) o;
  if own_ <> other_ then rate_ := fx.usd_per_eur_at(at_); end if;
  if own_ <> other_ and rate_ is null then return 0; end if;
  perform ledger.lock_accounts(array[wallet_, debt_account_, payer_,
    case when own_ <> other_ then ledger.house('exchange', own_) end,
    case when own_ <> other_ then ledger.house('exchange', other_) end]);
  for debt_ in select d.* from ledger.open_debts(debt_account_) d where d.created_at < before_ loop
    -- The least that covers it.
    cost_ := pricing.convert_rounded_down(debt_.amount, own_, other_, rate_);
    if pricing.convert_rounded_down(cost_, other_, own_, rate_) < debt_.amount then cost_ := cost_ + 1; end if;
    cost_ := least(cost_, ledger.lock_balance(payer_));
    amount_ := least(debt_.amount, pricing.convert_rounded_down(cost_, other_, own_, rate_));
    exit when amount_ <= 0;
    key_ := 'deposit_debt_recovery:' || uuidv7();
    if own_ = other_ then
      perform ledger.post('deposit_debt_recovery', null, payer_id_, key_, convert_to(key_, 'UTF8'), at_,
        array[own_], array[payer_], array[wallet_], array[amount_], debt_.external_ref);
    else
      perform ledger.post('deposit_debt_recovery', null, payer_id_, key_, convert_to(key_, 'UTF8'), at_,
        array[other_, own_], array[payer_, ledger.house('exchange', own_)],
        array[ledger.house('exchange', other_), wallet_], array[cost_, amount_], debt_.external_ref);
    end if;
    recovered_ := recovered_ + amount_;
  end loop;
  return recovered_;
end $$;

-- Accounts of which something can be recovered now.
create function deposits.recoverable_debts(before_ timestamptz, limit_ integer) returns setof uuid
language sql stable as $$
  select o.id from ledger.owners_below_zero('deposit_debt', before_) o (id)
  where ledger.balance_of(identity.payer_of_debts(o.id), 'spot') > 0 limit limit_ $$;
