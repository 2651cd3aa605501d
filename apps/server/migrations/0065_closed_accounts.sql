-- An account is closed when every balance of it is zero, and nothing is created below it from then on.

-- Whether a balance of an owner is not zero. Balances are not added up: what one account holds, or holds in one
-- currency, is not what another one owes.
create function ledger.has_money(owner_id_ uuid) returns boolean
language sql stable as $$
  select exists (select from ledger.account a join ledger.balance b on b.account_id = a.id
    where a.owner_id = owner_id_ and b.posted <> 0) $$;

-- What the journal under a key took from, or gave to, a house account; 0 when there is no such journal.
create function ledger.taken_under(
  scope_id_ uuid, idempotency_key_ text, house_kind_ text, currency_ ledger.currency) returns bigint
language sql stable as $$
  select coalesce(sum(p.amount), 0)::bigint
  from ledger.journal j join ledger.posting p on p.journal_id = j.id
  where j.scope_id = scope_id_ and j.idempotency_key = idempotency_key_
    and p.debit_account_id = ledger.house(house_kind_, currency_) $$;

create function ledger.given_under(
  scope_id_ uuid, idempotency_key_ text, house_kind_ text, currency_ ledger.currency) returns bigint
language sql stable as $$
  select coalesce(sum(p.amount), 0)::bigint
  from ledger.journal j join ledger.posting p on p.journal_id = j.id
  where j.scope_id = scope_id_ and j.idempotency_key = idempotency_key_
    and p.credit_account_id = ledger.house(house_kind_, currency_) $$;

-- Before a row below an account: a close of the account is waited for, and after it the row is refused. Key share
-- conflicts with the lock of a close and with nothing else. The argument names the column with the account.
create function identity.refuse_below_deleted() returns trigger language plpgsql as $$
declare
  account_id_ uuid := to_jsonb(new) ->> tg_argv[0];
  status_ text;
begin
  select a.status into status_ from identity.account a where a.id = account_id_ for key share;
  if status_ = 'deleted' then
    raise exception 'account % does not exist', account_id_ using errcode = '23503', constraint = 'account_exists';
  end if;
  return new;
end $$;
create trigger parent_is_open before insert on identity.account
  for each row execute function identity.refuse_below_deleted('parent_id');
create trigger account_is_open before insert on identity.api_key
  for each row execute function identity.refuse_below_deleted('account_id');
create trigger account_is_open before insert on identity.trade_url
  for each row execute function identity.refuse_below_deleted('account_id');
create trigger account_is_open before insert on people.membership
  for each row execute function identity.refuse_below_deleted('account_id');
create trigger account_is_open before insert on people.invitation
  for each row execute function identity.refuse_below_deleted('account_id');
create trigger account_is_open before insert on webhooks.endpoint
  for each row execute function identity.refuse_below_deleted('tenant_id');
create trigger account_is_open before insert on chains.address
  for each row execute function identity.refuse_below_deleted('owner_id');
create trigger account_is_open before insert on payouts.merchant
  for each row execute function identity.refuse_below_deleted('id');
create trigger account_is_open before insert on payouts.destination
  for each row execute function identity.refuse_below_deleted('merchant_id');
create trigger account_is_open before insert on operations.balance_threshold
  for each row execute function identity.refuse_below_deleted('account_id');
create trigger account_is_open before insert on operations.adjustment
  for each row execute function identity.refuse_below_deleted('account_id');

create or replace function trades.audit(
  after_ uuid default '00000000-0000-0000-0000-000000000000',
  up_to_ uuid default 'ffffffff-ffff-ffff-ffff-ffffffffffff') returns table (invariant text, detail text)
language sql stable as $$
  select 'a trade''s total is the sum of its items', t.id::text
    from trades.trade t left join trades.item i on i.trade_id = t.id
    where t.id > after_ and t.id <= up_to_
    group by t.id having coalesce(sum(i.price), 0) <> t.total or count(i.id) <> t.item_count
  union all
  select 'what a trade earned is the sum of what its items did', t.id::text
    from trades.trade t join trades.item i on i.trade_id = t.id
    where t.id > after_ and t.id <= up_to_
    group by t.id having coalesce(sum(i.merchant_earned), 0) <> t.earned
  union all
  select 'a trade''s status follows from its items', t.id::text
    from trades.trade t join trades.item i on i.trade_id = t.id
    where t.id > after_ and t.id <= up_to_
    group by t.id having min(i.status) <> t.status
  union all
  select 'an item of a buy has a hold, an item of a sell has none', i.id::text
    from trades.item i join trades.trade t on t.id = i.trade_id
    where t.id > after_ and t.id <= up_to_
      and (t.type = 'buy') <> (i.hold_id is not null)
  union all
  select 'an item has one hold of its price, resolved when and only when it is terminal', i.id::text
    from trades.item i left join ledger.hold_of(i.hold_id) h on true
    where i.trade_id > after_ and i.trade_id <= up_to_
      and i.hold_id is not null and (h.amount is distinct from i.price or h.resolved <> (i.status >= 'completed'))
  union all
  select 'a refunded item''s resolution says what the item says', i.id::text
    from trades.item i left join ledger.hold_of(i.hold_id) h on true
    where i.trade_id > after_ and i.trade_id <= up_to_
      and i.hold_id is not null and h.resolved
      and (coalesce(i.refunded, 0) <> h.refunded or coalesce(i.penalty, 0) <> h.penalty)
  union all
  select 'a deleted account has no money and no trade under way', a.id::text
    from identity.deleted_accounts() a (id)
    -- Of an audit of everything at once; one in slices has a part of its own for deleted accounts.
    where after_ = '00000000-0000-0000-0000-000000000000' and up_to_ = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
      and (ledger.has_money(a.id)
        or exists (select from trades.trade t where t.account_id = a.id and t.status < 'completed'))
  union all
  select 'a trade has the event of its beginning', t.id::text
    from trades.trade t where t.id > after_ and t.id <= up_to_
      and not outbox.has_event('trade.initiated', t.id)
  union all
  select 'an ended trade has the event of its end', t.id::text
    from trades.trade t where t.id > after_ and t.id <= up_to_
      and t.status >= 'completed' and not outbox.has_event('trade.' || t.status, t.id)
$$;
drop function ledger.owned_by(uuid);

create or replace function selling.audit(
  after_ uuid default '00000000-0000-0000-0000-000000000000',
  up_to_ uuid default 'ffffffff-ffff-ffff-ffff-ffffffffffff') returns table (invariant text, detail text)
language sql stable as $$
  select 'an item of a sell has its asset, open until it is terminal', i.id::text
    from trades.items_of_type('sell', after_, up_to_) i left join selling.item s on s.id = i.id
    where s.id is null or s.trade_id <> i.trade_id or s.is_open <> (i.status < 'completed')
  union all
  select 'an item that was offered names its offer', i.id::text
    from trades.items_of_type('sell', after_, up_to_) i join selling.item s on s.id = i.id
    where i.status in ('active', 'hold', 'completed', 'declined', 'reverted')
      and (s.offer_intent_id is null or i.offer_id is null)
  union all
  select 'a sold item is paid once when it is completed, and never otherwise', i.id::text
    from trades.items_of_type('sell', after_, up_to_) i
    where ledger.taken_under(i.account_id, 'proceeds:' || i.id, 'inventory', i.currency)
        + ledger.taken_under(i.account_id, 'settle:' || i.id, 'inventory', i.currency)
      <> case when i.status = 'completed' then i.price else 0 end
  union all
  select 'what was received is stock, and nothing else is', i.id::text
    from trades.items_of_type('sell', after_, up_to_) i left join selling.stock s on s.item_id = i.id
    where (i.status in ('hold', 'completed', 'reverted')) <> (s.item_id is not null)
      or s.state <> case i.status when 'hold' then 'protected' when 'completed' then 'owned' else 'returned' end
      or s.cost <> i.price
  union all
  select 'an item under way is waited for', i.id::text
    from trades.items_of_type('sell', after_, up_to_) i join selling.item w on w.id = i.id
      join selling.sell s on s.trade_id = i.trade_id left join selling.offer o on o.id = w.offer_intent_id
    where i.status in ('initiated', 'pending', 'active', 'hold')
      and case when w.offer_intent_id is null then not s.waiting
               else o.state <> all (case i.status when 'pending' then array['placing', 'unknown']
                                      when 'active' then array['out'] else array['taken'] end) end
  union all
  select 'the inventory account is the cost of the stock', c::text
    from unnest(array['USD', 'EUR']::ledger.currency[]) c
    where after_ = '00000000-0000-0000-0000-000000000000' and -ledger.house_balance('inventory', c)
      <> (select coalesce(sum(s.cost), 0) from selling.stock s where s.currency = c and s.state = 'owned')
$$;

-- Takes back what was credited for a part of what was received, each refund once. The shares are of the whole
-- deposit and rounded up, so that a full refund takes back exactly all of it. What the wallet does not cover
-- becomes a debt of its owner; of an owner that was deleted it is the service's, in `unclaimed_deposits`. The lock
-- of the owner holds a close back: it sees the debt, or the debt is not opened.
create or replace function deposits.take_reversal(
  inout deposit_ deposits.deposit, provider_ text, refund_ref_ text, amount_token_ numeric, to_ deposits.status,
  reason_ text, at_ timestamptz, out reversed boolean, out wallet_amount bigint, out owed bigint)
language plpgsql as $$
declare
  reversal_id_ uuid := uuidv7();
  journal_id_ uuid;
  credit_ record;
  before_ record;
  owner_ record;
  share_ numeric;
  net_ bigint;
  fee_ bigint;
  clearing_ bigint;
  wallet_ bigint;
  debt_ bigint;
  currencies_ ledger.currency[] := '{}';
  debits_ bigint[] := '{}';
  credits_ bigint[] := '{}';
  amounts_ bigint[] := '{}';
begin
  reversed := not exists (select from deposits.reversal r where r.provider = provider_ and r.refund_ref = refund_ref_);
  wallet_amount := 0; owed := 0;
  if not reversed then return; end if;

  select coalesce(sum(c.amount_token), 0) tokens, coalesce(sum(c.wallet_amount), 0) wallet, coalesce(sum(c.net_usd), 0) net,
      coalesce(sum(c.fee_usd), 0) fee, coalesce(bool_or(c.is_unclaimed), false) unclaimed,
      case when count(*) = 1 then min(c.journal_id::text)::uuid end journal_id
    into credit_ from deposits.credit c where c.deposit_id = deposit_.id;
  select coalesce(sum(r.amount_token), 0) tokens, coalesce(sum(r.wallet_amount), 0) wallet, coalesce(sum(r.net_usd), 0) net,
      coalesce(sum(r.fee_usd), 0) fee
    into before_ from deposits.reversal r where r.deposit_id = deposit_.id;
  share_ := case when credit_.tokens = 0 then 0
    else least(1, (before_.tokens + amount_token_) / credit_.tokens) end;
  net_ := ceil(credit_.net * share_) - before_.net;
  fee_ := ceil(credit_.fee * share_) - before_.fee;
  wallet_amount := ceil(credit_.wallet * share_) - before_.wallet;
  clearing_ := ledger.house(deposits.clearing_of(deposit_.method), 'USD');

  if fee_ > 0 then
    currencies_ := currencies_ || 'USD'::ledger.currency; debits_ := debits_ || ledger.house('deposit_fees', 'USD');
    credits_ := credits_ || clearing_; amounts_ := amounts_ || fee_;
  end if;
  if deposit_.currency <> 'USD' and net_ > 0 then
    currencies_ := currencies_ || 'USD'::ledger.currency; debits_ := debits_ || ledger.house('exchange', 'USD');
    credits_ := credits_ || clearing_; amounts_ := amounts_ || net_;
    clearing_ := ledger.house('exchange', deposit_.currency);
  end if;
  if wallet_amount > 0 then
    if credit_.unclaimed then
      wallet_ := ledger.house('unclaimed_deposits', deposit_.currency);
    else
      select o.* into strict owner_ from identity.lock_owners(array[deposit_.account_id]) o;
      wallet_ := ledger.account_of(deposit_.account_id, 'spot');
      debt_ := case owner_.status when 'deleted' then ledger.house('unclaimed_deposits', deposit_.currency)
        else ledger.open_account(deposit_.account_id, 'deposit_debt', deposit_.currency) end;
      perform ledger.lock_accounts(array[wallet_, debt_]);
      owed := greatest(0, wallet_amount - ledger.lock_balance(wallet_));
    end if;
    if wallet_amount > owed then
      currencies_ := currencies_ || deposit_.currency; debits_ := debits_ || wallet_;
      credits_ := credits_ || clearing_; amounts_ := amounts_ || (wallet_amount - owed);
    end if;
    if owed > 0 then
      currencies_ := currencies_ || deposit_.currency; debits_ := debits_ || debt_;
      credits_ := credits_ || clearing_; amounts_ := amounts_ || owed;
    end if;
  end if;
  if cardinality(amounts_) > 0 then
    journal_id_ := (ledger.post('deposit_reversal', deposit_.id, deposit_.account_id,
      'deposit_reversal:' || provider_ || ':' || refund_ref_, uuid_send(deposit_.id), at_, currencies_, debits_, credits_,
      amounts_, deposit_.id::text, case when share_ = 1 and before_.tokens = 0 then credit_.journal_id end)).journal_id;
  end if;

  insert into deposits.reversal (id, deposit_id, provider, refund_ref, amount_token, wallet_amount, owed, net_usd, fee_usd,
      journal_id, created_at)
    values (reversal_id_, deposit_.id, provider_, refund_ref_, amount_token_, take_reversal.wallet_amount,
      take_reversal.owed, net_, fee_, journal_id_, at_);
  deposit_.reversed := deposit_.reversed + wallet_amount;
  deposit_.updated_at := at_;
  deposit_ := deposits.take_step(deposit_, to_, reason_, null, at_, false);
  -- An event for each reversal: a deposit may be refunded in parts, or have failed once before.
  perform outbox.add('deposit.' || to_, 'deposit', deposit_.tenant_id, deposit_.account_id, deposit_.id,
    jsonb_build_object('refundId', reversal_id_), reversal_id_, at_);
end $$;
