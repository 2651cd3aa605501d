-- Orders that are looked up were taken by their age alone: a tenant with thousands of orders that move slowly had
-- everyone's looked at as seldom as its own.
create index item_followed_in_turn on buying.item (market, tenant_id, due_at) where work = 'follow';

-- Of items whose look-ups are due until `along_until_`, those that are next: turns go round by tenant, what is due at
-- `at_` before what goes along, and within a tenant the oldest is first. It goes from tenant to tenant by the index,
-- and of as many tenants as there is room for, those with the oldest look-ups, it reads no more items than there is
-- room for: what one has waiting costs the others nothing. The settings restrict the planner to the indexes: see
-- webhooks.claim.
create function buying.followed_in_turn(
  market_ text, room_ integer, at_ timestamptz, along_until_ timestamptz, except_ uuid[]) returns setof uuid
language plpgsql stable
set enable_seqscan = off set enable_sort = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  return query
  with recursive oldest as (
    (select i.tenant_id, i.due_at from buying.item i where i.market = market_ and i.work = 'follow'
     order by i.market, i.tenant_id, i.due_at limit 1)
    union all
    select next.tenant_id, next.due_at from oldest cross join lateral (
      select i.tenant_id, i.due_at from buying.item i
      where i.market = market_ and i.work = 'follow' and i.tenant_id > oldest.tenant_id
      order by i.market, i.tenant_id, i.due_at limit 1) next),
  party as (
    select o.tenant_id id from oldest o where o.due_at <= along_until_ order by o.due_at limit room_),
  turn as (
    select one.id, one.due_at, row_number() over (partition by p.id order by one.due_at) nth
    from party p cross join lateral (
      select i.id, i.due_at from buying.item i
      where i.market = market_ and i.work = 'follow' and i.tenant_id = p.id and i.due_at <= along_until_
        and i.id <> all (except_)
      order by i.market, i.tenant_id, i.due_at limit room_) one)
  select t.id from turn t order by t.due_at > at_, t.nth, t.due_at limit room_;
end $$;

-- Claims items whose orders are due for a look. Purchases without an answer go before orders that move. Where
-- anything is due, what is due until `along_until_` goes along. If all of it fits, all of it is taken; if not, turns go
-- round by tenant. One worker after the other: each finds what the one before has left. By id an item is read without
-- its queue in the condition, which would let a plan that was made while the queue was short read all of it.
create function buying.claim_followed(
  market_ text, limit_ integer, at_ timestamptz, along_until_ timestamptz, lease_until_ timestamptz)
  returns setof uuid
language plpgsql
set enable_seqscan = off set enable_sort = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  unanswered_ uuid[];
  moving_ uuid[];
  room_ integer;
begin
  perform from buying.item i
    where i.market = market_ and i.work = 'follow' and i.due_at <= at_ order by i.due_at limit 1;
  if not found then return; end if;
  perform pg_advisory_xact_lock(hashtextextended('buying.claim_followed:' || market_, 0));
  unanswered_ := array(
    with lost as materialized (
      select i.id, i.work, i.due_at from buying.supplier_order o join buying.item i on i.id = o.item_id
      where o.market = market_ and o.state in ('placing', 'unknown'))
    select l.id from lost l where l.work = 'follow' and l.due_at <= at_ order by l.due_at limit limit_);
  room_ := limit_ - cardinality(unanswered_);
  moving_ := array(
    select i.id from buying.item i
    where i.market = market_ and i.work = 'follow' and i.due_at <= along_until_ and i.id <> all (unanswered_)
    order by i.due_at limit room_ + 1);
  if cardinality(moving_) > room_ then
    moving_ := array(select buying.followed_in_turn(market_, room_, at_, along_until_, unanswered_));
  end if;
  return query
    with locked as (
      select i.id, i.work, i.due_at from buying.item i where i.id = any (unanswered_ || moving_)
      for update skip locked)
    update buying.item i set due_at = lease_until_ from locked l
    where i.id = l.id and l.work = 'follow' and l.due_at <= along_until_ returning i.id;
end $$;
