-- A platform account may be linked by several tenants: each of them that learns a trade URL can sell in its name. Offers of one
-- that were never answered kept all others from selling for the account: each of its assets was in one open sell, and
-- the offers that it may have were counted over all tenants.

-- An asset is in one open sell of each tenant. Of two offers for it the platform lets the account accept one, and the
-- other one comes to nothing.
alter table selling.item add column tenant_id uuid;
comment on column selling.item.tenant_id is 'of the sell; null where it ended before this was kept';
update selling.item i set tenant_id = s.tenant_id from selling.sell s where s.trade_id = i.trade_id and i.is_open;
alter table selling.item add constraint item_open_of_tenant check (not is_open or tenant_id is not null);
drop index selling.item_one_open_sell;
create unique index item_one_open_sell on selling.item (asset_id, tenant_id) where is_open;

-- What is open, or about to be: what its owner has not decided on takes from all others.
drop function selling.open_offers();
create function selling.open_offers()
  returns table (tenant_id uuid, account_id uuid, platform_id text, bot_id text, items bigint)
language sql stable as $$
  select s.tenant_id, s.account_id, o.platform_id, o.bot_id,
    (select count(*) from selling.item i where i.offer_intent_id = o.id)
  from selling.offer o join selling.sell s on s.trade_id = o.trade_id where o.state in ('placing', 'unknown', 'out') $$;

-- Claims sells that wait for a bot, in their turns: the tenant that has least open for its tier is first, and
-- within it the account; within an account the oldest sell is. Nothing is claimed that could not be given to a
-- bot: beyond its tenant's share, or for a platform account with as many offers as it may have. The platform counts
-- those by bot; of what all bots may open to one account a tenant has its share, and no more than one bot may.
create or replace function selling.claim_waiting(
  bot_ids_ text[], free_slots_ integer[], active_offers_ integer[], bot_limit_ integer, partner_limit_ integer,
  limit_ integer, at_ timestamptz, lease_until_ timestamptz, placeable_since_ timestamptz) returns setof uuid
language sql as $$
  with held as materialized (select * from selling.open_offers()),
  room as (
    select coalesce(sum(free_offers), 0)::bigint offers, coalesce(sum(free_items), 0)::bigint items
    from selling.bot_room(bot_ids_, free_slots_, active_offers_, bot_limit_)),
  of_user as (select platform_id, tenant_id, count(*) offers from held group by 1, 2),
  at_bot as (select platform_id, bot_id, count(*) offers from held group by 1, 2),
  of_account as (select account_id, count(*) offers from held group by 1),
  of_tenant as (select tenant_id, count(*) offers, sum(items)::bigint items from held group by 1),
  waiting as (
    select s.trade_id, s.tenant_id, s.account_id, s.created_at,
      coalesce(u.offers, 0) + row_number() over (partition by s.platform_id, s.tenant_id order by s.created_at, s.trade_id) nth_of_user,
      coalesce(u.offers, 0) of_user, s.platform_id,
      coalesce(a.offers, 0) + row_number() over (partition by s.account_id order by s.created_at, s.trade_id) nth_of_account
    from selling.sell s left join of_user u on u.platform_id = s.platform_id and u.tenant_id = s.tenant_id
      left join of_account a on a.account_id = s.account_id
    where s.waiting and not s.held_back and s.due_at <= at_ and s.created_at > placeable_since_),
  -- Offers that the bots may open to the account still, whichever tenant's.
  free_of_user as (
    select w.platform_id, sum(greatest(partner_limit_ - coalesce(h.offers, 0), 0))::bigint offers
    from (select distinct platform_id from waiting) w
      cross join selling.bot_room(bot_ids_, free_slots_, active_offers_, bot_limit_) b
      left join at_bot h on h.platform_id = w.platform_id and h.bot_id = b.bot_id group by 1),
  turn as (
    select w.*, coalesce(t.items, 0) items, coalesce(t.offers, 0)
        + row_number() over (partition by w.tenant_id order by w.nth_of_account, w.created_at, w.trade_id) nth_of_tenant
    from waiting w join free_of_user f on f.platform_id = w.platform_id cross join selling.policy p
      left join of_tenant t on t.tenant_id = w.tenant_id
    where w.nth_of_user <= partner_limit_
      and selling.is_within_share(p.offer_share, w.nth_of_user - 1, null, w.of_user + f.offers - (w.nth_of_user - 1))),
  chosen as (
    select t.trade_id, t.created_at, t.nth_of_tenant::double precision
        / case identity.tier_of(t.tenant_id) when 'enterprise' then 4 when 'premium' then 2 else 1 end place
    from turn t cross join room cross join selling.policy p
    where selling.is_within_share(p.offer_share, t.nth_of_tenant - 1,
        case when identity.is_child(t.account_id) then t.nth_of_account - 1 end, room.offers)
      and selling.is_within_share(p.offer_share, t.items, null, room.items)
    order by place, t.created_at, t.trade_id limit limit_),
  free as (
    select s.trade_id from selling.sell s
    where s.trade_id in (select trade_id from chosen) and s.waiting and s.due_at <= at_ for update skip locked),
  claimed as (
    update selling.sell s set due_at = lease_until_ from free where s.trade_id = free.trade_id returning s.trade_id)
  select c.trade_id from chosen c join claimed on claimed.trade_id = c.trade_id
  order by c.place, c.created_at, c.trade_id $$;

-- Gives items of a sell that no offer carries to bots of the caller, and writes an intent for each bot.
-- One at a time over all processes: limits and shares count what others have just written. Answers the new
-- intents; what no bot has a slot for, or its tenant no share, waits on.
create or replace function selling.assign(
  trade_id_ uuid, bot_ids_ text[], free_slots_ integer[], active_offers_ integer[], bot_limit_ integer,
  partner_limit_ integer, at_ timestamptz, lease_until_ timestamptz, expires_at_ timestamptz) returns setof uuid
language plpgsql as $$
declare
  sell_ selling.sell;
  bot_ record;
  of_user_ bigint;
  free_of_user_ bigint;
  share_ integer;
  items_ uuid[];
  intent_id_ uuid;
begin
  perform pg_advisory_xact_lock(hashtextextended('selling.assign', 0));
  select s.* into sell_ from selling.sell s where s.trade_id = trade_id_ and s.waiting and not s.held_back;
  if not found then return; end if;
  -- A cancel of the same items waits here, or has been.
  perform from trades.lock_trade(trade_id_);
  if not (
    select selling.is_within_share(p.offer_share, h.offers, case when identity.is_child(sell_.account_id) then h.of_account end, room.offers)
      and selling.is_within_share(p.offer_share, h.items, null, room.items)
    from selling.policy p cross join (
      select coalesce(sum(free_offers), 0)::bigint offers, coalesce(sum(free_items), 0)::bigint items
      from selling.bot_room(bot_ids_, free_slots_, active_offers_, bot_limit_)) room cross join (
      select count(*) offers, coalesce(sum(o.items), 0)::bigint items,
        count(*) filter (where o.account_id = sell_.account_id) of_account
      from selling.open_offers() o where o.tenant_id = sell_.tenant_id) h) then
    return;
  end if;
  select p.offer_share into share_ from selling.policy p;
  select count(*) into of_user_ from selling.open_offers() o
    where o.platform_id = sell_.platform_id and o.tenant_id = sell_.tenant_id;
  for bot_ in
    select b.bot_id id, b.free_items, (sum(partner_limit_ - coalesce(h.offers, 0)) over ())::bigint free_of_user
    from selling.bot_room(bot_ids_, free_slots_, active_offers_, bot_limit_) b left join (
      select o.bot_id, count(*) offers from selling.open_offers() o where o.platform_id = sell_.platform_id group by 1) h
      on h.bot_id = b.bot_id
    where coalesce(h.offers, 0) < partner_limit_
    order by b.free_items desc, b.bot_id
  loop
    free_of_user_ := coalesce(free_of_user_, bot_.free_of_user);
    exit when of_user_ >= partner_limit_ or not selling.is_within_share(share_, of_user_, null, free_of_user_);
    select array_agg(i.id) into items_ from (
      select id from selling.item
      where trade_id = trade_id_ and offer_intent_id is null and is_open
      order by position limit bot_.free_items) i;
    exit when items_ is null;
    insert into selling.offer (trade_id, bot_id, platform_id, state, sent_at, expires_at, due_at)
      values (trade_id_, bot_.id, sell_.platform_id, 'placing', at_, expires_at_, lease_until_)
      returning id into intent_id_;
    update selling.item set offer_intent_id = intent_id_ where id = any (items_);
    perform selling.move_items(trade_id_, items_, 'initiated', 'pending', at_, intent_id_, null, null, null, null, null);
    of_user_ := of_user_ + 1;
    free_of_user_ := free_of_user_ - 1;
    return next intent_id_;
  end loop;
  if not exists (select from selling.item where trade_id = trade_id_ and offer_intent_id is null and is_open) then
    update selling.sell set waiting = false where trade_id = trade_id_;
  end if;
end $$;

-- Accepts a sell: trade, items and event in one commit. Raises what trades.begin_or_replay does, and
-- 23505 item_one_open_sell when an asset is in an open sell of the tenant, PT429 when more sells would wait than may.
create or replace function selling.place_sell(
  tenant_id_ uuid, account_id_ uuid, platform_id_ text, trade_url_ text, external_id_ text,
  request_hash_ bytea, game_ text, currency_ ledger.currency, usd_per_eur_micros_ bigint, request_id_ uuid,
  at_ timestamptz, partner_ bigint, token_ text, asset_ids_ text[], context_ids_ text[], class_ids_ text[],
  catalog_item_ids_ text[], descriptions_ jsonb[], quotes_ bigint[], prices_ bigint[], merchant_fees_ bigint[],
  out trade_id uuid, out replayed boolean, out item_count smallint, out total bigint, out created_at timestamptz)
language plpgsql as $$
declare item_ids_ uuid[];
begin
  select b.* into trade_id, replayed, item_count, total, created_at
    from trades.begin_or_replay('sell', tenant_id_, account_id_, platform_id_, trade_url_, external_id_,
      request_hash_, game_, currency_, usd_per_eur_micros_, request_id_, at_, cardinality(asset_ids_),
      (select sum(p)::bigint from unnest(prices_) p)) b;
  if replayed then return; end if;
  item_ids_ := trades.add_items(trade_id, at_, array_fill(null::text, array[cardinality(asset_ids_)]),
    catalog_item_ids_, descriptions_, prices_, array_fill(0::bigint, array[cardinality(asset_ids_)]), merchant_fees_, false);
  insert into selling.sell (trade_id, tenant_id, account_id, platform_id, partner, token, request_id, created_at, due_at)
    values (place_sell.trade_id, tenant_id_, account_id_, platform_id_, partner_, token_, request_id_, at_, at_);
  -- In the order of the assets: two sells with the same ones cannot wait for each other in a ring.
  insert into selling.item (id, trade_id, tenant_id, position, asset_id, context_id, class_id, quote)
    select i.id, place_sell.trade_id, tenant_id_, i.position, i.asset_id, i.context_id, i.class_id, i.quote
    from unnest(item_ids_, asset_ids_, context_ids_, class_ids_, quotes_) with ordinality
      i (id, asset_id, context_id, class_id, quote, position)
    order by i.asset_id;
  perform selling.check_waiting(tenant_id_, account_id_);
end $$;
