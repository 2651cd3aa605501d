-- What became of each item of a sell when: the same table that tells it of a buy.
create function trading.note_sell_steps(
  trade_id_ uuid, item_ids_ uuid[], status_ trading.status, at_ timestamptz, offer_ids_ text[],
  failure_code_ text, prices_ bigint[]) returns void
language sql as $$
  insert into trading.item_step (trade_id, item_id, what, status, at, offer_id, failure_code, price)
    select trade_id_, step.item_id, 'moved', status_, at_, step.offer_id, failure_code_, step.price
    from unnest(item_ids_, offer_ids_, prices_) with ordinality step (item_id, offer_id, price, position)
    order by step.position
$$;

-- One step of some items of one sell: state, money and event in one commit. Answers how many it moved:
-- those that no longer stand in `from_` were moved by somebody else.
create or replace function selling.move_items(
  trade_id_ uuid, item_ids_ uuid[], from_ trading.status, to_ trading.status, at_ timestamptz,
  tag_ uuid, offer_id_ text, hold_ends_at_ timestamptz, failure_code_ text, failure_detail_ text,
  reverted_by_ text) returns integer
language plpgsql as $$
declare
  sell_ record;
  moved_ uuid[];
  offer_ids_ text[];
  prices_ bigint[];
  earned_ bigint := 0;
  status_ trading.status;
  settlement_ jsonb := '{}';
begin
  select * into sell_ from trading.lock_sell(trade_id_);
  if not found then return 0; end if;
  if not exists (select from selling.transition where from_status = from_ and to_status = to_) then
    raise exception 'there is no step of a sell from % to %', from_, to_ using errcode = 'PT500';
  end if;
  with moved as (
    update selling.item i set status = to_, status_at = at_,
        tag = coalesce(tag_, i.tag), offer_id = coalesce(offer_id_, i.offer_id),
        hold_ends_at = coalesce(hold_ends_at_, i.hold_ends_at),
        failure_code = failure_code_, failure_detail = failure_detail_, reverted_by = reverted_by_,
        settled_at = case when to_ = 'completed' then at_ end
      where i.trade_id = trade_id_ and i.id = any (item_ids_) and i.status = from_
      returning i.id, i.position, i.offer_id, i.price)
  select array_agg(id order by position), array_agg(offer_id order by position), array_agg(price order by position)
    into moved_, offer_ids_, prices_ from moved;
  if moved_ is null then return 0; end if;
  perform trading.note_sell_steps(trade_id_, moved_, to_, at_, offer_ids_, failure_code_, prices_);

  if to_ = 'completed' then
    earned_ := selling.pay_out(moved_, sell_.merchant_id, sell_.account_id, sell_.external_id,
      sell_.currency, sell_.usd_per_eur_micros, at_);
    update selling.stock set state = 'owned' where item_id = any (moved_);
  elsif to_ = 'reverted' then
    update selling.stock set state = 'returned' where item_id = any (moved_);
  end if;
  select min(i.status) into status_ from selling.item i where i.trade_id = trade_id_;
  if status_ = 'completed' then
    select jsonb_build_object('houseFeeCents', 0, 'merchantFeeCents', sum(merchant_fee)) into settlement_
      from selling.item where trade_id = trade_id_ and status = 'completed';
  end if;
  perform trading.set_sell(trade_id_, status_, settlement_, offer_id_, earned_, at_);
  return cardinality(moved_);
end $$;
