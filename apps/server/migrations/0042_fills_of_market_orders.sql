-- bears: previous
-- A fill of a market order is a buy of one item that counts its steps in the order.
alter table trades.trade add column market_order_id uuid;
comment on column trades.trade.market_order_id is 'the tenant''s market order that it fills; null of every other trade';

create function trades.set_market_order(trade_id_ uuid, order_id_ uuid) returns void
language sql as $$ update trades.trade set market_order_id = order_id_ where id = trade_id_ $$;

-- As before, and a step of a fill is counted in its market order.
create or replace function trades.move_items(
  trade_id_ uuid, item_ids_ uuid[], from_ trades.status, to_ trades.status, at_ timestamptz, offer_id_ text,
  hold_ends_at_ timestamptz, failure_code_ text, failure_detail_ text, reverted_by_ text, penalty_ bigint,
  out moved uuid[], out tenant_id uuid, out account_id uuid, out external_id text, out currency ledger.currency,
  out usd_per_eur_micros bigint)
language plpgsql as $$
declare
  trade_ trades.trade;
  item_ trades.item;
  status_ trades.status;
  is_over_ boolean := to_ in ('failed', 'canceled', 'declined', 'reverted');
begin
  select t.* into trade_ from trades.trade t where t.id = trade_id_ for no key update;
  if trade_.id is null then return; end if;
  if not exists (select from trades.transition where type = trade_.type and from_status = from_ and to_status = to_) then
    raise exception 'there is no step of a % from % to %', trade_.type, from_, to_ using errcode = 'PT500';
  end if;
  with step as (
    update trades.item i set
        status = to_, status_at = at_,
        offer_id = coalesce(offer_id_, i.offer_id),
        hold_ends_at = coalesce(hold_ends_at_, i.hold_ends_at),
        failure_code = failure_code_, failure_detail = failure_detail_, reverted_by = reverted_by_,
        penalty = case when is_over_ and i.hold_id is not null then penalty_ end,
        refunded = case when is_over_ and i.hold_id is not null then i.price - penalty_ end,
        settled_at = case when to_ = 'completed' then at_ end
      where i.trade_id = trade_id_ and i.id = any (item_ids_) and i.status = from_
      returning i.id, i.position, i.offer_id, i.price),
  noted as (
    insert into trades.item_step (trade_id, item_id, what, status, at, offer_id, failure_code, price)
      select trade_id_, step.id, 'moved', to_, at_, step.offer_id, failure_code_, step.price
      from step order by step.position)
  select array_agg(step.id order by step.position) into moved from step;
  if moved is null then return; end if;
  tenant_id := trade_.tenant_id; account_id := trade_.account_id; external_id := trade_.external_id;
  currency := trade_.currency; usd_per_eur_micros := trade_.usd_per_eur_micros;

  if is_over_ then
    for item_ in select i.* from trades.item i where i.id = any (moved) and i.hold_id is not null order by i.position loop
      perform trades.refund(trade_, item_, at_);
    end loop;
  end if;
  select min(i.status) into status_ from trades.item i where i.trade_id = trade_id_;
  update trades.trade set status = status_, updated_at = at_ where id = trade_id_;
  if status_ <> trade_.status then perform trades.emit(trade_, status_, at_); end if;
  if is_over_ then
    for item_ in select i.* from trades.item i where i.id = any (moved) and i.hold_id is not null order by i.position loop
      perform outbox.add('trade.refunded', 'trade', tenant_id, account_id, trade_id_,
        jsonb_build_object('itemId', item_.id, 'externalId', item_.external_id,
          'buyerFault', to_ = 'declined' or coalesce(reverted_by_ = 'user', false),
          'refundedUsdCents', pricing.convert_half_up(item_.refunded, currency, 'USD', usd_per_eur_micros),
          'penaltyUsdCents', pricing.convert_half_up(item_.penalty, currency, 'USD', usd_per_eur_micros)),
        item_.id, at_);
    end loop;
  end if;
  if trade_.market_order_id is not null then
    perform bidding.count_step(tenant_id, trade_.market_order_id, from_ = 'hold', to_ = 'hold', is_over_,
      to_ = 'declined' or coalesce(failure_code_ in ('TRADE_URL_INVALID', 'STEAM_ACCOUNT_RESTRICTED',
        'BUYER_TRADE_RESTRICTED', 'OFFER_NOT_ACCEPTED'), false), trade_.trade_url, at_);
  end if;
end $$;

-- Buys one listing for a market order, under the limits of its account and of the key that made it. The arguments after
-- the first two are those of place_buy and count_buy. Raises what these do and what bidding.take_unit does.
create function buying.place_fill(
  order_id_ uuid, key_id_ uuid, tenant_id_ uuid, account_id_ uuid, platform_id_ text, trade_url_ text,
  request_hash_ bytea, game_ text, currency_ ledger.currency, usd_per_eur_micros_ bigint, request_id_ uuid,
  at_ timestamptz, listing_id_ bigint, market_ text, raw_listing_id_ text, catalog_item_id_ text, description_ jsonb,
  sourcing_mills_ bigint, price_ bigint, house_fee_ bigint, merchant_fee_ bigint) returns uuid
language plpgsql as $$
declare trade_id_ uuid;
begin
  select b.trade_id into trade_id_ from buying.place_buy(tenant_id_, account_id_, platform_id_, trade_url_, null,
    request_hash_, game_, currency_, usd_per_eur_micros_, request_id_, at_, array[null::text], array[listing_id_],
    array[market_], array[raw_listing_id_], array[catalog_item_id_], array[description_], array[sourcing_mills_],
    array[price_], array[house_fee_], array[merchant_fee_]) b;
  perform trades.set_market_order(trade_id_, order_id_);
  perform trades.count_buy(trade_id_, false, key_id_, at_);
  perform bidding.take_unit(tenant_id_, order_id_, listing_id_, trade_id_, price_, at_);
  return trade_id_;
end $$;
