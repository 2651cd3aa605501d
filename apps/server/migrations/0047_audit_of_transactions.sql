-- What is proven of every transaction is proven slice by slice of their ids, so that no statement of the audit
-- grows with them. That the nonces of a wallet have no holes follows when it holds between each and the one before.

drop function outbound.audit();
create function outbound.audit(
  after_ uuid default '00000000-0000-0000-0000-000000000000',
  up_to_ uuid default 'ffffffff-ffff-ffff-ffff-ffffffffffff') returns table (invariant text, detail text)
language sql stable as $$
  select 'the nonces of a wallet are contiguous',
      format('%s %s: %s after %s, next %s', t.chain, t.key_ref, t.nonce, coalesce(previous.nonce::text, 'none'), w.next_nonce)
    from outbound.transaction t
      left join outbound.wallet w on w.chain = t.chain and w.key_ref = t.key_ref
      left join lateral (
        select p.nonce from outbound.transaction p
        where p.chain = t.chain and p.key_ref = t.key_ref and p.nonce < t.nonce
        order by p.nonce desc limit 1) previous on true
    where t.id > after_ and t.id <= up_to_ and t.nonce is not null
      and (w.next_nonce is null or t.nonce >= w.next_nonce
        -- All between were skipped, and its own was not.
        or t.nonce - coalesce(previous.nonce, t.nonce - 1) - 1 <> (select count(*) from outbound.skipped_nonce s
          where s.chain = t.chain and s.key_ref = t.key_ref
            and s.nonce > coalesce(previous.nonce, t.nonce - 1) and s.nonce <= t.nonce))
  union all
  select 'what a node was given was signed before', t.id::text from outbound.transaction t
    where t.id > after_ and t.id <= up_to_
      and t.state in ('signed', 'broadcast', 'confirmed', 'reverted', 'no_effect')
      and not exists (select from outbound.attempt a where a.transaction_id = t.id)
  union all
  select 'a transaction that counts as never signed has no attempt', t.id::text from outbound.transaction t
    where t.id > after_ and t.id <= up_to_
      and t.state in ('queued', 'canceled') and exists (select from outbound.attempt a where a.transaction_id = t.id)
  union all
  select 'a mined transaction is one of its attempts', t.id::text from outbound.transaction t
    where t.id > after_ and t.id <= up_to_ and t.mined_hash is not null
      and not exists (select from outbound.attempt a where a.transaction_id = t.id and a.hash = t.mined_hash)
  union all
  -- Of several attempts with one nonce the mined one decides: a payment that was displaced was not mined, and one
  -- that its filler replaced was not paid.
  select 'a transaction ends as the attempt that was mined', format('%s is %s, mined was %s', t.id, t.state, coalesce(a.kind, 'none'))
    from outbound.transaction t left join outbound.attempt a on a.transaction_id = t.id and a.hash = t.mined_hash
    where t.id > after_ and t.id <= up_to_
      and ((t.state in ('confirmed', 'reverted', 'no_effect') and a.kind is distinct from 'payment')
        or (t.state = 'displaced' and a.kind = 'payment'))
$$;
