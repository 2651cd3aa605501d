-- bears: previous
-- Requests of keys also have a number among those of their tenant with its children, by which the oldest go. Rows of
-- processes of the release before have none, and go with their day.
alter table identity.key_request
  add column owner_id uuid,
  add column owner_number bigint,
  add constraint key_request_owner_number check ((owner_id is null) = (owner_number is null) and owner_number > 0) not valid;
comment on column identity.key_request.owner_id is 'whose key it is, or the partner of that child; null: written by a release that did not count them';
comment on column identity.key_request.owner_number is 'counts the requests of the owner that were written, without a gap';
comment on table identity.key_request is 'removed by the day, a partition at a time, and beyond 10,000 of a key and 100,000 of an owner';

create table identity.key_request_owner (
  owner_id uuid not null,
  written bigint not null,
  constraint key_request_owner_pkey primary key (owner_id),
  constraint key_request_owner_positive check (written > 0)
);
comment on table identity.key_request_owner is 'changed by each batch';
comment on column identity.key_request_owner.written is 'requests of the owner that were ever written';

-- An order with the trades of its fills, for the audit of what it has counted.
create function bidding.fills_of(tenant_id_ uuid, order_id_ uuid)
  returns table (status bidding.status, quantity integer, pending integer, filled integer, trade_ids uuid[])
language sql stable as $$
  select o.status, o.quantity, o.pending, o.filled, array(
    select f.trade_id from bidding.fill f where f.tenant_id = o.tenant_id and f.order_id = o.id)
  from bidding.market_order o where o.tenant_id = tenant_id_ and o.id = order_id_ $$;

-- Of the orders that the trades of a slice fill: each counts its fills by the state of their trades. What is taken back
-- of a filled order stays counted.
create function trades.audit_fills(
  after_ uuid default '00000000-0000-0000-0000-000000000000',
  up_to_ uuid default 'ffffffff-ffff-ffff-ffff-ffffffffffff') returns table (invariant text, detail text)
language sql stable as $$
  select 'a market order counts its fills', format('%s: %s pending and %s filled, of its trades %s and %s',
      t.market_order_id, o.pending, o.filled, counted.pending, counted.filled)
  from (select distinct t.tenant_id, t.market_order_id from trades.trade t
      where t.id > after_ and t.id <= up_to_ and t.market_order_id is not null) t
    left join lateral bidding.fills_of(t.tenant_id, t.market_order_id) o on true
    cross join lateral (
      select count(*) filter (where i.status in ('initiated', 'pending', 'active')) pending,
        count(*) filter (where i.status in ('hold', 'completed')) filled
      from trades.item i where i.trade_id = any (o.trade_ids)) counted
  where case when o.status = 'filled' then o.filled <> o.quantity or counted.filled > o.filled or counted.pending > 0
    else (o.pending, o.filled) is distinct from (counted.pending, counted.filled) end $$;
