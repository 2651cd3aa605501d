-- The limit of sells that wait held for those that were committed alone: sells of one tenant that were counted at the
-- same moment did not see one another, and all of them passed.

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

-- Accepts a sell: trade, items and event in one commit. Raises what trades.begin_or_replay does, and
-- 23505 item_one_open_sell when an asset is in an open sell, PT429 when more sells would wait than may.
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
  insert into selling.item (id, trade_id, position, asset_id, context_id, class_id, quote)
    select i.id, place_sell.trade_id, i.position, i.asset_id, i.context_id, i.class_id, i.quote
    from unnest(item_ids_, asset_ids_, context_ids_, class_ids_, quotes_) with ordinality
      i (id, asset_id, context_id, class_id, quote, position)
    order by i.asset_id;
  perform selling.check_waiting(tenant_id_, account_id_);
end $$;
