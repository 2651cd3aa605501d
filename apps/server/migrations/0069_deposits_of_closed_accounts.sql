-- A deposit holds a close of its account back from the moment at which it is listed. Its maker is answered, and it is
-- listed, while the account is kept: a close that came between the intent and the answer has it refused.
--   account_exists: the account of a deposit that is to be listed was deleted meanwhile
create or replace function deposits.place_orders(orders_ jsonb, is_found_again_ boolean) returns table (deposit deposits.deposit, details jsonb)
language plpgsql
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  ids_ uuid[] := array(select p.deposit_id from jsonb_to_recordset(orders_) p (deposit_id uuid));
  closed_ uuid;
begin
  if is_found_again_ then perform set_config('synchronous_commit', 'off', true); end if;
  perform from deposits.deposit d where d.id = any (ids_) order by d.account_id, d.id for no key update;
  select o.account_id into closed_
    from identity.lock_owners(array(
      select p.account_id from jsonb_to_recordset(orders_) p (account_id uuid, look_at timestamptz) where p.look_at is not null)) o
    where o.status = 'deleted' limit 1;
  if found then
    raise exception 'account % does not exist', closed_ using errcode = '23503', constraint = 'account_exists';
  end if;
  perform deposits.lock_orders(ids_);
  with answered as materialized (
    select * from jsonb_to_recordset(orders_) p (
      deposit_id uuid, provider_order_id text, details jsonb, address text, pay_amount numeric, expires_at timestamptz,
      at timestamptz, first_look_at timestamptz, look_at timestamptz)),
  placed as (
    update deposits.provider_order o set state = 'placed',
        provider_order_id = coalesce(p.provider_order_id, o.provider_order_id),
        details = o.details || p.details, misses = 0,
        due_at = case when o.due_at = p.first_look_at then p.look_at else o.due_at end
      from answered p
      where o.deposit_id = any (ids_) and p.deposit_id = o.deposit_id and (o.state in ('creating', 'absent') or p.look_at is not null)
      returning o.deposit_id)
  update deposits.deposit d set address = coalesce(p.address, d.address), pay_amount = coalesce(p.pay_amount, d.pay_amount),
      expires_at = coalesce(p.expires_at, d.expires_at), updated_at = p.at
    from answered p
    where d.id = any (ids_) and p.deposit_id = d.id and d.id in (select o.deposit_id from placed o);
  -- A look sets no next one here.
  perform deposits.begin_listing(array(
    select p.deposit_id from jsonb_to_recordset(orders_) p (deposit_id uuid, look_at timestamptz) where p.look_at is not null));
  return query select d, o.details
    from deposits.deposit d join deposits.provider_order o on o.deposit_id = d.id where d.id = any (ids_);
end $$;
