-- The auditor of the books in kind slice by slice, so that no statement grows with them. Together they prove by
-- induction what custody.audit proves by sums.

-- Of the postings after one up to another: each continues the chain of its accounts.
create function custody.audit_postings(after_ bigint, up_to_ bigint) returns table (invariant text, detail text)
language sql stable as $$
  with slice as materialized (
    select p.* from custody.posting p where p.id > after_ and p.id <= up_to_),
  leg as (
    select p.debit_account_id account_id, p.debit_seq seq, p.debit_after after,
        case r.normal_side when 'debit' then p.units else -p.units end change
      from slice p join custody.account a on a.id = p.debit_account_id join custody.role r on r.name = a.role
      where a.is_tracked
    union all
    select p.credit_account_id, p.credit_seq, p.credit_after,
        case r.normal_side when 'credit' then p.units else -p.units end
      from slice p join custody.account a on a.id = p.credit_account_id join custody.role r on r.name = a.role
      where a.is_tracked)
  select 'the custody postings of an account form a gapless chain', format('account %s at seq %s', leg.account_id, leg.seq)
    from leg
    left join lateral (
      select p.debit_after after from custody.posting p
        where p.debit_account_id = leg.account_id and p.debit_seq = leg.seq - 1
      union all
      select p.credit_after from custody.posting p
        where p.credit_account_id = leg.account_id and p.credit_seq = leg.seq - 1) previous on true
    where leg.seq is null
      or leg.after is distinct from case leg.seq when 1 then leg.change else previous.after + leg.change end
  union all
  select 'a custody posting is of one chain and token', p.id::text
    from slice p join custody.account d on d.id = p.debit_account_id join custody.account c on c.id = p.credit_account_id
    where (d.chain, d.token) is distinct from (c.chain, c.token) $$;

-- Of the balances of the accounts after one up to another: each is the end of its chain.
create function custody.audit_balances(after_ bigint, up_to_ bigint) returns table (invariant text, detail text)
language sql stable as $$
  select 'a custody balance is the sum of its postings',
      format('account %s: %s posted, %s in the chain at seq %s', b.account_id, b.units, coalesce(last.after, 0), b.seq)
    from custody.balance b
    left join lateral (
      select p.debit_after after from custody.posting p where p.debit_account_id = b.account_id and p.debit_seq = b.seq
      union all
      select p.credit_after from custody.posting p where p.credit_account_id = b.account_id and p.credit_seq = b.seq) last
      on true
    where b.account_id > after_ and b.account_id <= up_to_
      and (b.units is distinct from case b.seq when 0 then 0 else last.after end
        or exists (select from custody.posting p where p.debit_account_id = b.account_id and p.debit_seq > b.seq)
        or exists (select from custody.posting p where p.credit_account_id = b.account_id and p.credit_seq > b.seq))
  union all
  select 'no custody balance is negative', format('account %s: %s', b.account_id, b.units)
    from custody.balance b where b.account_id > after_ and b.account_id <= up_to_ and b.units < 0 $$;
