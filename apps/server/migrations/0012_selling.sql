-- Selling: users' items go to our bots, and their proceeds to the wallet. The trade and what all items have in
-- common are in schema trades; here are the assets, the offers that carry them, and the stock that they become.
-- Nothing is paid before the hold is over: until then what a bot holds can be taken back.
create schema selling;

select ledger.add_journal_kind('proceeds', credit_entry_ => 'trade_payout');
-- What the bots bought and what was paid for it: proceeds leave it, and its negative balance is the cost of
-- all stock that was ever owned.
select ledger.add_account_kind('inventory', false, false);

-- ---------------------------------------------------------------- what we pay

-- The pricing policy: one row for all, bands by liquidity, and exceptions for single items. Every change
-- raises the version, by which processes know that what they remember is old.
create table selling.policy (
  only_row boolean not null default true,
  version bigint not null default 1,
  buying boolean not null default true,
  least_quote bigint not null default 10,
  most_quote bigint not null default 500000,
  offer_share integer not null default 50,
  waiting_limit integer not null default 100,
  changed_at timestamptz not null default now(),
  constraint policy_pkey primary key (only_row),
  constraint policy_only_row check (only_row),
  constraint policy_quotes_in_order check (0 < least_quote and least_quote <= most_quote),
  constraint policy_offer_share_in_bounds check (offer_share between 1 and 100),
  constraint policy_waiting_limit_positive check (waiting_limit > 0)
);
comment on column selling.policy.least_quote is 'US cents; what would bring less is not bought';
comment on column selling.policy.most_quote is 'US cents; what would cost more is not bought';
comment on column selling.policy.offer_share is 'percent of the bots'' offers, and of their slots for items, that a tenant may have open, of what it has open and what is free: see selling.is_within_share';
comment on column selling.policy.waiting_limit is 'sells of one tenant that may wait for a bot: see selling.has_too_many_waiting';
insert into selling.policy default values;

-- The band with the greatest `least_volume` that an item reaches holds; an item below all is not bought.
create table selling.band (
  least_volume integer not null,
  discount_bps integer not null,
  constraint band_pkey primary key (least_volume),
  constraint band_volume_not_negative check (least_volume >= 0),
  constraint band_discount_in_bounds check (discount_bps between 0 and 9999)
);
comment on column selling.band.least_volume is 'sales a day on the markets';
comment on column selling.band.discount_bps is 'what a quote is below the reference price, basis points';
insert into selling.band values (0, 4000), (5, 3000), (50, 2000);

create table selling.item_policy (
  catalog_item_id text not null,
  accepted boolean not null,
  discount_bps integer,
  quote bigint,
  reason text not null,
  changed_at timestamptz not null,
  constraint item_policy_pkey primary key (catalog_item_id),
  constraint item_policy_discount_in_bounds check (discount_bps between 0 and 9999),
  constraint item_policy_quote_positive check (quote > 0),
  constraint item_policy_one_price check (discount_bps is null or quote is null)
);
comment on column selling.item_policy.quote is 'US cents, whatever the reference price; null: the reference price and a discount decide';

create function selling.raise_version() returns trigger language plpgsql as $$
begin
  update selling.policy set version = version + 1;
  return null;
end $$;
create trigger band_raises_version after insert or update or delete on selling.band
  for each statement execute function selling.raise_version();
create trigger item_policy_raises_version after insert or update or delete on selling.item_policy
  for each statement execute function selling.raise_version();

-- ---------------------------------------------------------------- sells under way

create table selling.sell (
  trade_id uuid not null,
  tenant_id uuid not null,
  account_id uuid not null,
  platform_id text not null,
  partner bigint not null,
  token text not null,
  request_id uuid not null,
  waiting boolean not null default true,
  held_back boolean not null default false,
  created_at timestamptz not null,
  due_at timestamptz not null,
  constraint sell_pkey primary key (trade_id)
) with (fillfactor = 80);
comment on table selling.sell is 'what the workers need of a sell; the trade itself is in trades';
comment on column selling.sell.waiting is 'it has items that no offer carries yet';
comment on column selling.sell.held_back is 'the database was restored while it waited, and an offer for it may be out that the database has lost';
comment on column selling.sell.due_at is 'when a worker looks for bots next; a claim moves it into the future, which is its lease';
create index sell_waiting on selling.sell (tenant_id, account_id, created_at) where waiting;
create index sell_overdue on selling.sell (created_at) where waiting;

-- One platform offer of one bot, written before it is sent; its id, the offer intent id, stands in its message.
create table selling.offer (
  id uuid not null default uuidv7(),
  trade_id uuid not null,
  bot_id text not null,
  platform_id text not null,
  state text not null,
  offer_id text,
  exchange_id text,
  ending text,
  detail text,
  misses smallint not null default 0,
  missed_since timestamptz,
  sent_at timestamptz not null,
  expires_at timestamptz not null,
  hold_ends_at timestamptz,
  due_at timestamptz not null,
  watched_at timestamptz,
  constraint offer_pkey primary key (id),
  constraint offer_sell foreign key (trade_id) references selling.sell (trade_id),
  constraint offer_once unique (offer_id),
  constraint offer_state_known check (state in ('placing', 'unknown', 'out', 'taken', 'ended', 'absent', 'orphan')),
  constraint offer_known_when_out check (state not in ('out', 'taken') or offer_id is not null),
  constraint offer_ending_known check (ending in ('expired', 'canceled', 'held')),
  constraint offer_held_when_taken check (state <> 'taken' or (exchange_id is not null and hold_ends_at is not null))
) with (fillfactor = 70);
comment on column selling.offer.state is 'placing: the call may be under way; unknown: its answer was lost; out: the user decides; taken: the bot has the items; absent: scans proved that it does not exist; orphan: it turned up after all';
comment on column selling.offer.ending is 'why we asked the platform to cancel it, written before we asked';
comment on column selling.offer.exchange_id is 'the platform''s trade that an accepted offer became';
comment on column selling.offer.misses is 'scans in a row that did not find it, the first at missed_since';
comment on column selling.offer.watched_at is 'when it was last looked for after it was given up as never sent';
create index offer_due on selling.offer (bot_id, due_at) where state in ('placing', 'unknown', 'out', 'taken');
create index offer_open on selling.offer (platform_id) where state in ('placing', 'unknown', 'out');
create index offer_of_sell on selling.offer (trade_id);
create index offer_hold_of_user on selling.offer (platform_id) where state = 'taken';
create index offer_watch on selling.offer (bot_id, sent_at) where state = 'absent';
-- What the platform lists of a bot is held against what we sent: our side of it is read by bot and time.
create index offer_of_bot on selling.offer (bot_id, sent_at);

create table selling.item (
  id uuid not null,
  trade_id uuid not null,
  position smallint not null,
  asset_id text not null,
  context_id text not null,
  class_id text not null,
  quote bigint not null,
  is_open boolean not null default true,
  offer_intent_id uuid,
  tenant_id uuid,
  constraint item_pkey primary key (id),
  constraint item_sell foreign key (trade_id) references selling.sell (trade_id),
  constraint item_offer foreign key (offer_intent_id) references selling.offer (id),
  constraint item_quote_positive check (quote > 0),
  constraint item_open_of_tenant check (not is_open or tenant_id is not null)
) with (fillfactor = 70);
comment on table selling.item is 'id = the id of the item in schema trades';
comment on column selling.item.quote is 'US cents; what was promised';
comment on column selling.item.is_open is 'not terminal: the asset is in this sell';
comment on column selling.item.offer_intent_id is 'the offer that carries it; null while no bot has taken it';
comment on column selling.item.tenant_id is 'of the sell; null where it ended before this was kept';
create index item_of_sell on selling.item (trade_id);
create index item_of_offer on selling.item (offer_intent_id) where offer_intent_id is not null;
create unique index item_one_open_sell on selling.item (asset_id, tenant_id) where is_open;

-- What the bots bought. Until its hold is over an item is protected and may go back.
create table selling.stock (
  item_id uuid not null,
  bot_id text not null,
  asset_id text not null,
  context_id text not null,
  catalog_item_id text not null,
  market_hash_name text not null,
  cost bigint not null,
  currency ledger.currency not null,
  cost_usd bigint not null,
  acquired_at timestamptz not null,
  unlocks_at timestamptz not null,
  state text not null default 'protected',
  constraint stock_pkey primary key (item_id),
  constraint stock_item foreign key (item_id) references selling.item (id),
  constraint stock_state_known check (state in ('protected', 'owned', 'returned')),
  constraint stock_cost_positive check (cost > 0 and cost_usd > 0)
);
comment on column selling.stock.asset_id is 'its id in the bot''s inventory';
comment on column selling.stock.cost is 'cents of `currency`: the price of the sell, the merchant''s fee included';
comment on column selling.stock.cost_usd is 'US cents: the quote';
comment on column selling.stock.unlocks_at is 'from then on the bot can trade it';
create unique index stock_asset on selling.stock (asset_id) where state <> 'returned';

-- Accepts a sell: trade, items and event in one commit. Raises what trades.begin_or_replay does, and
-- 23505 item_one_open_sell when an asset is in an open sell of the tenant, PT429 when more sells would wait than may.
create function selling.place_sell(
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

-- More sells wait than may. A tenant has its limit; a child may have at most as many as its partner has left.
create function selling.has_too_many_waiting(tenant_id_ uuid, account_id_ uuid) returns boolean
language sql stable as $$
  select w.of_tenant > p.waiting_limit
      or (w.of_account > p.waiting_limit - w.of_tenant and identity.is_child(account_id_))
  from selling.policy p cross join lateral (
    select count(*) of_tenant, count(*) filter (where s.account_id = account_id_) of_account
    from selling.sell s where s.tenant_id = tenant_id_ and s.waiting) w $$;

-- One step of some items of one sell: state, money and event in one commit. Returns how many it moved:
-- those that no longer stand in `from_` were moved by another transaction.
create function selling.move_items(
  trade_id_ uuid, item_ids_ uuid[], from_ trades.status, to_ trades.status, at_ timestamptz,
  offer_intent_id_ uuid, offer_id_ text, hold_ends_at_ timestamptz, failure_code_ text, failure_detail_ text,
  reverted_by_ text) returns integer
language plpgsql as $$
declare step_ record;
begin
  select m.* into step_ from trades.move_items(trade_id_, item_ids_, from_, to_, at_, offer_id_, hold_ends_at_,
    failure_code_, failure_detail_, reverted_by_, 0) m;
  if step_.moved is null then return 0; end if;
  if offer_intent_id_ is not null or to_ >= 'completed' then
    update selling.item i set offer_intent_id = coalesce(offer_intent_id_, i.offer_intent_id),
        is_open = to_ < 'completed'
      where i.id = any (step_.moved);
  end if;
  if to_ = 'completed' then
    perform selling.pay_proceeds(step_.moved, step_.tenant_id, step_.external_id, at_);
    update selling.stock set state = 'owned' where item_id = any (step_.moved);
  elsif to_ = 'reverted' then
    update selling.stock set state = 'returned' where item_id = any (step_.moved);
  end if;
  return cardinality(step_.moved);
end $$;

-- Pays the proceeds of items that are ours for good: price less the merchant's fee to the wallet, the fee to
-- the merchant's earnings at the trade's rate.
create function selling.pay_proceeds(item_ids_ uuid[], tenant_id_ uuid, external_id_ text, at_ timestamptz) returns void
language plpgsql as $$
declare
  item_ record;
  fee_ record;
  inventory_ bigint;
begin
  perform ledger.lock_accounts(array_agg(a.id)) from (
    select distinct ledger.account_of(i.account_id, 'spot') id from trades.items_by_id(item_ids_) i
    union select e.id from ledger.earnings_of(tenant_id_) e
    union select ledger.house('exchange', c) from trades.items_by_id(item_ids_) i
      join ledger.earnings_of(tenant_id_) e on e.currency <> i.currency
      cross join unnest(array[e.currency, i.currency]) c) a;
  for item_ in select i.* from trades.items_by_id(item_ids_) i order by i.id loop
    inventory_ := ledger.house('inventory', item_.currency);
    if item_.price > item_.merchant_fee then
      perform ledger.post('proceeds', item_.id, item_.account_id, 'proceeds:' || item_.id, uuid_send(item_.id), at_,
        array[item_.currency], array[inventory_], array[ledger.account_of(item_.account_id, 'spot')],
        array[item_.price - item_.merchant_fee], external_id_);
    end if;
    select f.* into fee_ from trades.fee_postings(tenant_id_, item_.merchant_fee, inventory_, item_.currency, item_.usd_per_eur_micros) f;
    if item_.merchant_fee > 0 then
      perform ledger.post('settle', item_.id, item_.account_id, 'settle:' || item_.id, uuid_send(item_.id), at_,
        fee_.currencies, fee_.debits, fee_.credits, fee_.amounts, external_id_);
    end if;
    perform trades.set_earned(item_.id, fee_.earned);
  end loop;
end $$;

-- ---------------------------------------------------------------- bots and turns

-- Of bots as they were listed, those that can take something: the offers that may be opened still, and the
-- slots for items that no open offer has asked for.
create function selling.bot_room(bot_ids_ text[], free_slots_ integer[], active_offers_ integer[], bot_limit_ integer)
  returns table (bot_id text, free_offers bigint, free_items bigint)
language sql stable as $$
  select b.id, bot_limit_ - greatest(b.active, coalesce(u.offers, 0)), b.slots - coalesce(u.items, 0)
  from unnest(bot_ids_, free_slots_, active_offers_) b (id, slots, active) left join (
    select o.bot_id, count(distinct o.id) offers, count(i.id) items
    from selling.offer o left join selling.item i on i.offer_intent_id = o.id
    where o.bot_id = any (bot_ids_) and o.state in ('placing', 'unknown', 'out') group by o.bot_id) u on u.bot_id = b.id
  where greatest(b.active, coalesce(u.offers, 0)) < bot_limit_ and b.slots > coalesce(u.items, 0) $$;

-- What is open, or about to be: what its owner has not decided on takes from all others.
create function selling.open_offers()
  returns table (tenant_id uuid, account_id uuid, platform_id text, bot_id text, items bigint)
language sql stable as $$
  select s.tenant_id, s.account_id, o.platform_id, o.bot_id,
    (select count(*) from selling.item i where i.offer_intent_id = o.id)
  from selling.offer o join selling.sell s on s.trade_id = o.trade_id where o.state in ('placing', 'unknown', 'out') $$;

-- A tenant may open more while it has less than its share of what it has open and what is free (the dynamic
-- threshold of shared packet buffers): however many tenants leave their offers undecided, some stay free for
-- the next. `of_child_` is null except for a child of a partner, which has the same share of its partner's.
create function selling.is_within_share(share_ integer, of_tenant_ bigint, of_child_ bigint, free_ bigint) returns boolean
language sql immutable as $$
  select 100 * of_tenant_ < share_ * (of_tenant_ + free_) and (of_child_ is null
    or 100 * of_child_ < share_ * (of_child_ + share_ * (of_tenant_ + free_) / 100 - of_tenant_)) $$;

-- Claims sells that wait for a bot, in their turns: the tenant that has least open for its tier is first, and
-- within it the account; within an account the oldest sell is. Nothing is claimed that could not be given to a
-- bot: beyond its tenant's share, or for a platform account with as many offers as it may have. The platform counts
-- those by bot; of what all bots may open to one account a tenant has its share, and no more than one bot may.
create function selling.claim_waiting(
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
create function selling.assign(
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

-- An intent that certainly came to nothing: its items wait for another bot.
create function selling.release_intent(offer_intent_id_ uuid, detail_ text, due_at_ timestamptz) returns void
language plpgsql as $$
declare trade_id_ uuid;
begin
  select trade_id into strict trade_id_ from selling.offer where id = offer_intent_id_;
  perform from trades.lock_trade(trade_id_);
  update selling.offer set state = 'ended', detail = detail_ where id = offer_intent_id_ and state = 'placing';
  if not found then return; end if;
  update selling.item set offer_intent_id = null where offer_intent_id = offer_intent_id_ and is_open;
  update selling.sell set waiting = true, due_at = due_at_ where trade_id = trade_id_;
end $$;

-- An offer that is on the platform's list and that the database has lost carries these items of a sell that
-- waited. Nothing happens when it is known, or when one of the items has another offer or has ended. Returns how
-- many items it carries.
create function selling.adopt_offer(
  offer_intent_id_ uuid, trade_id_ uuid, item_ids_ uuid[], bot_id_ text, offer_id_ text, at_ timestamptz,
  expires_at_ timestamptz) returns integer
language plpgsql as $$
declare count_ integer;
begin
  perform from trades.lock_trade(trade_id_);
  select count(*) into count_ from selling.item i
    where i.id = any (item_ids_) and i.trade_id = trade_id_ and i.offer_intent_id is null and i.is_open;
  if count_ <> cardinality(item_ids_) then return 0; end if;
  insert into selling.offer (id, trade_id, bot_id, platform_id, state, offer_id, sent_at, expires_at, due_at)
    select offer_intent_id_, s.trade_id, bot_id_, s.platform_id, 'out', offer_id_, at_, expires_at_, at_
    from selling.sell s where s.trade_id = trade_id_
    on conflict do nothing;
  if not found then return 0; end if;
  perform selling.move_items(trade_id_, item_ids_, 'initiated', 'pending', at_, null, null, null, null, null, null);
  perform selling.move_items(trade_id_, item_ids_, 'pending', 'active', at_, offer_intent_id_, offer_id_, null, null, null, null);
  update selling.sell s set waiting = exists (
      select from selling.item i where i.trade_id = trade_id_ and i.offer_intent_id is null and i.is_open)
    where s.trade_id = trade_id_;
  return count_;
end $$;
-- Refuses a sell (PT429) with which more would wait for a bot than may. Sells of one tenant are counted one after the
-- other, each after the commit of the one before. It is the last lock that a sell takes, so what waits for it is
-- nothing but that commit, and no ring is possible.
create function selling.check_waiting(tenant_id_ uuid, account_id_ uuid) returns void
language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('selling.waiting:' || tenant_id_, 0));
  if selling.has_too_many_waiting(tenant_id_, account_id_) then
    raise exception 'too many sells wait for a bot' using errcode = 'PT429';
  end if;
end $$;

-- The auditor of sells: a row for each broken promise.
create function selling.audit(
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
